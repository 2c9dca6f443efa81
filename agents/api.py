"""`/api/agents/{uuid or slug}/capture` and `/recall`: memory for chat systems of others (E13).

A visitor is the host application's own user id, and comes to be with the first captured message.
`"visitor": null` is a conversation with nobody in particular: what it teaches is agent-wide.
"""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from agents.models import Agent, Visitor
from memory.gate import MEMORY_OFF, PERSON_OFF
from memory.interfaces.api import shapes_loop as shapes
from memory.interfaces.api.lookup import agent_named, host_id
from memory.interfaces.moments import instant_in
from memory.interfaces.tasks import wake_after
from memory.learning import capture
from memory.learning.capture import Captured, Said
from memory.models import Reader
from memory.providers import space_of
from memory.providers.cleaning import clean
from memory.recall import context
from memory.recall.context import Recalled
from memory.recall.names import Names
from memory.recall.traces import store_trace
from tenants.answers import Refused
from tenants.caller import Caller
from tenants.context import within
from tenants.described import described
from tenants.rest import TenantView

BATCH_LIMIT = 1_000
ID_LIMIT = 200
QUESTION_LIMIT = 10_000
EMBED_SECONDS = 10.0


class Capture(TenantView):
    """`{"visitor", "conversation", "messages": [{"id", "role", "content", "occurred_at"}]}`.

    Sending a message id again is a duplicate. A bad message is refused by itself.
    """

    @described(
        "Capture messages of a conversation",
        tag=shapes.PROGRAMS_TAG,
        takes="Messages",
        answers={200: "Captured"},
    )
    def post(self, request: Request, name: str) -> HttpResponse:
        body = self.body()
        who = _visitor(body, required=True)
        conversation = host_id(body.get("conversation"), field="conversation")
        said, refused = _said(body.get("messages"))
        with within(self.caller.tenant_id):
            agent = agent_named(name, self.caller)
            may_write(self.caller)
            off = _off(agent, who)
        if off is not None:
            return JsonResponse({"accepted": 0, "reason": off})
        space = space_of(agent.tenant)
        prepared = capture.prepare(said, space=space, timeout=EMBED_SECONDS)
        with within(self.caller.tenant_id):
            visitor = Visitor.objects.meet(host_id=who) if who is not None else None
            captured = capture.write(
                prepared,
                conversation=capture.conversation_of(
                    agent_id=agent.pk,
                    visitor_id=visitor.pk if visitor is not None else None,
                    external_id=conversation,
                    channel="api",
                ),
            )
            if not captured.accepted:  # nor does a visitor or a conversation come of it
                transaction.set_rollback(True)
            wake_after(captured, prepared, agent)
        return JsonResponse(_captured(captured, refused))


class Recall(TenantView):
    """`{"visitor", "message"}` → the block for a prompt. Asking makes nobody and nothing."""

    @described(
        "Recall what belongs into a prompt",
        tag=shapes.PROGRAMS_TAG,
        takes="Question",
        answers={200: "Recalled"},
        notes="Nobody is made by asking: an unknown visitor gets what is agent-wide.",
    )
    def post(self, request: Request, name: str) -> HttpResponse:
        body = self.body()
        who = _visitor(body, required=False)
        message = _question(body.get("message"))
        with within(self.caller.tenant_id):
            agent = agent_named(name, self.caller)
            may_read(self.caller)
            visitor = _known(who)
        deadline = time.monotonic() + settings.RECALL_TIMEOUT.total_seconds()
        query = context.prepare(
            message,
            space=space_of(agent.tenant),
            timeout=settings.RECALL_TIMEOUT.total_seconds(),
            names=Names.of(agent, visitor),
        )
        visitor_id = visitor.pk if visitor is not None else None
        with within(self.caller.tenant_id):
            recalled = context.recall(
                Reader.for_chat(agent.pk, visitor_id), query, deadline=deadline
            )
        return Answer(
            {
                "block": recalled.block,
                "memories": [
                    {"id": m.id, "key": m.key, "text": m.text, "reason": m.reason, "score": m.score}
                    for m in recalled.memories
                ],
                "failed": recalled.failed,
            },
            after=lambda: _trace(agent, visitor_id, recalled),
        )


