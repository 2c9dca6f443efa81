"""What the pages of an agent's Memory tab share: the agent, and the numbers on the tabs."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

from agents.models import Agent
from memory.interfaces.pages.people.finding import agent_named
from memory.models import Memory, Mutation
from tenants.context import within
from tenants.request import MemberRequest

Verb = Callable[..., HttpResponse]


def of_agent(view: Verb) -> Verb:
    """The page of a slug, inside the request's block. With memory off there is no Memory tab: a
    link that leads here lands on Setup."""

    @wraps(view)
    def shown(request: MemberRequest, slug: str) -> HttpResponse:
        agent = agent_named(slug)
        if not agent.memory_enabled:
            messages.info(request, "Memory is off for this agent: switch it on here.")
            return HttpResponseRedirect(reverse("agents:agent", args=[agent.slug]))
        return view(request, agent)

    return shown


def for_editors(view: Verb) -> Verb:
    """A form of the tab: the agent is found in a block that ends before the verb begins."""

    @wraps(view)
    def done(request: MemberRequest, slug: str, **numbers: int) -> HttpResponse:
        if not request.caller.can_edit:
            raise PermissionDenied("only editors, admins and owners change what is remembered")
        with within(request.tenant_id):
            agent = agent_named(slug)
        return view(request, agent, **numbers)

    return done


def around(agent: Agent, subtab: str) -> dict[str, Any]:
    """Inside `within`: two statements."""
    kinds = Memory.objects.live().filter(agent=agent).order_by()
    return {
        "section": "agents",
        "agent": agent,
        "tab": "memory",
        "subtab": subtab,
        "pending": Mutation.objects.pending().filter(agent=agent).count(),
        "learned": kinds.filter(kind=Memory.Kind.LEARNED).count(),
    }
