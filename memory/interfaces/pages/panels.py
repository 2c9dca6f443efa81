"""An agent's Memory tab: its part of the queue as rows, and what it has stored."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.models import Agent
from memory.interfaces.pages import stored, waiting
from memory.interfaces.pages.cards import rows
from memory.interfaces.pages.people.agent_page import around, of_agent
from memory.interfaces.pages.schedule import next_run_in_words
from memory.models import Presence
from tenants.request import MemberRequest


@require_safe
@of_agent
def page(request: MemberRequest, agent: Agent) -> HttpResponse:
    """`?waiting=` leafs through the first panel; `?q=&visitor=&presence=&after=` through the
    second."""
    place, after = request.GET.get("waiting", ""), request.GET.get("after", "")
    narrowing = stored.Narrowing.read(request.GET)
    try:
        pending = waiting.page(waiting.Filters(agent=agent.slug), place)
        held = stored.page(agent.pk, after, narrowing=narrowing)
    except (waiting.BadPlace, stored.BadPlace) as error:
        raise Http404("no such page") from error
    context: dict[str, Any] = {
        "cards": rows(pending.rows, request.caller),
        "next_waiting": pending.after,
        "is_later_waiting": bool(place),
        "stored": held,
        "narrowing": narrowing,
        "older_query": narrowing.query(after=held.after),
        "is_later_stored": bool(after),
        "presences": list(Presence),
        "here": request.get_full_path(),
        "as_row": True,
    }
    if not pending.rows:
        context["next_run"] = next_run_in_words()
    context |= around(agent, "learned")
    return render(request, "memory/panels.html", context)
