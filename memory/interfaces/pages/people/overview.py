"""Tenant → Memory: the master switch, any person, any agent."""

from typing import Any

from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from agents.models import Agent, Visitor
from memory.interfaces.pages import words
from memory.interfaces.pages.people import answering
from memory.interfaces.pages.people.answering import Problem, at, status_of
from memory.interfaces.pages.people.finding import persons_like, words_of
from memory.interfaces.pages.people.following import mark_of
from memory.interfaces.pages.people.numbered import numbered
from memory.models import Memory
from memory.people import configuration
from tenants.models import Tenant
from tenants.request import MemberRequest
from tenants.views import opens_its_own

MOST_AGENTS = 500
NOTHING = {"everywhere": 0, "by_agents": 0}


@require_safe
def page(request: MemberRequest) -> HttpResponse:
    """`?person=&page=`. Counts only; whoever opens a person is written down."""
    return draw(request)


def draw(request: MemberRequest, problem: Problem | None = None) -> HttpResponse:
    """Inside `within`."""
    wanted = words_of(request.GET.get("person", ""))
    visitors = Visitor.objects.select_related("user").order_by("-last_seen_at", "-id")
    if wanted:
        visitors = visitors.filter(persons_like(wanted))
    pages = numbered(visitors, request.GET)
    context: dict[str, Any] = {
        "section": "memory",
        "tenant": Tenant.objects.get(pk=request.tenant_id),
        "wanted": wanted,
        "pages": pages,
        "persons": _persons(pages.rows),
        "agents": _agents(),
        "query": request.GET.urlencode(),
        "of": ",".join(str(visitor.pk) for visitor in pages.rows),
        "state": mark_of([visitor.pk for visitor in pages.rows], with_people=True),
    }
    context |= at(problem)
    return render(request, "memory/people/overview.html", context, status=status_of(problem))


@opens_its_own
@require_POST
def switch(request: MemberRequest) -> HttpResponse:
    """`memory_enabled=on`, or off without it."""
    enabled = request.POST.get("memory_enabled") == "on"

    def verb() -> str:
        configuration.set_memory_enabled(by=request.caller, enabled=enabled)
        return f"Memory is {'on' if enabled else 'off'} for the whole organisation."

    return answering.answer(
        request,
        by=request.caller,
        form="switch",
        verb=verb,
        draw=lambda problem: draw(request, problem),
        to=reverse("memory:overview"),
        main_field="memory_enabled",
    )


def _persons(visitors: list[Visitor]) -> list[dict[str, Any]]:
    counts = {
        row["visitor_id"]: row
        for row in Memory.objects.as_of()
        .filter(visitor__in=[visitor.pk for visitor in visitors])
        .order_by()
        .values("visitor_id")
        .annotate(
            everywhere=Count("pk", filter=Q(agent=None)),
            by_agents=Count("pk", filter=Q(agent__isnull=False)),
        )
    }
    now = timezone.now()
    return [
        {
            "visitor": visitor,
            "everywhere": counts.get(visitor.pk, NOTHING)["everywhere"],
            "by_agents": counts.get(visitor.pk, NOTHING)["by_agents"],
            "seen": words.ago(visitor.last_seen_at, now),
        }
        for visitor in visitors
    ]


def _agents() -> list[dict[str, Any]]:
    kinds = Memory.Kind
    counts = {
        row["agent_id"]: row
        for row in Memory.objects.as_of()
        .filter(agent__isnull=False)
        .order_by()
        .values("agent_id")
        .annotate(
            people=Count("pk", filter=Q(kind=kinds.PERSON)),
            shared=Count("pk", filter=Q(kind=kinds.KNOWLEDGE)),
            learned=Count("pk", filter=Q(kind=kinds.LEARNED)),
        )
    }
    rows = Agent.objects.order_by("name", "pk")[:MOST_AGENTS]
    return [{"agent": row, **counts.get(row.pk, {})} for row in rows]
