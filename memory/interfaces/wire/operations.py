"""What `/v1` and MCP do with shared memory, for one caller: a body in, an answer out.

Every field is checked by name (Refused), every id against what the caller sees. Each method opens
its own blocks.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from pydantic import ValidationError

from memory.interfaces.wire import fields
from memory.interfaces.wire.shown import shown
from memory.interfaces.wire.speaker import Speaker
from memory.interfaces.wire.values import value
from memory.interfaces.wire.woken import wake_after
from memory.models import Draft, Reader, Role, Scope
from memory.recall.query import Query
from memory.recall.query import prepare as prepare_query
from memory.sealing import opened
from memory.sharing import read, scratch, summaries
from memory.sharing import search as searching
from memory.sharing import write as writing
from memory.sharing.agents import agent_called, reader_of
from memory.sharing.checking import contradictions
from memory.sharing.rerank import rerank
from memory.sharing.search import Asked, FoundMemory
from memory.sharing.write import Blocked, Written
from tenants.answers import Refused
from tenants.caller import Caller
from tenants.context import within

CONTENT_LIMIT = 64 * 1024  # bytes of UTF-8
QUERY_LIMIT = 10_000  # bytes
MOST_HITS = 50
EMBED_SECONDS = 10.0
TTL_LIMIT = 366 * 24 * 3600  # seconds that a scratch value may live
ROLES = [role.value for role in Role]


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


class SharedMemory(Speaker):
    """The operations, as one caller may use them."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller

    def write(self, body: fields.Body) -> Written | Blocked:
        """`{content, agentId, scope?, role?, workflowId?, expiresAt?, factKey?}`."""
        agent, draft = self.draft_in(body)
        prepared = prepared_for(agent, draft, space=self.space())
        done = writing.write(prepared, tenant_id=self.caller.tenant_id, by=self.caller.actor)
        wake_after(self.caller.tenant_id, is_embedded=prepared.vector is not None)
        return done

    def search(self, body: fields.Body) -> list[dict[str, Any]]:
        """`{query, agentId, topK=5, scope?, workflowId?, atTime?, rerank=false}` → hits."""
        wanted = self.wanted_in(body)
        query = prepare_query(wanted.text, space=self.space(), timeout=EMBED_SECONDS)
        return found(wanted, query, tenant_id=self.caller.tenant_id)

    def get(self, uid: UUID | None) -> dict[str, Any] | None:
        """One memory; None when there is none in sight. Its reader has seen it then."""
        with within(self.caller.tenant_id):
            reader = self.reader()
            memory = read.one(reader, uid)
            if memory is None:
                return None
            if reader.writer_id is not None:
                searching.learn(agent_called(self.caller.shared_agent), [memory])
            ((_, text),) = opened([memory])
        return shown(memory, text)

    def became(self, uid: UUID | None) -> str | None:
        """Of a write that was blocked under this id: "pending", or how it ended (G16)."""
        with within(self.caller.tenant_id):
            return read.waiting(uid)

    def delete(self, uid: UUID | None) -> bool:
        """End a memory softly; whether there was one in sight."""
        with within(self.caller.tenant_id):
            reader = self.reader()
            memory = read.one(reader, uid)
            if memory is not None and reader.writer_id not in (None, memory.writer_id):
                raise PermissionDenied("another agent wrote it: this key deletes its own only")
            done = read.delete(reader, uid, by=self.caller.actor)
        wake_after(self.caller.tenant_id)
        return done

    def history(self, uid: UUID | None) -> dict[str, Any] | None:
        """`{memory, supersededBy, supersedes}`, one level each way."""
        with within(self.caller.tenant_id):
            found = read.history(self.reader(), uid)
            if found is None:
                return None
            later = [found.superseded_by] if found.superseded_by is not None else []
            lines = [shown(*each) for each in opened([found.memory, *later, *found.supersedes])]
        return {
            "memory": lines[0],
            "supersededBy": lines[1] if later else None,
            "supersedes": lines[1 + len(later) :],
        }

    def conflicts(self, body: fields.Body) -> dict[str, Any]:
        """`{content, agentId, workflowId?, scope?}` → what it would contradict."""
        agent = self.named_agent_in(body)
        conflicts, fell_back = contradictions(
            fields.text(body, "content", limit=CONTENT_LIMIT),
            agent=agent,
            workflow=fields.name(body, "workflowId", required=False),
            scope=self.scope_in(body),
            tenant_id=self.caller.tenant_id,
            space=self.space(),
        )
        answer: dict[str, Any] = {"conflicts": [each.as_json() for each in conflicts]}
        return answer if fell_back is None else answer | {"fellBack": fell_back}

    def summarize(self, workflow: str, body: fields.Body) -> dict[str, Any]:
        """`{agentId?}` → the brief of what that agent sees of the workflow, or the key itself."""
        agent = self.agent_in(body, required=False)

        def reader() -> Reader:
            if agent is None:
                return self.reader(workflow=workflow)
            scope = self.caller.scope or None
            return reader_of(agent_called(agent), workflow=workflow, scope=scope)

        made = summaries.summarize(reader, tenant_id=self.caller.tenant_id)
        return {"summary": made.text} | ({"fellBack": made.fell_back} if made.fell_back else {})

    def scratch_set(self, body: fields.Body) -> dict[str, Any]:
        """`{workflowId, key, value, ttl?}`."""
        workflow, key = fields.named(body, "workflowId"), fields.named(body, "key")
        kept, ttl = value(body, "value"), None
        if body.get("ttl") is not None:
            ttl = fields.whole(body, "ttl", least=1, most=TTL_LIMIT)
        with within(self.caller.tenant_id):
            scratch.put(workflow, key, kept, ttl=ttl)
        return {"ok": True}

    def scratch_get(self, body: fields.Body) -> dict[str, Any]:
        """`{workflowId, key}`; null when there is none."""
        workflow, key = fields.named(body, "workflowId"), fields.named(body, "key")
        with within(self.caller.tenant_id):
            return {"value": scratch.get(workflow, key)}

    def scratch_del(self, body: fields.Body) -> dict[str, Any]:
        """`{workflowId, key}`."""
        workflow, key = fields.named(body, "workflowId"), fields.named(body, "key")
        with within(self.caller.tenant_id):
            scratch.remove(workflow, key)
        return {"ok": True}

    def draft_in(self, body: fields.Body) -> tuple[str, Draft]:
        """Who writes what."""
        agent = self.named_agent_in(body)
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

    def wanted_in(self, body: fields.Body) -> Wanted:
        """Who asks what."""
        agent = self.named_agent_in(body)
        return Wanted(
            agent,
            fields.text(body, "query", limit=QUERY_LIMIT),
            fields.whole(body, "topK", least=1, most=MOST_HITS, default=5),
            fields.name(body, "workflowId", required=False),
            self.scope_in(body),
            fields.moment(body, "atTime"),
            fields.switch(body, "rerank"),
        )


def prepared_for(agent: str, draft: Draft, *, space: str) -> writing.Prepared:
    try:
        return writing.prepare(agent, draft, space=space, timeout=EMBED_SECONDS)
    except ValueError:
        raise Refused("expected a text that is not empty", field="content") from None


_UNREAD: dict[str, Any] = {"content": None, "description": ""}


def written(done: Written | Blocked, *, scope: str = "") -> dict[str, Any]:
    """`scope` is what the caller's key is narrowed to: another's texts are not for it to read."""
    if isinstance(done, Written):
        answer: dict[str, Any] = {"writeId": str(done.id)}
        return answer | {"duplicate": True} if done.is_duplicate else answer
    blocked: dict[str, Any] = {
        "error": "Write blocked by conflict resolution policy",
        "policy": done.policy,
        "conflicts": [
            each.as_json() | ({} if scope in ("", each.memory.scope) else _UNREAD)
            for each in done.found
        ],
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
