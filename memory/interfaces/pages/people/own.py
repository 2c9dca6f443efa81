"""A person's own page, whoever let them in: two switches, what is remembered, taking it back.

Nothing here asks for a role: `by` is the person, and every row is theirs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from agents.models import Visitor
from memory.interfaces.pages.people import answering, keeping
from memory.interfaces.pages.people.answering import Problem, at, status_of, stored, typed
from memory.interfaces.pages.people.everything import everything_about
from memory.interfaces.pages.people.following import answer, mark_of
from memory.lifecycle.forget import NoSuchMemory, forget
from memory.people import by_hand
from memory.people.persons import Who
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Tenant


@dataclass(frozen=True)
class Own:
    """Who it is, and under which names the addresses of their page go: "mine" or "link"."""

    by: Caller
    visitor_id: int
    names: str
    frame: str

    @property
    def addresses(self) -> dict[str, str]:
        """Names for `{% url %}`."""
        verbs = ("add", "forget", "settings", "download", "erase", "state")
        return {"page": f"memory:{self.names}"} | {
            verb: f"memory:{self.names}-{verb}" for verb in verbs
        }


Page = Callable[..., HttpResponse]


def draw(request: HttpRequest, own: Own, problem: Problem | None = None) -> HttpResponse:
    """Inside `within`."""
    visitor = Visitor.objects.select_related("user").filter(pk=own.visitor_id).first()
    if visitor is None:
        raise Http404("no such person")
    remembered = everything_about(visitor, request.GET, own.by)
    context: dict[str, Any] = {
        "section": "mine",
        "frame": own.frame,
        "own": own.addresses,
        "tenant": Tenant.objects.get(pk=own.by.tenant_id),
    }
    context |= remembered | at(problem)
    context["state"] = mark_of([own.visitor_id])
    response = render(request, "memory/people/own.html", context, status=status_of(problem))
    response["Cache-Control"] = "no-store"
    return response


def page(request: HttpRequest, own: Own) -> HttpResponse:
    with within(own.by.tenant_id):
        return draw(request, own)


def state(request: HttpRequest, own: Own) -> HttpResponse:
    with within(own.by.tenant_id):
        return answer(mark_of([own.visitor_id]))


def add(request: HttpRequest, own: Own) -> HttpResponse:
    def verb() -> str:
        written = by_hand.add_by_hand(
            by=own.by, who=Who(own.visitor_id), content=typed(request, "content")
        )
        stored(written, own.by)
        return "Added."

    return _answer(request, own, "add", verb)


def forgotten(request: HttpRequest, own: Own, memory_id: int) -> HttpResponse:
    """Gone for good, whichever agent knew it (E9)."""

    def verb() -> str:
        with within(own.by.tenant_id):
            try:
                forget(memory_id=memory_id, by=own.by.actor, visitor_id=own.visitor_id)
            except NoSuchMemory:
                raise Http404("no such memory") from None
        return "Deleted for good. It will not be learned again."

    return _answer(request, own, f"delete-{memory_id}", verb)


def settings(request: HttpRequest, own: Own) -> HttpResponse:
    def verb() -> str:
        return keeping.set_switches(request, by=own.by, visitor_id=own.visitor_id)

    return _answer(request, own, "settings", verb)


def download(request: HttpRequest, own: Own) -> Any:
    return keeping.download(request, by=own.by, visitor_id=own.visitor_id)


def erase(request: HttpRequest, own: Own) -> HttpResponse:
    return keeping.erase(
        request,
        by=own.by,
        visitor_id=own.visitor_id,
        frame=own.frame,
        back=reverse(own.addresses["page"]),
        after="",
    )


def _answer(request: HttpRequest, own: Own, form: str, verb: Callable[[], str]) -> HttpResponse:
    return answering.answer(
        request,
        by=own.by,
        form=form,
        verb=verb,
        draw=lambda problem: draw(request, own, problem),
        to=reverse(own.addresses["page"]),
    )
