"""`POST /api/public/agents/{uuid}/chat`: the widget's chat, open to everyone within limits.

Who the visitor is comes from the cookie alone: a session, a key or an origin changes nothing, so
nobody is acted for. There is no CORS; the widget calls from its own frame (G20).
"""

import uuid
from collections.abc import AsyncIterator, Generator
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from agents.channels import cookies
from agents.channels.asked import agent_of, object_in, over_limit, switch_in
from agents.chat import Asked, turn
from agents.models import Agent
from memory.interfaces.api import shapes_loop as shapes
from memory.interfaces.api.lookup import as_uuid
from memory.providers.types import ChatMessage
from tenants.answers import Refused, in_json, only_post
from tenants.context import let_go
from tenants.described import described
from tenants.limits import Limit, client_address, hit
from tenants.rest import refuse_large_body, refuse_secrets_in_address
from tenants.views import opens_its_own

MESSAGES_LIMIT = 100
CONTENT_LIMIT = 2_000
ROLES = ("user", "assistant")


@described(
    "Chat with an agent",
    tag=shapes.CHAT_TAG,
    takes="Chat",
    answers={200: shapes.REPLY},
    usual=(400, 404),
    refuses=(429,),
    security=[{}],
    notes="The reply is streamed. The visitor is known by a cookie, set at the first contact and "
    "kept for 30 days after the last.",
)
@opens_its_own
@csrf_exempt
@in_json
def chat(request: HttpRequest, agent_uid: uuid.UUID) -> HttpResponseBase:
    only_post(request)
    refuse_secrets_in_address(request)
    refuse_large_body(request)
    body = object_in(request.body)
    messages = _messages(body.get("messages"))
    embedded = switch_in(body, "embed")
    wanted = _conversation(body)
    agent = agent_of(agent_uid)
    known = cookies.visitor_of(request)
    over = hit(
        _limits(agent, known, client_address(request)),
        window=settings.CHAT_LIMIT_WINDOW,
        tenant_id=agent.tenant_id,
    )
    if over is not None:
        return over_limit(over, "messages")
    visitor = known or uuid.uuid4()
    asked = Asked(agent, {"cookie": visitor}, messages, "chat", wanted)
    reply = turn(asked)
    next(reply)  # memory's part; headers need the conversation
    response = StreamingHttpResponse(
        _driven(reply) if isinstance(request, ASGIRequest) else reply,
        content_type="text/plain; charset=utf-8",
    )
    response["x-conversation-id"] = str(asked.conversation)
    response["x-agent-id"] = str(agent.uid)
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # a proxy passes the pieces on as they come
    cookies.give(response, visitor, embedded=embedded)  # again: 30 days from the last message
    let_go()
    return response


async def _driven(reply: Generator[str, None, None]) -> AsyncIterator[str]:
    """The turn, step by step in the request's own thread; closed when the visitor hangs up."""
    step = sync_to_async(partial(next, reply, None), thread_sensitive=True)
    try:
        while (piece := await step()) is not None:
            yield piece
    finally:
        await sync_to_async(reply.close, thread_sensitive=True)()


def _limits(agent: Agent, visitor: uuid.UUID | None, address: str) -> list[Limit]:
    """The narrowest first. A visitor without a cookie is new: the address counts them."""
    own = [Limit("visitor", f"{agent.pk} {visitor}", settings.CHAT_LIMIT_VISITOR)]
    return (own if visitor else []) + [
        Limit("address", f"{agent.pk} {address}", settings.CHAT_LIMIT_ADDRESS),
        Limit("agent", str(agent.pk), settings.CHAT_LIMIT_AGENT),
    ]


def _messages(given: Any) -> list[ChatMessage]:
    if not isinstance(given, list) or not given:
        raise Refused("expected a list with at least one message", field="messages")
    if len(given) > MESSAGES_LIMIT:
        raise Refused(
            f"{len(given)} messages, at most {MESSAGES_LIMIT} are taken", field="messages"
        )
    messages = [_message(each, f"messages[{number}]") for number, each in enumerate(given)]
    if messages[-1].role != "user" or not messages[-1].content.strip():
        raise Refused("the last message has to be the user's, with text in it", field="messages")
    return messages


def _message(given: Any, field: str) -> ChatMessage:
    if not isinstance(given, dict):
        raise Refused("expected an object with role and content", field=field)
    role, content = given.get("role"), given.get("content")
    if role not in ROLES:
        raise Refused(f"the role has to be one of: {', '.join(ROLES)}", field=f"{field}.role")
    if not isinstance(content, str):
        raise Refused("expected a string", field=f"{field}.content")
    if len(content) > CONTENT_LIMIT:
        if role == "user":
            raise Refused(
                f"{len(content)} characters, at most {CONTENT_LIMIT} are taken",
                field=f"{field}.content",
            )
        content = content[:CONTENT_LIMIT]  # an agent's reply may be longer, and comes back here
    return ChatMessage(role, content)


def _conversation(body: dict[str, Any]) -> uuid.UUID | None:
    """What is no conversation of ours starts a new one, whatever it looks like."""
    value = body.get("conversationId")
    if value is not None and not isinstance(value, str):
        raise Refused("expected a string", field="conversationId")
    return as_uuid(value)
