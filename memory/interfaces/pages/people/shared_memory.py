"""Agent → Memory → Shared Memory: what the agent knows for everyone, written by hand."""

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from agents.models import Agent
from memory.interfaces.pages import words
from memory.interfaces.pages.people import answering
from memory.interfaces.pages.people.agent_page import around, for_editors, of_agent
from memory.interfaces.pages.people.answering import Problem, at, status_of, stored, typed
from memory.interfaces.pages.people.numbered import numbered
from memory.models import Memory, Reader
from memory.people import knowledge
from tenants.models import Token
from tenants.request import MemberRequest
from tenants.views import opens_its_own


@dataclass(frozen=True)
class Entry:
    memory: Memory
    who: str
    age: str
    is_changed: bool

    @property
    def edit_form(self) -> str:
        return f"edit-{self.memory.pk}"

    @property
    def delete_form(self) -> str:
        return f"delete-{self.memory.pk}"


@require_safe
@of_agent
def page(request: MemberRequest, agent: Agent) -> HttpResponse:
    """`?page=`: 20 a page, the newest first."""
    return draw(request, agent)


def draw(request: MemberRequest, agent: Agent, problem: Problem | None = None) -> HttpResponse:
    """Inside `within`."""
    token = Token.objects.filter(pk=OuterRef("creator_token_id")).values("name")
    rows = (
        Memory.objects.visible_to(Reader.for_member(agent.pk))
        .filter(kind=Memory.Kind.KNOWLEDGE)
        .select_related("creator")
        .annotate(token_name=Subquery(token))
        .order_by("-created_at", "-id")
    )
    pages = numbered(rows, request.GET)
    context: dict[str, Any] = {
        "pages": pages,
        "entries": [_entry(row) for row in pages.rows],
        "query": request.GET.urlencode(),
    }
    context |= around(agent, "shared") | at(problem)
    return render(request, "memory/people/shared_memory.html", context, status=status_of(problem))


def _entry(row: Any) -> Entry:
    who = row.creator.get_username() if row.creator is not None else row.token_name or "a key"
    return Entry(row, who, words.ago(row.created_at, timezone.now()), row.version > 1)


@opens_its_own
@require_POST
@for_editors
def add(request: MemberRequest, agent: Agent) -> HttpResponse:
    def verb() -> str:
        content = typed(request, "content")
        written = knowledge.add_knowledge(by=request.caller, agent_id=agent.pk, content=content)
        stored(written, request.caller)
        return "Added: everyone this agent serves gets it from now on."

    return _answer(request, agent, "add", verb)


@opens_its_own
@require_POST
@for_editors
def change(request: MemberRequest, agent: Agent, memory_id: int) -> HttpResponse:
    def verb() -> str:
        written = knowledge.change_knowledge(
            by=request.caller,
            agent_id=agent.pk,
            memory_id=memory_id,
            content=typed(request, "content"),
        )
        stored(written, request.caller)
        return "Saved."

    return _answer(request, agent, f"edit-{memory_id}", verb)


@opens_its_own
@require_POST
@for_editors
def delete(request: MemberRequest, agent: Agent, memory_id: int) -> HttpResponse:
    def verb() -> str:
        knowledge.delete_knowledge(by=request.caller, agent_id=agent.pk, memory_id=memory_id)
        return "Deleted."

    return _answer(request, agent, f"delete-{memory_id}", verb)


def _answer(request: MemberRequest, agent: Agent, form: str, verb: Any) -> HttpResponse:
    return answering.answer(
        request,
        by=request.caller,
        form=form,
        verb=verb,
        draw=lambda problem: draw(request, agent, problem),
        to=reverse("agent-memory:shared", args=[agent.slug]),
    )
