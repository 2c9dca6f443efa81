"""One search of shared memory: three legs, fused by rank, within what the agent sees."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import prefetch_related_objects

from memory import clocks
from memory.models import Memory, Reader, SharedAgent
from memory.recall import search as legs
from memory.recall.query import Query
from memory.recall.search import Beside, Hit
from memory.recall.sight import Visible, narrowed, visible
from memory.sealing import is_readable, key_in_use, opened
from memory.sharing import usage
from memory.sharing.agents import agent_asking, reader_of
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

    The query was embedded outside. One block, which writes only what was news: lessons and
    counters, which may be lost in a crash, so nobody waits for the disk.
    """
    with within(tenant_id, is_durable=False):
        agent, named = agent_asking(asked.agent, asked.query.message)
        reader = reader_of(agent, workflow=asked.workflow, scope=asked.scope)
        rows = _in_sight(agent, reader, asked)
        found = legs.ranked_in(
            rows,
            asked.query,
            limit=asked.limit,
            groups=GROUPS,
            graph=nearest(rows, named, limit=GRAPH_DEPTH),
            beside=_BESIDE,
        )
        texts = opened(_memory(values) for _, values in found)
        hits = [
            FoundMemory(memory, text, hit)
            for (hit, _), (memory, text) in zip(found, texts, strict=True)
            if text is not None
        ]
        ended = [each.memory for each in hits if each.memory.superseded_by_id is not None]
        if ended:  # asked about an instant in the past
            prefetch_related_objects(ended, "superseded_by")
        learn(agent, [each.memory for each in hits])
        usage.count(asked.workflow, searches=1)
    return hits


def learn(agent: SharedAgent, memories: Sequence[Memory]) -> None:
    """What an agent was given it has seen. Inside `within`."""
    clocks.learn(agent.pk, agent.name, [(m.scope, m.clock or {}) for m in memories])


def _in_sight(agent: SharedAgent, reader: Reader, asked: Asked) -> Visible:
    """What the agent sees and can read: texts sealed under a key that is gone are skipped."""
    if agent.sees is not None and not agent.sees.has_keys:
        return visible(reader, asked.at)
    return narrowed(reader, asked.at, is_readable(key_in_use()))


# What a search shows of a memory. By hand: to compile it would take longer than to run it.
_SHOWN = {
    "id", "tenant_id", "uid", "content", "sealed", "writer_id", "scope", "role", "workflow",
    "fact_key", "clock", "extracted", "version", "created_at", "expires_at", "valid_from",
    "valid_to", "deleted_at", "superseded_by_id",
}  # fmt: skip
# In the model's own order, as `from_db` takes them.
_FIELDS = [f.attname for f in Memory._meta.concrete_fields if f.attname in _SHOWN]
_BESIDE = Beside(
    columns=", ".join(f"m.{field}" for field in _FIELDS) + ", writer.name",
    joins="""
        LEFT JOIN memory_memory m ON m.id = best.id
        LEFT JOIN memory_sharedagent writer ON writer.id = m.writer_id""",
)


def _memory(values: Sequence[Any]) -> Memory:
    """A memory as the search read it, with its writer's name."""
    *own, writer = values
    memory = Memory.from_db(connection.alias, _FIELDS, own)
    memory.clock = json.loads(memory.clock) if isinstance(memory.clock, str) else memory.clock
    memory.writer = SharedAgent(pk=memory.writer_id, name=writer)
    return memory
