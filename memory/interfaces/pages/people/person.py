"""A person as members see them: what every agent knows, what each agent knows, their rights."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.models import Visitor
from memory.interfaces.pages import words
from memory.interfaces.pages.people import answering, keeping
from memory.interfaces.pages.people.answering import Problem, at, status_of, stored, typed
from memory.interfaces.pages.people.everything import everything_about
from memory.interfaces.pages.people.finding import note_read
from memory.people import by_hand, configuration, persons, rights
from memory.people.persons import Who
from tenants.answers import Refused
from tenants.context import within
from tenants.models import Tenant, Token
from tenants.request import MemberRequest
from tenants.views import opens_its_own

DAYS = {"7": 7, "30": 30, "365": 365, "": None}


@require_safe
def page(request: MemberRequest, visitor_id: int) -> HttpResponse:
    """`?page=` of what every agent knows, `?agents=` of what each one does."""
    return draw(request, visitor_id)


def draw(
    request: MemberRequest, visitor_id: int, problem: Problem | None = None, link: str = ""
) -> HttpResponse:
    """Inside `within`. `link` is a person's link, shown this once."""
    visitor = _person(visitor_id)
    rights.may_read_person(request.caller, visitor)
    remembered = everything_about(visitor, request.GET, request.caller)
    note_read(request.caller, [visitor])
    context: dict[str, Any] = {
        "section": "memory",
        "tenant": Tenant.objects.get(pk=request.tenant_id),
        "seen": words.ago(visitor.last_seen_at, timezone.now()),
        "tokens": _tokens(visitor) if request.caller.can_administer else [],
        "link": link,
    }
    context |= remembered | at(problem)
    response = render(request, "memory/people/person.html", context, status=status_of(problem))
    if link:
        response["Cache-Control"] = "no-store"
    return response


@opens_its_own
@require_POST
def add(request: MemberRequest, visitor_id: int) -> HttpResponse:
    def verb() -> str:
        written = by_hand.add_by_hand(
            by=request.caller, who=Who(visitor_id), content=typed(request, "content")
        )
        stored(written, request.caller)
        return "Added: every agent that meets this person knows it."

    return _answer(request, visitor_id, "add", verb)


@opens_its_own
@require_POST
def delete(request: MemberRequest, visitor_id: int, memory_id: int) -> HttpResponse:
    def verb() -> str:
        by_hand.delete_by_hand(by=request.caller, who=Who(visitor_id), memory_id=memory_id)
        return "Deleted."

    return _answer(request, visitor_id, f"delete-{memory_id}", verb)


@opens_its_own
@require_POST
def settings(request: MemberRequest, visitor_id: int) -> HttpResponse:
    def verb() -> str:
        return keeping.set_switches(request, by=request.caller, visitor_id=visitor_id)

    return _answer(request, visitor_id, "settings", verb)


@opens_its_own
@require_POST
def account(request: MemberRequest, visitor_id: int) -> HttpResponse:
    """`username=` links the person to a member; empty takes the link away."""

    def verb() -> str:
        name = typed(request, "username").strip()
        configuration.link_account(by=request.caller, who=Who(visitor_id), username=name)
        return "Linked to the member." if name else "No longer linked to a member."

    return _answer(request, visitor_id, "account", verb)


@opens_its_own
@require_POST
def issue(request: MemberRequest, visitor_id: int) -> HttpResponse:
    """Make a link for the person. The page that answers shows it, once."""
    rights.may_issue_for_person(request.caller)
    days = request.POST.get("days", "30")
    if days not in DAYS:
        raise Http404("no such choice")
    try:
        _, key = persons.issue_token(
            by=request.caller, who=Who(visitor_id), name="link", days=DAYS[days]
        )
    except Refused as refused:
        messages.error(request, answering.sentence(refused.error))
        return HttpResponseRedirect(reverse("memory:person", args=[visitor_id]))
    with within(request.tenant_id):
        return draw(request, visitor_id, link=link_of(request, key))


@opens_its_own
@require_POST
def revoke(request: MemberRequest, visitor_id: int, token_id: int) -> HttpResponse:
    def verb() -> str:
        persons.revoke_token(by=request.caller, who=Who(visitor_id), token_id=token_id)
        return "The link no longer opens anything."

    return _answer(request, visitor_id, f"revoke-{token_id}", verb)


@opens_its_own
@require_safe
def download(request: MemberRequest, visitor_id: int) -> Any:
    _may_set(request, visitor_id)
    return keeping.download(request, by=request.caller, visitor_id=visitor_id)


@opens_its_own
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: MemberRequest, visitor_id: int) -> HttpResponse:
    """GET asks, POST with `sure=on` erases and answers with the receipt."""
    _may_set(request, visitor_id)
    return keeping.erase(
        request,
        by=request.caller,
        visitor_id=visitor_id,
        frame="base.html",
        back=reverse("memory:person", args=[visitor_id]),
        after=reverse("memory:overview"),
    )


def link_of(request: HttpRequest, key: str) -> str:
    """The person's page, with the key where no server sees it (G20); it is under no tenant."""
    tenant = getattr(request, "tenant_slug", None) or ""
    root = get_script_prefix().removesuffix("/").removesuffix(f"/t/{tenant}")
    path = reverse("memory:link").removeprefix(get_script_prefix().removesuffix("/"))
    return f"{request.build_absolute_uri(root + path)}#{key}"


def _answer(request: MemberRequest, visitor_id: int, form: str, verb: Any) -> HttpResponse:
    with within(request.tenant_id):
        _person(visitor_id)
    return answering.answer(
        request,
        by=request.caller,
        form=form,
        verb=verb,
        draw=lambda problem: draw(request, visitor_id, problem),
        to=reverse("memory:person", args=[visitor_id]),
    )


def _person(visitor_id: int) -> Visitor:
    found = Visitor.objects.select_related("user").filter(pk=visitor_id).first()
    if found is None:
        raise Http404("no such person")
    return found


def _may_set(request: MemberRequest, visitor_id: int) -> None:
    with within(request.tenant_id):
        rights.may_set_for_person(request.caller, _person(visitor_id))


def _tokens(visitor: Visitor) -> list[dict[str, Any]]:
    now = timezone.now()
    rows = Token.objects.filter(kind=Token.Kind.PERSON, visitor_id=visitor.pk, revoked_at=None)
    return [
        {
            "token": row,
            "made": words.ago(row.created_at, now),
            "used": words.ago(row.last_used_at, now) if row.last_used_at else "",
            "is_over": row.expires_at is not None and row.expires_at <= now,
        }
        for row in rows.order_by("-created_at", "-id")[:50]
    ]
