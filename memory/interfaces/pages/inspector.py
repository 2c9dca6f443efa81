"""What an agent would be told for a message: the Recall tab. It reads, and writes nothing but the
audit of reading what is known about a person."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods

from agents.models import Agent, Visitor
from memory.models import Reader
from memory.providers import space_of
from memory.providers.cleaning import clean
from memory.recall.context import RecalledMemory, prepare
from memory.recall.explain import Explained, explain
from memory.recall.names import Names
from tenants.audit import record
from tenants.context import within
from tenants.request import MemberRequest
from tenants.views import opens_its_own

MESSAGE_LIMIT = 10_000
_HOW = {
    "omnipresent": "always there",
    "triggered": "a trigger stands in the message",
    "searched": "found by search",
    "knowledge": "what the agent knows",
    "profile": "the person's profile",
}
_SHOWN = {
    "body": "in full",
    "description": "its label only: no room for the text",
    "hidden": "left out: no room",
}


@dataclass(frozen=True)
class Asked:
    """The form as typed. POST, so that a message stays out of addresses and their logs."""

    message: str = ""
    visitor: str = ""
    at: str = ""

    @classmethod
    def read(cls, request: MemberRequest) -> "Asked":
        data = request.POST if request.method == "POST" else request.GET
        given = {name: data.get(name, "").replace("\0", "") for name in ("visitor", "at")}
        return cls(
            message=request.POST.get("message", "").replace("\r\n", "\n"),
            visitor=given["visitor"].strip()[:200],
            at=given["at"].strip()[:40],
        )


class Wrong(ValueError):
    """A field that cannot be used: its name and what to do."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


@opens_its_own
@require_http_methods(["GET", "HEAD", "POST"])
def inspect(request: MemberRequest, slug: str) -> HttpResponse:
    """`/agents/<slug>/recall/`: the form; with a message the answer below it."""
    asked = Asked.read(request)
    with within(request.tenant_id):
        agent = get_object_or_404(Agent.objects.select_related("tenant"), slug=slug)
        context: dict[str, Any] = {
            "section": "agents", "tab": "recall", "agent": agent, "asked": asked,
            "limit": MESSAGE_LIMIT,
        }  # fmt: skip
        if request.method != "POST":
            return render(request, "memory/recall.html", context)
        try:
            message, at = _message(asked.message), _instant(asked.at)
            visitor = _visitor(asked.visitor)
        except Wrong as error:
            context |= {"errors": {error.name: str(error)}}
            return render(request, "memory/recall.html", context, status=400)
    seconds = settings.RECALL_TIMEOUT.total_seconds()
    deadline = time.monotonic() + seconds
    names = Names.of(agent, visitor)
    query = prepare(message, space=space_of(agent.tenant), timeout=seconds, names=names)
    with within(request.tenant_id):
        reader = Reader.for_chat(agent.pk, visitor.pk if visitor is not None else None)
        explained = explain(reader, query, deadline=deadline, at=at)
        if visitor is not None:
            _audit(request, agent, visitor, explained)
        context |= {"visitor": visitor, "at": at, "answer": answer(explained), "asks": query.asks}
        return render(request, "memory/recall.html", context)


def answer(explained: Explained) -> dict[str, Any]:
    """What the template shows of an explained recall. Texts are plain: it escapes them."""
    recalled = explained.recalled
    lines = [
        {
            "memory": one.memory,
            "legs": one.legs,
            "how": _HOW[one.memory.reason],
            "shown": _SHOWN[one.memory.shown],
            "was": one.memory.id in explained.changed_since,
        }
        for one in explained.chosen
    ]
    return {
        "block": recalled.block,
        "tokens": recalled.tokens,
        "budget": settings.RECALL_TOKENS,
        "steps": [(name, ms) for name, ms in recalled.steps.items()],
        "took": sum(recalled.steps.values()),
        "failed": recalled.failed,
        "lines": lines,
        "near": [one for one in explained.passed if one.why != "no trigger"],
        "silent": [one for one in explained.passed if one.why == "no trigger"],
        "silent_more": explained.untriggered
        - sum(one.why == "no trigger" for one in explained.passed),
        "off": explained.off,
        "unembedded": explained.unembedded,
        "unseen": explained.unseen,
        "changed": len(explained.changed_since),
        "around_failed": explained.failed,
        "nearest": settings.RECALL_K,
    }


def _audit(request: MemberRequest, agent: Agent, visitor: Visitor, found: Explained) -> None:
    """A member read what is known about a person (E2); the person themselves need not be noted."""
    if visitor.user_id is not None and visitor.user_id == request.caller.user_id:
        return
    read: tuple[RecalledMemory, ...] = (*found.recalled.memories, *found.recalled.hidden)
    record(
        "person.memories_read",
        by=request.caller.actor,
        subject="visitor",
        subject_id=visitor.pk,
        agent=agent.pk,
        count=len(read) + len(found.passed),
        page="recall",
    )


def _message(given: str) -> str:
    """Cleaned as a visitor's message is before it is searched with."""
    if len(given) > MESSAGE_LIMIT:
        raise Wrong("message", f"{len(given)} characters, at most {MESSAGE_LIMIT} are taken.")
    text = clean(given).text
    if not text.strip():
        raise Wrong("message", "Type a message.")
    return text


def _visitor(given: str) -> Visitor | None:
    """By the host's id or #number; blank is nobody in particular."""
    if not given:
        return None
    visitor = Visitor.objects.filter(host_id=given).first()
    number = given[1:]
    if visitor is None and given[0] == "#" and number.isascii() and number.isdigit():
        visitor = Visitor.objects.filter(pk=int(number)).first() if len(number) < 19 else None
    if visitor is None:
        raise Wrong("visitor", "Nobody is known by this id.")
    return visitor


def _instant(given: str) -> datetime | None:
    """As a browser's field sends it; without a zone it is UTC. Blank is now."""
    if not given:
        return None
    try:
        at = datetime.fromisoformat(given)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        year = at.astimezone(UTC).year
    except (ValueError, OverflowError):
        raise Wrong("at", "Expected a time such as 2026-03-03T15:30.") from None
    if not 1900 <= year <= 2200:
        raise Wrong("at", "The year is out of range.")
    return at.astimezone(UTC)
