"""The category manager of an agent: add, change, switch off and on again."""

from typing import Any

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.models import Agent
from memory.interfaces.pages.people import answering
from memory.interfaces.pages.people.agent_page import around, for_editors, of_agent
from memory.interfaces.pages.people.answering import Problem, at, status_of, typed
from memory.models import Category, Memory
from memory.people import categories
from tenants.request import MemberRequest
from tenants.views import opens_its_own

TEXTS = ("name", "description", "extraction_prompt")


@require_safe
@of_agent
def page(request: MemberRequest, agent: Agent) -> HttpResponse:
    return draw(request, agent)


def draw(request: MemberRequest, agent: Agent, problem: Problem | None = None) -> HttpResponse:
    """Inside `within`."""
    live = Memory.objects.as_of().filter(agent=agent, kind=Memory.Kind.PERSON).order_by()
    counts = dict(live.values_list("category_id").annotate(Count("pk")))
    rows = Category.objects.of(agent.pk)
    context: dict[str, Any] = {
        "rows": [
            {"category": each, "count": counts.get(each.pk, 0), "form": f"edit-{each.pk}"}
            for each in rows
        ],
        "limits": categories.LIMITS,
    }
    context |= around(agent, "people") | at(problem)
    return render(request, "memory/people/categories.html", context, status=status_of(problem))


@opens_its_own
@require_POST
@for_editors
def add(request: MemberRequest, agent: Agent) -> HttpResponse:
    def verb() -> str:
        slug = request.POST.get("slug", "").strip()
        categories.add_category(
            by=request.caller, agent_id=agent.pk, slug=slug or None, **_texts(request)
        )
        return "Added."

    return _answer(request, agent, "add", verb)


@opens_its_own
@require_POST
@for_editors
def change(request: MemberRequest, agent: Agent, category_id: int) -> HttpResponse:
    def verb() -> str:
        categories.change_category(
            by=request.caller, agent_id=agent.pk, category_id=category_id, **_texts(request)
        )
        return "Saved."

    return _answer(request, agent, f"edit-{category_id}", verb)


@opens_its_own
@require_POST
@for_editors
def switch(request: MemberRequest, agent: Agent, category_id: int) -> HttpResponse:
    """`is_active=on` reactivates, anything else deactivates."""
    is_active = request.POST.get("is_active") == "on"

    def verb() -> str:
        categories.change_category(
            by=request.caller, agent_id=agent.pk, category_id=category_id, is_active=is_active
        )
        if is_active:
            return "Reactivated."
        return "Deactivated: what it has stays, nothing new goes into it."

    return _answer(request, agent, f"switch-{category_id}", verb)


def _texts(request: MemberRequest) -> dict[str, Any]:
    return {name: typed(request, name) for name in TEXTS}


def _answer(request: MemberRequest, agent: Agent, form: str, verb: Any) -> HttpResponse:
    return answering.answer(
        request,
        by=request.caller,
        form=form,
        verb=verb,
        draw=lambda problem: draw(request, agent, problem),
        to=reverse("agent-memory:categories", args=[agent.slug]),
        main_field="name",
    )