class Answer(JsonResponse):
    """An answer with something to do once it is sent."""

    closes_late = True

    def __init__(self, data: Any, *, after: Callable[[], object]) -> None:
        super().__init__(data)
        self._after = after

    def close(self) -> None:
        try:
            self._after()
        finally:
            super().close()


def may_write(caller: Caller) -> None:
    """An organisation's key, or a member who may edit."""
    if caller.sort != "organisation" and not caller.can_edit:
        raise PermissionDenied("capturing needs an organisation's key or an editor")


def may_read(caller: Caller) -> None:
    """An organisation's key or any member; a person's own token reads on their own page."""
    if caller.sort == "person":
        raise PermissionDenied("recall needs an organisation's key or a member")


def _visitor(body: dict[str, Any], *, required: bool) -> str | None:
    if required and "visitor" not in body:
        raise Refused("expected a string, or null for nobody in particular", field="visitor")
    given = body.get("visitor")
    return None if given is None else host_id(given, field="visitor")


def _off(agent: Agent, who: str | None) -> str | None:
    """Why nothing will be taken, before a conversation is made for it."""
    if not (agent.memory_enabled and agent.tenant.memory_enabled):
        return MEMORY_OFF.reason
    if who is not None and Visitor.objects.filter(host_id=who, auto_capture_enabled=False).exists():
        return PERSON_OFF.reason
    return None


def _known(who: str | None) -> Visitor | None:
    return None if who is None else Visitor.objects.filter(host_id=who).first()


def _question(given: Any) -> str:
    if not isinstance(given, str):
        raise Refused("expected a string", field="message")
    if len(given) > QUESTION_LIMIT:
        raise Refused(
            f"{len(given)} characters, at most {QUESTION_LIMIT} are taken", field="message"
        )
    text = clean(given).text
    if not text.strip():
        raise Refused("expected a message with text in it", field="message")
    return text


def _said(given: Any) -> tuple[list[Said], list[dict[str, Any]]]:
    """Messages that can be tried, and those that cannot, each with its reason."""
    if not isinstance(given, list):
        raise Refused("expected a list", field="messages")
    if len(given) > BATCH_LIMIT:
        raise Refused(f"{len(given)} messages, at most {BATCH_LIMIT} are taken", field="messages")
    said, refused = [], []
    for number, each in enumerate(given):
        id_ = each.get("id") if isinstance(each, dict) else None
        try:
            said.append(_one(each))
        except Refused as problem:
            where = problem.field or "message"
            shown = id_ if isinstance(id_, str) and 0 < len(id_) <= ID_LIMIT else None
            place = "" if shown is not None else f"messages[{number}] "
            refused.append({"id": shown, "reason": f"{place}{where}: {problem.error}"})
    return said, refused


def _one(given: Any) -> Said:
    if not isinstance(given, dict):
        raise Refused("expected an object with role and content")
    id_, role, content = given.get("id"), given.get("role"), given.get("content")
    if id_ is not None:
        id_ = host_id(id_, field="id")
    if not isinstance(role, str):
        raise Refused("expected user or assistant", field="role")
    if not isinstance(content, str):
        raise Refused("expected a string", field="content")
    return Said(role, content, id_, moment(given.get("occurred_at")))


def moment(given: Any) -> datetime | None:
    """ISO 8601 with date and time; without a zone it is UTC. None means now."""
    if given is None:
        return None
    expected = "expected an ISO 8601 time such as 2026-03-03T23:30:00-08:00"
    if isinstance(given, str) and "T" not in given.upper().replace(" ", "T"):
        raise Refused(expected, field="occurred_at")
    return instant_in(given, field="occurred_at", expected=expected)


def _captured(captured: Captured, refused: list[dict[str, Any]]) -> dict[str, Any]:
    if captured.reason is not None:
        return {"accepted": 0, "reason": captured.reason}
    late = [{"id": each.id, "reason": each.reason} for each in captured.refused]
    return {
        "accepted": captured.accepted,
        "duplicates": captured.duplicates,
        "refused": [*refused, *late],
    }


def _trace(agent: Agent, visitor_id: int | None, recalled: Recalled) -> None:
    with within(agent.tenant_id):
        store_trace(recalled, agent_id=agent.pk, visitor_id=visitor_id, channel="api")
