"""Agent → Memory → User Memories: what one agent knows about each person, by category."""

from typing import Any

from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.models import Agent, Visitor
from memory.interfaces.pages.people import answering
from memory.interfaces.pages.people.agent_page import around, for_editors, of_agent
from memory.interfaces.pages.people.answering import Problem, at, status_of, stored, typed
from memory.interfaces.pages.people.finding import note_read, who_is
from memory.interfaces.pages.people.narrowing import Narrowing
from memory.interfaces.pages.people.numbered import numbered
from memory.interfaces.pages.people.shown import shown
from memory.models import Category, Memory, Reader
from memory.models.memory import MemoryQuerySet
from memory.people import by_hand
from memory.people.persons import Who
from tenants.answers import Refused
from tenants.context import within
from tenants.request import MemberRequest
from tenants.views import opens_its_own


@require_safe
@of_agent
def page(request: MemberRequest, agent: Agent) -> HttpResponse:
    """`?person=&from=&to=&category=&page=`."""
    return draw(request, agent)


def draw(request: MemberRequest, agent: Agent, problem: Problem | None = None) -> HttpResponse:
    """Inside `within`."""
    narrowing = Narrowing.read(request.GET)
    categories = Category.objects.of(agent.pk)
    rows = narrowing.over(_rows(agent.pk))
    counts = dict(rows.order_by().values_list("category_id").annotate(Count("pk")))
    chosen = next((c for c in categories if c.slug == narrowing.category), None)
    if narrowing.category and chosen is None:
        raise Http404("no such category")
    if chosen is not None:
        rows = rows.filter(category=chosen)
    rows = rows.select_related("visitor", "category").order_by("category_id", "-created_at", "-id")
    count = sum(counts.values()) if chosen is None else counts.get(chosen.pk, 0)
    pages = numbered(rows, request.GET, count=count)
    note_read(request.caller, [row.visitor for row in pages.rows], agent_id=agent.pk)
    context: dict[str, Any] = {
        "narrowing": narrowing,
        "tabs": [
            {
                "category": each,
                "count": counts.get(each.pk, 0),
                "query": narrowing.query(each.slug),
            }
            for each in categories
            if each.is_active or counts.get(each.pk)
        ],
        "all_query": narrowing.query(""),
        "total": sum(counts.values()),
        "chosen": chosen,
        "active": [each for each in categories if each.is_active],
        "pages": pages,
        "memories": [shown(row, request.caller) for row in pages.rows],
        "query": request.GET.urlencode(),
        "counts": counts,
    }
    context |= around(agent, "people") | at(problem)
    return render(request, "memory/people/user_memories.html", context, status=status_of(problem))


@opens_its_own
@require_POST
@for_editors
def add(request: MemberRequest, agent: Agent) -> HttpResponse:
    def verb() -> str:
        who = who_is(typed(request, "person"))
        is_new = _is_new(request, who)
        written = by_hand.add_by_hand(
            by=request.caller,
            who=who,
            agent_id=agent.pk,
            content=typed(request, "content"),
            category=request.POST.get("category_slug", ""),
        )
        stored(written, request.caller)
        return "Added, and a new person with it." if is_new else "Added."

    return _answer(request, agent, "add", verb)


@opens_its_own
@require_POST
@for_editors
def change(request: MemberRequest, agent: Agent, memory_id: int) -> HttpResponse:
    def verb() -> str:
        written = by_hand.change_by_hand(
            by=request.caller,
            who=_who_has(request, agent, memory_id),
            memory_id=memory_id,
            agent_id=agent.pk,
            content=typed(request, "content"),
            category=request.POST.get("category_slug") or None,
        )
        stored(written, request.caller)
        return "Saved."

    return _answer(request, agent, f"edit-{memory_id}", verb)


@opens_its_own
@require_POST
@for_editors
def delete(request: MemberRequest, agent: Agent, memory_id: int) -> HttpResponse:
    def verb() -> str:
        who = _who_has(request, agent, memory_id)
        by_hand.delete_by_hand(by=request.caller, who=who, memory_id=memory_id, agent_id=agent.pk)
        return "Deleted."

    return _answer(request, agent, f"delete-{memory_id}", verb)


def _answer(request: MemberRequest, agent: Agent, form: str, verb: Any) -> HttpResponse:
    return answering.answer(
        request,
        by=request.caller,
        form=form,
        verb=verb,
        draw=lambda problem: draw(request, agent, problem),
        to=reverse("agent-memory:people", args=[agent.slug]),
    )


def _rows(agent_id: int) -> MemoryQuerySet:
    rows = Memory.objects.visible_to(Reader.for_member(agent_id))
    return rows.filter(kind=Memory.Kind.PERSON, visitor__isnull=False)


def _who_has(request: MemberRequest, agent: Agent, memory_id: int) -> Who:
    """Whose memory it is; another agent's, another tenant's and none at all are the same 404."""
    with within(request.tenant_id):
        found = _rows(agent.pk).filter(pk=memory_id).values_list("visitor_id", flat=True).first()
    if found is None:
        raise Http404("no such memory")
    return Who(visitor_id=found)


def _is_new(request: MemberRequest, who: Who) -> bool:
    """Whether the write makes the person. A number that nobody has is refused in the form."""
    with within(request.tenant_id):
        if who.visitor_id is None:
            return not Visitor.objects.filter(host_id=who.host_id).exists()
        if not Visitor.objects.filter(pk=who.visitor_id).exists():
            raise Refused("there is no person of this number", field="person")
    return False
