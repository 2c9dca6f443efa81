"""What the public routes share: the agent of an address, a body, the answer over a limit."""

import json
import uuid
from typing import Any

from django.http import Http404, JsonResponse

from agents.models import Agent
from tenants import answers
from tenants.answers import Refused
from tenants.context import within
from tenants.directory import tenant_of_agent
from tenants.limits import Over


def agent_of(uid: uuid.UUID) -> Agent:
    """The agent with its tenant, or Http404. Opens its own block."""
    tenant_id = tenant_of_agent(uid)
    if tenant_id is None:
        raise Http404("no such agent")
    with within(tenant_id):
        agent = Agent.objects.select_related("tenant").filter(uid=uid).first()
    if agent is None:
        raise Http404("no such agent")
    return agent


def object_in(raw: bytes) -> dict[str, Any]:
    """The body as a JSON object, or Refused."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refused("the body is not valid JSON") from None
    if not isinstance(body, dict):
        raise Refused("expected a JSON object")
    return body


def switch_in(body: dict[str, Any], name: str) -> bool:
    """A switch that is off unless the body says otherwise."""
    value = body.get(name, False)
    if not isinstance(value, bool):
        raise Refused("expected true or false", field=name)
    return value


def over_limit(over: Over, what: str) -> JsonResponse:
    answer = answers.error(429, f"too many {what}, try again in {over.retry_after} s")
    answer["Retry-After"] = str(over.retry_after)
    return answer
