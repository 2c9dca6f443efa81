"""What a person may do with all of it, on their own page and, by an admin, on the member's: the
two switches, a download, the end of everything with a receipt."""

from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from agents.models import Conversation, Message, Visitor
from memory.interfaces.api.rights import download as as_download
from memory.lifecycle.erase import NoSuchPerson, Receipt, erase_person
from memory.lifecycle.export import FORMATS, export_person
from memory.models import Memory, Mutation
from memory.people import persons
from memory.people.persons import Who
from tenants.caller import Caller
from tenants.context import within

# Tables by what a person calls them; the rest of a receipt is the machinery of search.
IN_WORDS = {
    "memory_memory": "memories",
    "memory_memoryversion": "earlier wordings of memories",
    "memory_mutation": "mutations",
    "memory_observation": "observations",
    "agents_message": "messages",
    "agents_conversation": "conversations",
    "memory_recalltrace": "notes of what an agent was told",
    "memory_tombstone": "notes of what not to learn",
    "tenants_token": "links and tokens",
    "memory_event": "events that named a memory",
    "agents_visitor": "the person's own record",
}


def set_switches(request: HttpRequest, *, by: Caller, visitor_id: int) -> str:
    """Both of them as the form has them: a box that is not ticked is off."""
    persons.set_settings(
        by=by,
        who=Who(visitor_id),
        auto_capture_enabled=request.POST.get("auto_capture_enabled") == "on",
        use_memory_in_responses=request.POST.get("use_memory_in_responses") == "on",
    )
    return "Saved."


def download(request: HttpRequest, *, by: Caller, visitor_id: int) -> FileResponse:
    """`?format=json`, or `csv` for a zip of tables. Outside any block."""
    wanted = request.GET.get("format", "json")
    if wanted not in FORMATS:
        raise Http404("no such format")
    try:
        file = export_person(
            tenant_id=by.tenant_id, visitor_id=visitor_id, by=by.actor, format=wanted
        )
    except NoSuchPerson:
        raise Http404("no such person") from None
    return as_download(file, wanted, request)


def erase(
    request: HttpRequest, *, by: Caller, visitor_id: int, frame: str, back: str, after: str
) -> HttpResponse:
    """Outside any block. The caller has checked that they may."""
    context: dict[str, Any] = {"frame": frame, "back": back, "after": after, "section": "memory"}
    is_sure = request.POST.get("sure") == "on"
    if request.method != "POST" or not is_sure:
        context["asked_without"] = request.method == "POST"
        with within(by.tenant_id):
            context |= _what_goes(visitor_id)
            status = 400 if request.method == "POST" else 200
            return _no_store(render(request, "memory/people/erase.html", context, status=status))
    try:
        receipt = erase_person(tenant_id=by.tenant_id, visitor_id=visitor_id, by=by.actor)
    except NoSuchPerson:
        raise Http404("no such person") from None
    context |= {"receipt": receipt, "lines": lines_of(receipt)}
    with within(by.tenant_id):
        return _no_store(render(request, "memory/people/receipt.html", context))


def lines_of(receipt: Receipt) -> list[tuple[str, int]]:
    """What went, in a person's words and order, the search entries as one line."""
    lines = [(IN_WORDS[table], receipt.rows[table]) for table in IN_WORDS if table in receipt.rows]
    rest = sum(count for table, count in receipt.rows.items() if table not in IN_WORDS)
    return [*lines, ("entries of the search indexes", rest)] if rest else lines


def _what_goes(visitor_id: int) -> dict[str, Any]:
    visitor = Visitor.objects.filter(pk=visitor_id).first()
    if visitor is None:
        raise Http404("no such person")
    return {
        "visitor": visitor,
        "counts": [
            ("memories", Memory.objects.filter(visitor=visitor).count()),
            ("mutations", Mutation.objects.filter(visitor=visitor).count()),
            ("conversations", Conversation.objects.filter(visitor=visitor).count()),
            ("messages", Message.objects.filter(conversation__visitor=visitor).count()),
        ],
    }


def _no_store(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    return response
