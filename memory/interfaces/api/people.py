"""Memories of a person: what every agent knows (global), and what one agent does.

A read by a member is audited, unless it is their own (E2). Nothing here shows a memory of
contract 1, and nothing of the label that contract 3 gives.
"""

from collections.abc import Callable
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from agents.models import Agent, Visitor
from memory.interfaces.api import filters
from memory.interfaces.api import shapes_people as shapes
from memory.interfaces.api.orgs import OrgView, instant, required_text, text_in
from memory.interfaces.api.paging import paged
from memory.interfaces.tasks import wake
from memory.models import Memory, Reader
from memory.models.memory import MemoryQuerySet
from memory.people import by_hand, rights
from memory.people.by_hand import Written
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within
from tenants.described import described

Filter = Callable[[QuerySet[Any], Any], QuerySet[Any]]


class PersonView(OrgView):
    """Base of the lists. `narrowed_by` are the filters that the contract gives the route."""

    narrowed_by: tuple[Filter, ...] = ()

    def answer_list(self, request: Request, store: Q, *, agent: Agent | None) -> HttpResponse:
        """Inside `within`."""
        visitor = self.who().find(self.caller)
        rights.may_read_person(self.caller, visitor)
        rows: QuerySet[Any] = _readable(self.caller, visitor).filter(store)
        for narrow in self.narrowed_by:
            rows = narrow(rows, request.query_params)
        if not self._is_asked_for(request, visitor):
            rows = rows.none()
        page = paged(request, rows, as_json)
        if (
            visitor is not None
            and self.caller.is_member
            and not rights.is_own(self.caller, visitor)
        ):
            record(
                "person.memories_read",
                by=self.caller.actor,
                subject="visitor",
                subject_id=visitor.pk,
                agent=None if agent is None else agent.pk,
                count=len(page["results"]),
            )
        return JsonResponse(page)

    def _is_asked_for(self, request: Request, visitor: Visitor | None) -> bool:
        return True

    def answer_one(self, written: Written, *, status: int) -> HttpResponse:
        with within(self.caller.tenant_id):
            memory = _rows().get(pk=written.memory.pk)
            if written.needs_vector:
                wake("embed", self.caller.tenant_id)
            return JsonResponse(as_json(memory), status=status)


def _has_email(visitor: Visitor | None, email: str | None) -> bool:
    return email is None or (
        visitor is not None and (email_of(visitor) or "").casefold() == email.casefold()
    )


