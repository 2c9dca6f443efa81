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
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError

from memory.models import Presence, Reader
from memory.recall import profile
from memory.recall.deadline import OutOfTime, name_of, within_time
from memory.recall.formats import Entry, Reason, Shown
from memory.recall.fusion import best_of
from memory.recall.presence import any_in, folded
from memory.recall.profile import Profile
from memory.recall.query import Query, prepare
from memory.recall.sections import Item, Sections, block_of
from memory.recall.sight import EVERYWHERE, GROUP, HERE, KNOWLEDGE, Visible, visible
from memory.recall.wide import saw
from tenants.answers import places
from tenants.context import current_tenant
from tenants.prepared import prepared

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
    if standing is None or not (standing.reasons or query.asks or standing.has_profile):
        return Recalled()
    check()
    known = Profile()
    if standing.has_profile:
        with _timed(steps, "profile"):
            known = profile.read(reader, at)
    with _timed(steps, "search"):
        found = _found(rows, query, Presence.ON_DEMAND, list(standing.reasons))
        of_person = {
            group: _found(rows, query, group, []) for group in standing.of_person if query.asks
        }
    with _timed(steps, "format"):
        chosen = [_choose(row, standing.reasons.get(row.id)) for row in found]
        chosen += [_choose(row, None) for group in of_person.values() for row in group]
        chosen += [_of_profile(entry) for entry in known.entries]
        block = block_of(
            Sections(
                knowledge=[_item(row) for row in found if _is_knowledge(row, standing)],
                information=[_item(row) for row in of_person.get(EVERYWHERE, ())],
                profile=profile.items(known.entries),
                profile_more=known.more,
                context=[_item(row) for row in of_person.get(HERE, ())],
                tree=[
                    Entry(row.id, row.key, row.description, row.content, one.reason)
                    for row, one in zip(found, chosen, strict=False)
                    if one.reason != "knowledge"
                ],
            ),
            budget=settings.RECALL_TOKENS,
            omnipresent=settings.OMNIPRESENT_TOKENS,
            information_characters=settings.PROFILE_CHARACTERS,
        )
        memories = [replace(one, shown=block.shown.get(one.id, "hidden")) for one in chosen]
    return Recalled(
        block=block.text,
        memories=tuple(memory for memory in memories if memory.shown != "hidden"),
        hidden=tuple(memory for memory in memories if memory.shown == "hidden"),
        tokens=block.tokens,
    )


@dataclass(frozen=True)
class _Standing:
    """What needs no search, and which stores about the person there are to search."""

    reasons: dict[int, Reason]
    of_person: tuple[str, ...]
    has_profile: bool = False  # all of it is shown, instead of what a search finds of it


def _standing(reader: Reader, query: Query, rows: Visible) -> _Standing | None:
    """Knowledge, omnipresent and triggered memories; None when a switch is off.

    One statement: the switches of tenant, agent and person, and the rows beside them.
    """
    with prepared() as cursor:
        cursor.execute(
            _STANDING.format(visible=rows.sql, group=GROUP),
            [*rows.values, reader.agent_id, reader.agent_id, reader.visitor_id],
        )
        found = cursor.fetchall()
    if not found or not found[0][0]:
        return None
    text = folded(query.message)
    reasons: dict[int, Reason] = {}
    of_person = []
    has_profile = False
    for _, has_tools, pk, group, patterns in found:
        if group == Presence.OMNIPRESENT:
            reasons[pk] = "omnipresent"
        elif group == Presence.PATTERN and any_in(patterns, text):
            reasons[pk] = "triggered"
        elif group == KNOWLEDGE:
            reasons[pk] = "knowledge"
        elif group == EVERYWHERE and has_tools:
            has_profile = True
        elif group in (EVERYWHERE, HERE):
            of_person.append(group)
    return _Standing(reasons, tuple(of_person), has_profile)


