"""All that is remembered of one person, as their own page and a member's page both show it."""

from typing import Any

from django.http import QueryDict

from agents.models import Visitor
from memory.interfaces.pages.people.numbered import numbered
from memory.interfaces.pages.people.shown import shown
from memory.models import Memory, Reader
from tenants.caller import Caller


def everything_about(visitor: Visitor, query: QueryDict, caller: Caller) -> dict[str, Any]:
    """For a template, inside `within`: `?page=` of what every agent knows, `?agents=` of each."""
    rows = Memory.objects.visible_to(Reader.for_person(visitor.pk))
    rows = rows.select_related("agent", "category", "visitor")
    everywhere = numbered(rows.filter(agent=None).order_by("-created_at", "-id"), query)
    by_agents = numbered(
        rows.filter(agent__isnull=False).order_by("agent_id", "-created_at", "-id"),
        query,
        name="agents",
    )
    return {
        "visitor": visitor,
        "pages": everywhere,
        "memories": [shown(row, caller) for row in everywhere.rows],
        "by_agents": by_agents,
        "of_agents": [shown(row, caller) for row in by_agents.rows],
        "query": query.urlencode(),
    }
