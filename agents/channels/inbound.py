"""`POST /api/public/agents/<agent>/hooks/<hook>`: another system asks the agent, signed.

It answers outsiders: what is remembered of a person is not told, and the memory tools are off
unless the operator scoped them in for the hook (contract 3). A request is answered once: its
signature covers the second it was sent, is good for five minutes, and is not taken twice.
"""

import hmac
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from agents.channels.asked import agent_of, object_in, over_limit
from agents.chat import Asked, turn
from agents.models import Agent, InboundHook
from memory.events import signature
from memory.interfaces.api import shapes_loop as shapes
from memory.providers.types import ChatMessage
from tenants.answers import Refused, in_json, only_post
from tenants.auth import NotAuthenticated
from tenants.context import let_go, within
from tenants.described import described
from tenants.limits import Limit, hit
from tenants.rest import refuse_large_body
from tenants.views import opens_its_own

CHANNEL = "webhook"
WINDOW = 300  # seconds that a signature is good for, before and after
CONTENT_LIMIT = 2_000
USER_LIMIT = 100


@dataclass(frozen=True)
class Question:
    """Who asks, by the other system's name for them, and what. `text` "" asks for nothing."""

    user: str
    text: str


@described(
    "Ask an agent from another system, signed",
    tag=shapes.CHAT_TAG,
    takes="InboundQuestion",
    answers={200: "InboundAnswer"},
    usual=(400, 401, 404),
    refuses=(429,),
    security=[{}],
    notes="`X-Keepsake-Signature: t=<seconds>,v1=<hex>`, the HMAC-SHA256 of `<seconds>.<body>` "
    "under the hook's secret. A hook of preset `slack` takes Slack's own requests and signature "
    "instead: events, `url_verification` and slash commands.",
)
@opens_its_own
@csrf_exempt
@in_json
def ask(request: HttpRequest, agent_uid: uuid.UUID, hook_uid: uuid.UUID) -> HttpResponseBase:
    only_post(request)
    refuse_large_body(request)
    agent = agent_of(agent_uid)
    with within(agent.tenant_id):
        hook = InboundHook.objects.filter(uid=hook_uid, agent=agent, active=True).first()
    if hook is None:
        raise Http404("no such hook")
    signed = _verified(request, hook)
    is_slack = hook.preset == InboundHook.Preset.SLACK
    body = _of_slack(request) if is_slack else object_in(request.body)
    if is_slack and body.get("type") == "url_verification":
        return JsonResponse({"challenge": _text(body, "challenge")})
    limits = [Limit("inbound hook", str(hook.pk), settings.CHAT_LIMIT_AGENT)]
    over = hit(limits, window=settings.CHAT_LIMIT_WINDOW, tenant_id=agent.tenant_id)
    if over is not None:
        return over_limit(over, "questions")
    again = hit(
        [Limit("inbound signature", f"{hook.pk} {signed}", 1)],
        window=timedelta(seconds=4 * WINDOW),
        tenant_id=agent.tenant_id,
    )
    question = _slack_question(request, body) if is_slack else _question(body)
    if again is not None or not question.text:
        return JsonResponse({"text": ""})  # said already, or nothing that asks for an answer
    text = _answer(agent, hook, question)
    let_go()
    return JsonResponse({"text": text})


def _answer(agent: Agent, hook: InboundHook, question: Question) -> str:
    # A person of the hook's own: what the other system calls its users opens nobody's memory here.
    who = {"host_id": f"hook:{hook.uid.hex[:12]}:{question.user}"}
    asked = Asked(
        agent,
        who,
        [ChatMessage("user", question.text)],
        CHANNEL,
        injects=False,
        tools=hook.tools,
    )
    return "".join(turn(asked))


# --- signatures --------------------------------------------------------------------------------


def _verified(request: HttpRequest, hook: InboundHook) -> str:
    """The signature, once it is right and fresh; NotAuthenticated says no more than that."""
    try:
        secret = signature.unseal(bytes(hook.secret), tenant_id=hook.tenant_id, uid=hook.uid)
    except signature.SecretLost:
        raise NotAuthenticated("the signature is not valid") from None
    if hook.preset == InboundHook.Preset.SLACK:
        sent = request.headers.get("X-Slack-Request-Timestamp", "")
        given = request.headers.get("X-Slack-Signature", "").removeprefix("v0=")
        covered = f"v0:{sent}:".encode() + request.body
    else:
        parts = dict(
            part.split("=", 1)
            for part in request.headers.get("X-Keepsake-Signature", "").split(",")
            if "=" in part
        )
        sent, given = parts.get("t", ""), parts.get("v1", "")
        covered = f"{sent}.".encode() + request.body
    wanted = hmac.digest(secret.encode(), covered, "sha256").hex()
    same = hmac.compare_digest(given.encode("utf-8", "surrogateescape"), wanted.encode())
    fresh = sent.isascii() and sent.isdigit() and len(sent) < 13
    if not (same and fresh and abs(time.time() - int(sent)) <= WINDOW):
        raise NotAuthenticated("the signature is not valid")
    return wanted


# --- what is asked -----------------------------------------------------------------------------


def _question(body: Mapping[str, Any]) -> Question:
    return Question(_user(_text(body, "user")), _content(_text(body, "message"), "message"))


def _of_slack(request: HttpRequest) -> dict[str, Any]:
    """Events are JSON; a slash command is a form."""
    if request.content_type != "application/x-www-form-urlencoded":
        return object_in(request.body)
    try:
        form = parse_qs(request.body.decode(), max_num_fields=100)
    except (UnicodeDecodeError, ValueError):
        raise Refused("the form is malformed") from None
    return {name: values[0] for name, values in form.items()}


def _slack_question(request: HttpRequest, body: Mapping[str, Any]) -> Question:
    if "command" in body:
        return Question(_user(_text(body, "user_id")), _content(_text(body, "text"), "text"))
    event = body.get("event")
    if not isinstance(event, Mapping) or event.get("type") not in ("message", "app_mention"):
        return Question("", "")
    if event.get("bot_id") or event.get("subtype"):
        return Question("", "")  # our own words, an edit, somebody who joined
    if "X-Slack-Retry-Num" in request.headers:
        return Question("", "")  # it was too slow to be heard, not lost
    return Question(_user(_text(event, "user")), _content(_text(event, "text"), "event.text"))


def _text(body: Mapping[str, Any], field: str) -> str:
    value = body.get(field)
    if not isinstance(value, str):
        raise Refused("expected a string", field=field)
    return value


def _user(name: str) -> str:
    name = name.strip()
    if not name or len(name) > USER_LIMIT or not name.isprintable():
        raise Refused(f"expected a name of 1 to {USER_LIMIT} characters", field="user")
    return name


def _content(text: str, field: str) -> str:
    text = text.strip()
    if not text:
        raise Refused("expected a text that is not empty", field=field)
    if len(text) > CONTENT_LIMIT:
        raise Refused(f"{len(text)} characters, at most {CONTENT_LIMIT} are taken", field=field)
    return text