class _Row(NamedTuple):
    """A memory as read for the block, with what the search said of it."""

    id: int
    key: str
    description: str
    content: str
    version: int
    tag: str
    rank: int
    score: float | None
    by_meaning: bool
    by_words: bool
    n: float  # how large the scope is that was searched


def _found(rows: Visible, query: Query, group: str, standing: list[int]) -> list[_Row]:
    """What was searched for in one group, above the floor, and the standing rows, with text."""
    best, values = best_of(rows, query, limit=settings.RECALL_K, groups=[group])
    with prepared() as cursor:
        cursor.execute(best + _TEXTS.format(visible=rows.sql), [*values, standing, *rows.values])
        found = [_Row(*row) for row in cursor.fetchall()]
    if found:
        saw(rows, [group], found[0].n)
    return found


def _is_knowledge(row: _Row, standing: _Standing) -> bool:
    return standing.reasons.get(row.id) == "knowledge"


def _item(row: _Row) -> Item:
    return Item(row.id, row.content, row.tag)


def _of_profile(entry: profile.Entry) -> RecalledMemory:
    return RecalledMemory(
        id=entry.id,
        key="",
        text=entry.content,
        reason="profile",
        score=None,
        version=entry.version,
        leg="",
        rank=None,
        shown="hidden",
    )


def _choose(row: _Row, reason: Reason | None) -> RecalledMemory:
    legs = [
        name for name, found in (("semantic", row.by_meaning), ("keyword", row.by_words)) if found
    ]
    return RecalledMemory(
        id=row.id,
        key=row.key,
        text=row.content,
        reason=reason or "searched",
        score=None if row.score is None else round(row.score, 6),
        version=row.version,
        leg="+".join(legs),
        rank=None if row.score is None else row.rank,
        shown="hidden",
    )


# A visitor who is gone has no switch and no rows; an agent that is gone has nothing to say.
_STANDING = """
WITH seen AS MATERIALIZED (
    SELECT id, {group} AS grouped, trigger_patterns FROM ({visible}) seen
    WHERE kind <> 'learned' OR presence <> 'on-demand'
)
SELECT tenant.memory_enabled
       AND (%s::bigint IS NULL OR coalesce(agent.memory_enabled, false))
       AND coalesce(visitor.use_memory_in_responses, true),
       coalesce(agent.tools, false),
       standing.id, standing.grouped, standing.trigger_patterns
FROM tenants_tenant tenant
LEFT JOIN agents_agent agent ON agent.id = %s
LEFT JOIN agents_visitor visitor ON visitor.id = %s
LEFT JOIN (
    SELECT id, grouped, trigger_patterns FROM seen WHERE grouped NOT IN ('everywhere', 'here')
    UNION ALL
    SELECT NULL, grouped, NULL FROM seen WHERE grouped IN ('everywhere', 'here') GROUP BY grouped
) standing ON true
ORDER BY standing.grouped, standing.id
"""
# Row by row (OFFSET 0): few are chosen, and a join would be thought about longer than it takes.
_TEXTS = """
, chosen AS MATERIALIZED (
    SELECT id, score, cosine, share FROM best
    UNION ALL
    SELECT id, NULL, NULL, NULL FROM unnest(%s::bigint[]) AS standing(id)
    WHERE id NOT IN (SELECT id FROM best)
)
SELECT chosen.id, seen.key, seen.description, seen.content, seen.version,
       coalesce((SELECT name FROM memory_category c WHERE c.id = seen.category_id), ''),
       rank() OVER (ORDER BY score DESC NULLS LAST, chosen.id),
       score, cosine IS NOT NULL, share IS NOT NULL, (SELECT n FROM size)
FROM chosen CROSS JOIN LATERAL (
    SELECT key, description, content, version, category_id FROM ({visible}) one
    WHERE one.id = chosen.id OFFSET 0
) seen
ORDER BY score DESC NULLS FIRST, chosen.id
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