class GlobalMemories(PersonView):
    narrowed_by = (filters.of_session, filters.containing, filters.made_between)

    @described(
        "List what every agent knows about a person",
        tag=shapes.PERSON_TAG,
        answers={200: "MemoryPage"},
        queries=(*shapes.PAGES, shapes.SESSION, shapes.CONTENT, *shapes.DATES, shapes.EMAIL),
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            rights.may_reach_every_agent(self.caller)
            return self.answer_list(request, Q(agent=None), agent=None)

    @described(
        "Add a memory of a person, for every agent",
        tag=shapes.PERSON_TAG,
        takes="NewMemory",
        answers={201: "Memory"},
        refuses=(409,),
        notes="Makes the person when they are new.",
    )
    def post(self, request: Request, **path: str) -> HttpResponse:
        body = self.body()
        written = by_hand.add_by_hand(
            by=self.caller, who=self.who(body), content=required_text(body, "content")
        )
        return self.answer_one(written, status=201)

    def _is_asked_for(self, request: Request, visitor: Visitor | None) -> bool:
        return _has_email(visitor, filters.email_asked(request.query_params))


class GlobalMemory(PersonView):
    @described(
        "Delete a memory of a person",
        tag=shapes.PERSON_TAG,
        answers={204: None},
        notes="By the person it is erased, by others closed and restorable for 30 days.",
    )
    def delete(self, request: Request, number: int, **path: str) -> HttpResponse:
        by_hand.delete_by_hand(by=self.caller, who=self.who(), memory_id=number)
        return HttpResponse(status=204)


class AllAgentMemories(PersonView):
    """Of all agents; `?agent=` narrows to one."""

    narrowed_by = (filters.in_category, filters.made_between)

    @described(
        "List what all agents know about a person",
        tag=shapes.PERSON_TAG,
        answers={200: "AgentMemoryPage"},
        queries=(*shapes.PAGES, shapes.AGENT, shapes.CATEGORY, *shapes.DATES),
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        asked = request.query_params
        with within(self.caller.tenant_id):
            named = asked.get("agent", asked.get("mentor"))
            if named is None:
                return self.answer_list(request, Q(agent__isnull=False), agent=None)
            self.kwargs["agent"] = named
            agent = self.agent()
            return self.answer_list(request, Q(agent=agent), agent=agent)


class AgentMemories(PersonView):
    narrowed_by = (filters.in_category, filters.made_between)

    @described(
        "List what one agent knows about a person",
        tag=shapes.PERSON_TAG,
        answers={200: "AgentMemoryPage"},
        queries=(*shapes.PAGES, shapes.CATEGORY, *shapes.DATES),
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            agent = self.agent()
            return self.answer_list(request, Q(agent=agent), agent=agent)

    @described(
        "Add a memory of a person, for one agent",
        tag=shapes.PERSON_TAG,
        takes="NewAgentMemory",
        answers={201: "AgentMemory"},
        refuses=(409,),
        notes="Makes the person when they are new.",
    )
    def post(self, request: Request, **path: str) -> HttpResponse:
        body = self.body()
        with within(self.caller.tenant_id):
            agent = self.agent()
        written = by_hand.add_by_hand(
            by=self.caller,
            who=self.who(body),
            agent_id=agent.pk,
            content=required_text(body, "content"),
            category=required_text(body, "category_slug"),
        )
        return self.answer_one(written, status=201)


class AgentMemoryList(PersonView):
    """The same rows, narrowed by `my_memory` and `email` as well."""

    narrowed_by = (filters.in_category, filters.made_between)

    @described(
        "List what one agent knows about a person, narrowed by whose it is",
        tag=shapes.PERSON_TAG,
        answers={200: "AgentMemoryPage"},
        queries=(*shapes.PAGES, shapes.CATEGORY, *shapes.DATES, shapes.MINE, shapes.EMAIL),
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            agent = self.agent()
            return self.answer_list(request, Q(agent=agent), agent=agent)

    def _is_asked_for(self, request: Request, visitor: Visitor | None) -> bool:
        asked = request.query_params
        mine = filters.my_memory_asked(asked)
        if mine and not rights.is_own(self.caller, visitor):
            return False
        return _has_email(visitor, filters.email_asked(asked))


class AgentMemory(PersonView):
    @described(
        "Change what a memory says, or its category",
        tag=shapes.PERSON_TAG,
        takes="AgentMemoryChange",
        answers={200: "AgentMemory"},
        refuses=(409,),
    )
    def patch(self, request: Request, number: int, **path: str) -> HttpResponse:
        body = self.body()
        with within(self.caller.tenant_id):
            agent = self.agent()
        written = by_hand.change_by_hand(
            by=self.caller,
            who=self.who(),
            memory_id=number,
            agent_id=agent.pk,
            content=text_in(body, "content"),
            category=text_in(body, "category_slug"),
        )
        return self.answer_one(written, status=200)

    @described(
        "Delete a memory of a person",
        tag=shapes.PERSON_TAG,
        answers={204: None},
        notes="By the person it is erased, by others closed and restorable for 30 days.",
    )
    def delete(self, request: Request, number: int, **path: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            agent = self.agent()
        by_hand.delete_by_hand(by=self.caller, who=self.who(), memory_id=number, agent_id=agent.pk)
        return HttpResponse(status=204)


def as_json(memory: Memory) -> dict[str, Any]:
    """A memory of a person, as this contract shows it; of an agent with agent and category."""
    visitor, agent, category = memory.visitor, memory.agent, memory.category
    shown: dict[str, Any] = {
        "id": memory.pk,
        "content": memory.content,
        "is_auto_generated": memory.is_auto_generated,
        "created_at": instant(memory.created_at),
        "updated_at": instant(memory.updated_at),
        "source_session_id": memory.source.get("conversation"),
        "username": username_of(visitor) if visitor is not None else None,
        "email": email_of(visitor) if visitor is not None else None,
    }
    if agent is not None and category is not None:
        shown["agent"] = agent.slug
        shown["category"] = {"id": category.pk, "name": category.name, "slug": category.slug}
    return shown


def username_of(visitor: Visitor) -> str | None:
    """The linked user's, or the one that came with a write (G14)."""
    return visitor.user.get_username() if visitor.user is not None else visitor.name or None


def email_of(visitor: Visitor) -> str | None:
    linked = visitor.user.email if visitor.user is not None else ""
    return linked or visitor.email or None


def _readable(caller: Caller, visitor: Visitor | None) -> MemoryQuerySet:
    if visitor is None:
        return Memory.objects.none()
    if caller.sort == "person":
        reader = Reader.for_person(visitor.pk)
    elif caller.is_member:
        reader = Reader.for_member()
    else:
        reader = Reader.for_key(caller.agent_id)
    return _rows().visible_to(reader).filter(kind=Memory.Kind.PERSON, visitor=visitor)


def _rows() -> MemoryQuerySet:
    rows: MemoryQuerySet = Memory.objects.select_related("agent", "category", "visitor__user")
    return rows
