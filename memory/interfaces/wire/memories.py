"""`/v1/memory/…`: write, search, one memory, its history, and a check that writes nothing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, JsonResponse
from pydantic import ValidationError
from rest_framework.request import Request

from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_memory as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.shown import shown
from memory.interfaces.wire.woken import wake_after
from memory.models import Draft, Role, Scope
from memory.recall.query import Query
from memory.recall.query import prepare as prepare_query
from memory.sealing import opened
from memory.sharing import read
from memory.sharing import search as searching
from memory.sharing import write as writing
from memory.sharing.agents import agent_called
from memory.sharing.checking import contradictions
from memory.sharing.rerank import rerank
from memory.sharing.search import Asked, FoundMemory
from memory.sharing.write import Blocked, Written
from tenants.answers import Refused
from tenants.context import within

CONTENT_LIMIT = 64 * 1024  # bytes of UTF-8
QUERY_LIMIT = 10_000  # bytes
MOST_HITS = 50
EMBED_SECONDS = 10.0
ROLES = [role.value for role in Role]


class Write(WireView):
    """`POST {content, agentId, scope?, role?, workflowId?, expiresAt?, factKey?}`."""

    @told(
        "Write a memory",
        tag=shapes.MEMORY_TAG,
        takes="SharedWrite",
        answers={200: "Written", 201: "Written", 409: "Blocked"},
    )
    def post(self, request: Request) -> HttpResponse:
        agent, draft = self.wanted(self.body())
        prepared = prepared_for(agent, draft, space=self.space())
        done = writing.write(prepared, tenant_id=self.caller.tenant_id, by=self.caller.actor)
        wake_after(self.caller.tenant_id, is_embedded=prepared.vector is not None)
        return JsonResponse(written(done), status=status_of(done))

    def wanted(self, body: fields.Body) -> tuple[str, Draft]:
        """Who writes what: every field checked by name."""
        agent = self.agent_in(body)
        assert agent is not None
        given: dict[str, Any] = {
            "content": fields.text(body, "content", limit=CONTENT_LIMIT),
            "scope": self.scope_in(body) or Scope.PRIVATE,
            "role": fields.choice(body, "role", ROLES),
            "workflow": fields.name(body, "workflowId", required=False),
            "fact_key": fields.name(body, "factKey", required=False),
            "expires_at": fields.moment(body, "expiresAt"),
        }
        try:
            return agent, Draft.model_validate(given)
        except ValidationError as error:
            raise Refused(error.errors()[0]["msg"], field="content") from None


class Search(WireView):
    """`POST {query, agentId, topK=5, scope?, workflowId?, atTime?, rerank=false}` → hits."""

    @told(
        "Search what the agent may see",
        tag=shapes.MEMORY_TAG,
        takes="SharedSearch",
        answers={200: shapes.HITS},
    )
    def post(self, request: Request) -> HttpResponse:
        wanted = self.wanted(self.body())
        query = prepare_query(wanted.text, space=self.space(), timeout=EMBED_SECONDS)
        return JsonResponse(found(wanted, query, tenant_id=self.caller.tenant_id), safe=False)

    def wanted(self, body: fields.Body) -> "Wanted":
        """What is asked: every field checked by name."""
        agent = self.agent_in(body)
        assert agent is not None
        return Wanted(
            agent,
            fields.text(body, "query", limit=QUERY_LIMIT),
            fields.whole(body, "topK", least=1, most=MOST_HITS, default=5),
            fields.name(body, "workflowId", required=False),
            self.scope_in(body),
            fields.moment(body, "atTime"),
            fields.switch(body, "rerank"),
        )


@dataclass(frozen=True)
class Wanted:
    """A search as a body asks for it; `asked` adds what its text was embedded to."""

    agent: str
    text: str
    limit: int
    workflow: str | None
    scope: str | None
    at: datetime | None
    wants_rerank: bool

    def asked(self, query: Query) -> Asked:
        return Asked(self.agent, query, self.limit, self.workflow, self.scope, self.at)


class One(WireView):
    """`GET` one memory; `DELETE` ends it softly, and answers 204 whatever there was."""

    @told(
        "Read a memory",
        tag=shapes.MEMORY_TAG,
        answers={200: "SharedMemory", 404: "NotThere"},
        usual=(400, 401, 403),
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        uid = fields.uid(number)
        with within(self.caller.tenant_id):
            reader = self.reader()
            memory = read.one(reader, uid)
            if memory is None:
                return _missing(uid)
            if reader.writer_id is not None:
                searching.learn(agent_called(self.caller.shared_agent), [memory])
            ((_, text),) = opened([memory])
        return JsonResponse(shown(memory, text))

    @told("Delete a memory, if it is there", tag=shapes.MEMORY_TAG, answers={204: None})
    def delete(self, request: Request, number: str) -> HttpResponse:
        uid = fields.uid(number)
        with within(self.caller.tenant_id):
            reader = self.reader()
            memory = read.one(reader, uid)
            if memory is not None and reader.writer_id not in (None, memory.writer_id):
                raise PermissionDenied("another agent wrote it: this key deletes its own only")
            read.delete(reader, uid, by=self.caller.actor)
        wake_after(self.caller.tenant_id)
        return HttpResponse(status=204)


class History(WireView):
    @told(
        "Read what a memory replaced, and what replaced it",
        tag=shapes.MEMORY_TAG,
        answers={200: "SharedHistory"},
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            found = read.history(self.reader(), fields.uid(number))
            if found is None:
                raise Http404("no such memory")
            later = [found.superseded_by] if found.superseded_by is not None else []
            lines = [shown(*each) for each in opened([found.memory, *later, *found.supersedes])]
        return JsonResponse(
            {
                "memory": lines[0],
                "supersededBy": lines[1] if later else None,
                "supersedes": lines[1 + len(later) :],
            }
        )


class Conflicts(WireView):
    """`POST {content, agentId, workflowId?, scope?}` → what it would contradict."""

    @told(
        "Say what a text would contradict; writes nothing",
        tag=shapes.MEMORY_TAG,
        takes="ConflictCheck",
        answers={200: "Conflicts"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body()
        agent = self.agent_in(body)
        assert agent is not None
        text = fields.text(body, "content", limit=CONTENT_LIMIT)
        workflow = fields.name(body, "workflowId", required=False)
        conflicts, fell_back = contradictions(
            text,
            agent=agent,
            workflow=workflow,
            scope=self.scope_in(body),
            tenant_id=self.caller.tenant_id,
            space=self.space(),
        )
        answer: dict[str, Any] = {"conflicts": [each.as_json() for each in conflicts]}
        if fell_back is not None:
            answer["fellBack"] = fell_back
        return JsonResponse(answer)


def prepared_for(agent: str, draft: Draft, *, space: str) -> writing.Prepared:
    try:
        return writing.prepare(agent, draft, space=space, timeout=EMBED_SECONDS)
    except ValueError:
        raise Refused("expected a text that is not empty", field="content") from None


def written(done: Written | Blocked) -> dict[str, Any]:
    if isinstance(done, Written):
        answer: dict[str, Any] = {"writeId": str(done.id)}
        return answer | {"duplicate": True} if done.is_duplicate else answer
    blocked: dict[str, Any] = {
        "error": "Write blocked by conflict resolution policy",
        "policy": done.policy,
        "conflicts": [each.as_json() for each in done.found],
        "webhookFired": done.is_told,
    }
    return blocked | {"writeId": str(done.write)} if done.write is not None else blocked


def status_of(done: Written | Blocked) -> int:
    if isinstance(done, Blocked):
        return 409
    return 200 if done.is_duplicate else 201


def found(wanted: Wanted, query: Query, *, tenant_id: int) -> list[dict[str, Any]]:
    """The hits as the wire shows them; reranked, they carry a `relevance_score` too."""
    asked = wanted.asked(query)
    if not wanted.wants_rerank:
        hits = searching.search(asked, tenant_id=tenant_id)
        return [_hit(each) for each in hits]
    return [
        {**_hit(each.found), "relevance_score": each.relevance}
        for each in rerank(asked, tenant_id=tenant_id)
    ]


def _hit(found: FoundMemory) -> dict[str, Any]:
    return {**shown(found.memory, found.text), "score": found.hit.score}


def _missing(uid: Any) -> HttpResponse:
    """404; for a write that waits or waited for a person, with what became of it (G16)."""
    status = read.waiting(uid)
    if status is None:
        raise Http404("no such memory")
    return JsonResponse({"error": "not found", "status": status}, status=404)
