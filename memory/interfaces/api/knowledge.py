"""What an agent knows for everyone it serves: the routes without `users/` (contract 2)."""

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.api import filters
from memory.interfaces.api import shapes_people as shapes
from memory.interfaces.api.orgs import OrgView, instant, required_text
from memory.interfaces.api.paging import paged
from memory.interfaces.tasks import wake
from memory.models import Memory, Reader
from memory.models.memory import MemoryQuerySet
from memory.people import knowledge, rights
from memory.people.by_hand import Written
from tenants.context import within
from tenants.described import described
from tenants.models import Token


class Knowledge(OrgView):
    @described(
        "List what an agent knows for everyone it serves",
        tag=shapes.AGENT_TAG,
        answers={200: "KnowledgePage"},
        queries=(*shapes.PAGES, *shapes.DATES),
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        rights.may_read_agent(self.caller)
        with within(self.caller.tenant_id):
            agent = self.agent()
            rows: QuerySet[Any] = _rows(agent.pk).visible_to(Reader.for_member(agent.pk))
            rows = filters.made_between(rows, request.query_params)
            return JsonResponse(paged(request, rows, as_json))

    @described(
        "Add to what an agent knows for everyone",
        tag=shapes.AGENT_TAG,
        takes="NewKnowledge",
        answers={201: "Knowledge"},
        refuses=(409,),
    )
    def post(self, request: Request, **path: str) -> HttpResponse:
        rights.may_curate(self.caller)
        content = required_text(self.body(), "content")
        with within(self.caller.tenant_id):
            agent = self.agent()
        written = knowledge.add_knowledge(by=self.caller, agent_id=agent.pk, content=content)
        return _answer(self, written, status=201)


class Entry(OrgView):
    @described(
        "Replace what an entry says",
        tag=shapes.AGENT_TAG,
        takes="NewKnowledge",
        answers={200: "Knowledge"},
        refuses=(409,),
    )
    def patch(self, request: Request, number: int, **path: str) -> HttpResponse:
        rights.may_curate(self.caller)
        content = required_text(self.body(), "content")
        with within(self.caller.tenant_id):
            agent = self.agent()
        written = knowledge.change_knowledge(
            by=self.caller, agent_id=agent.pk, memory_id=number, content=content
        )
        return _answer(self, written, status=200)

    @described(
        "Delete an entry",
        tag=shapes.AGENT_TAG,
        answers={204: None},
        notes="Everyone stops receiving it at once.",
    )
    def delete(self, request: Request, number: int, **path: str) -> HttpResponse:
        rights.may_curate(self.caller)
        with within(self.caller.tenant_id):
            agent = self.agent()
        knowledge.delete_knowledge(by=self.caller, agent_id=agent.pk, memory_id=number)
        return HttpResponse(status=204)


def as_json(memory: Any) -> dict[str, Any]:
    """Neither category nor is_auto_generated: there are none."""
    creator = memory.creator
    return {
        "id": memory.pk,
        "content": memory.content,
        "created_by": creator.get_username() if creator is not None else memory.token_name,
        "created_at": instant(memory.created_at),
        "updated_at": instant(memory.updated_at),
    }


def _rows(agent_id: int) -> MemoryQuerySet:
    """With the name of the token that an entry came by, where no user made it."""
    name = Token.objects.filter(pk=OuterRef("creator_token_id")).values("name")
    rows: MemoryQuerySet = (
        Memory.objects.in_scope(agent_id, None)
        .filter(kind=Memory.Kind.KNOWLEDGE)
        .select_related("creator")
        .annotate(token_name=Subquery(name))
    )
    return rows


def _answer(view: OrgView, written: Written, *, status: int) -> HttpResponse:
    with within(view.caller.tenant_id):
        agent_id = written.memory.agent_id
        assert agent_id is not None
        memory = _rows(agent_id).get(pk=written.memory.pk)
        if written.needs_vector:
            wake("embed", view.caller.tenant_id)
        return JsonResponse(as_json(memory), status=status)
