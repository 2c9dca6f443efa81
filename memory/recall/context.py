"""What a prompt is told of memory before the model runs: chosen by presence, shown in a budget.

`prepare` embeds outside any block; `recall` reads inside one. Whatever goes wrong with memory, a
conversation goes on: the fault is kept in the answer, logged with ids and stored with the trace.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from memory.models import Presence, Reader
from memory.recall.deadline import OutOfTime, name_of, within_time
from memory.recall.formats import Entry, Reason, Shown, render
from memory.recall.presence import any_in, folded
from memory.recall.query import Query, prepare
from memory.recall.search import Visible, best_of, visible
from tenants.answers import places
from tenants.context import current_tenant

__all__ = ["Query", "Recalled", "RecalledMemory", "prepare", "recall"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RecalledMemory:
    """One memory that was chosen. `leg`, `rank` and `score` say how a search found it."""

    id: int
    key: str
    text: str
    reason: Reason
    score: float | None
    version: int
    leg: str
    rank: int | None
    shown: Shown


@dataclass(frozen=True)
class Recalled:
    """`block` goes into the prompt as it is; "" means there is nothing to say.

    `memories` are those that the block shows, in the order they were chosen; `hidden` those that
    had no room. `failed` names what went wrong, if anything did: the block may still hold what
    was found without it. `steps` are milliseconds.
    """

    block: str = ""
    memories: tuple[RecalledMemory, ...] = ()
    failed: str | None = None
    tokens: int = 0
    steps: dict[str, float] = field(default_factory=dict)
    hidden: tuple[RecalledMemory, ...] = ()


def recall(
    reader: Reader,
    query: Query,
    *,
    deadline: float | None = None,
    at: datetime | None = None,
) -> Recalled:
    """The block for a message, inside the tenant's block. Never raises for a fault of memory.

    `deadline` is an instant of `time.monotonic()`; without one RECALL_TIMEOUT counts from now.
    Postgres itself stops at the deadline, and the transaction remains usable.
    """
    if deadline is None:
        deadline = time.monotonic() + settings.RECALL_TIMEOUT.total_seconds()
    steps = {"embed": round(query.embed_ms, 3)}
    found, failed = Recalled(), query.failed
    try:
        with within_time(deadline) as check:
            found = _recalled(reader, query, at, check, steps)
    except OutOfTime:
        failed = "timeout"
    except DatabaseError as error:
        failed = name_of(error)
    except Exception as error:  # a fault of ours must not cost the visitor the reply
        logger.warning("recall failed: %s %s", places(error), _ids(reader))
        return replace(found, failed=type(error).__name__, steps=steps)
    if failed:
        logger.warning("recall failed: %s %s", failed, _ids(reader))
    return replace(found, failed=failed, steps=steps)


def _recalled(
    reader: Reader,
    query: Query,
    at: datetime | None,
    check: Callable[[], None],
    steps: dict[str, float],
) -> Recalled:
    with _timed(steps, "standing"):
        rows = visible(reader, at)
        standing = _standing(reader, query, rows)
    if standing is None or not (standing or query.asks):
        return Recalled()
    check()
    with _timed(steps, "search"):
        found = _found(rows, query, list(standing))
    with _timed(steps, "format"):
        chosen = [_choose(row, standing.get(row[0])) for row in found]
        rendered = render(
            [
                Entry(one.id, one.key, row[2], one.text, one.reason)
                for one, row in zip(chosen, found, strict=True)
            ],
            budget=settings.RECALL_TOKENS,
            omnipresent=settings.OMNIPRESENT_TOKENS,
        )
        memories = [replace(one, shown=rendered.shown[one.id]) for one in chosen]
    return Recalled(
        block=rendered.block,
        memories=tuple(memory for memory in memories if memory.shown != "hidden"),
        hidden=tuple(memory for memory in memories if memory.shown == "hidden"),
        tokens=rendered.tokens,
    )


def _standing(reader: Reader, query: Query, rows: Visible) -> dict[int, Reason] | None:
    """Omnipresent and triggered memories; None when a switch is off.

    One statement: the switches of tenant, agent and person, and the rows beside them.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _STANDING.format(visible=rows.sql),
            [reader.agent_id, reader.agent_id, reader.visitor_id, *rows.values],
        )
        found = cursor.fetchall()
    if not found or not found[0][0]:
        return None
    text = folded(query.message)
    standing: dict[int, Reason] = {}
    for _, pk, presence, patterns in found:
        if presence == Presence.OMNIPRESENT:
            standing[pk] = "omnipresent"
        elif presence == Presence.PATTERN and any_in(patterns, text):
            standing[pk] = "triggered"
    return standing


def _found(rows: Visible, query: Query, standing: list[int]) -> list[tuple[Any, ...]]:
    """What was searched for, found above the floor, and the standing rows, with their text."""
    best, values = best_of(rows, query, limit=settings.RECALL_K, presences=[Presence.ON_DEMAND])
    with connection.cursor() as cursor:
        cursor.execute(best + _TEXTS.format(visible=rows.sql), [*values, *rows.values, standing])
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _choose(row: tuple[Any, ...], reason: Reason | None) -> RecalledMemory:
    pk, key, _, content, version, rank, score, by_meaning, by_words = row
    legs = [name for name, found in (("semantic", by_meaning), ("keyword", by_words)) if found]
    return RecalledMemory(
        id=pk,
        key=key,
        text=content,
        reason=reason or "searched",
        score=None if score is None else round(score, 6),
        version=version,
        leg="+".join(legs),
        rank=None if score is None else rank,
        shown="hidden",
    )


# A visitor who is gone has no switch and no rows; an agent that is gone has nothing to say.
_STANDING = """
SELECT tenant.memory_enabled
       AND (%s::bigint IS NULL OR coalesce(agent.memory_enabled, false))
       AND coalesce(visitor.use_memory_in_responses, true),
       standing.id, standing.presence, standing.trigger_patterns
FROM tenants_tenant tenant
LEFT JOIN agents_agent agent ON agent.id = %s
LEFT JOIN agents_visitor visitor ON visitor.id = %s
LEFT JOIN (
    SELECT id, presence, trigger_patterns FROM ({visible}) seen
    WHERE presence IN ('omnipresent', 'pattern')
) standing ON true
"""
_TEXTS = """
SELECT seen.id, seen.key, seen.description, seen.content, seen.version,
       rank() OVER (ORDER BY best.score DESC NULLS LAST, best.id),
       best.score, best.cosine IS NOT NULL, best.share IS NOT NULL
FROM ({visible}) seen LEFT JOIN best ON best.id = seen.id
WHERE seen.id = ANY(%s::bigint[] || ARRAY(SELECT id FROM best))
ORDER BY best.score DESC NULLS FIRST, seen.id
"""


@contextmanager
def _timed(steps: dict[str, float], name: str) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        steps[name] = round((time.perf_counter() - started) * 1000, 3)


def _ids(reader: Reader) -> str:
    return f"tenant={current_tenant()} agent={reader.agent_id} visitor={reader.visitor_id}"
