"""One search of shared memory: three legs, fused by rank, within what the agent sees."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from memory import clocks
from memory.models import Memory, Reader, SharedAgent
from memory.recall import search as legs
from memory.recall.query import Query
from memory.recall.search import Hit
from memory.recall.sight import Visible, narrowed, visible
from memory.sealing import is_readable, key_in_use, opened
from memory.sharing import usage
from memory.sharing.agents import agent_called, reader_of
from memory.sharing.contradicted import GROUPS
from memory.sharing.graph.walk import nearest
from tenants.context import within

GRAPH_DEPTH = 100  # memories that the graph leg brings, at most
RERANKED = 30  # hits that a rerank looks at, at most


@dataclass(frozen=True)
class Asked:
    """`agent` is a name; `workflow` and `scope` narrow; `at` asks what was true and known then."""

    agent: str
    query: Query
    limit: int
    workflow: str | None = None
    scope: str | None = None
    at: datetime | None = None


@dataclass(frozen=True)
class FoundMemory:
    """A hit with its memory and its text, opened if it is sealed."""

    memory: Memory
    text: str
    hit: Hit


def search(asked: Asked, *, tenant_id: int) -> list[FoundMemory]:
    """The best hits with their memories, and what they teach the agent's clock (D32).

    The query was embedded outside. One block, which writes only what was news.
    """
    with within(tenant_id):
        _wait_for_no_disk()
        agent = agent_called(asked.agent)
        reader = reader_of(agent, workflow=asked.workflow, scope=asked.scope)
        rows = _in_sight(agent, reader, asked)
        found = legs.search_in(
            rows,
            asked.query,
            limit=asked.limit,
            groups=GROUPS,
            fusion="rrf",
            graph=nearest(rows, asked.query.message, limit=GRAPH_DEPTH),
        )
        texts = _read([hit.id for hit in found])
        hits = [FoundMemory(*texts[hit.id], hit) for hit in found if hit.id in texts]
        learn(agent, [each.memory for each in hits])
        usage.count(asked.workflow, searches=1)
    return hits


def _wait_for_no_disk() -> None:
    """What a search writes, lessons and counters, may be lost in a crash: nobody waits for it."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit TO off")


def learn(agent: SharedAgent, memories: Sequence[Memory]) -> None:
    """What an agent was given it has seen. Inside `within`."""
    clocks.learn(agent.pk, agent.name, [(m.scope, m.clock or {}) for m in memories])


def _in_sight(agent: SharedAgent, reader: Reader, asked: Asked) -> Visible:
    """What the agent sees and can read: texts sealed under a key that is gone are skipped."""
    if agent.sees is not None and not agent.sees.has_keys:
        return visible(reader, asked.at)
    return narrowed(reader, asked.at, is_readable(key_in_use()))


def _read(ids: Sequence[int]) -> dict[int, tuple[Memory, str]]:
    """With the writer's name and the text. Only what a search shows is read of each."""
    rows = list(Memory.objects.raw(_READ, [list(ids)]))
    for row in rows:
        row.writer = SharedAgent(pk=row.writer_id, name=row.writer_name)  # type: ignore[attr-defined]
        later = row.superseded_by_id
        row.superseded_by = None if later is None else Memory(pk=later, uid=row.later_uid)  # type: ignore[attr-defined]
    return {memory.pk: (memory, text) for memory, text in opened(rows) if text is not None}


# By hand: to compile it would take longer than to run it.
_READ = """
SELECT m.id, m.tenant_id, m.uid, m.content, m.sealed, m.writer_id, m.scope, m.role, m.workflow,
       m.fact_key, m.clock, m.extracted, m.version, m.created_at, m.expires_at, m.valid_from,
       m.valid_to, m.deleted_at, m.superseded_by_id, writer.name AS writer_name,
       later.uid AS later_uid
FROM memory_memory m
JOIN memory_sharedagent writer ON writer.id = m.writer_id
LEFT JOIN memory_memory later ON later.id = m.superseded_by_id
WHERE m.id = ANY(%s)
"""
