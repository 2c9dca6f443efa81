"""Why a recall brought what it brought: the same recall, and beside it what stayed out and why.

For people at a page. `recall` itself runs untouched, so the block is exactly the prompt's; a few
statements more look at what its search passed over.
"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from memory.models import Memory, Presence, Reader
from memory.recall.calibration import calibration_of
from memory.recall.context import Query, Recalled, RecalledMemory, recall
from memory.recall.deadline import name_of
from memory.recall.fusion import best_of
from memory.recall.presence import any_in, folded
from memory.recall.search import ABOVE, COLUMNS, Leg, hit_of
from memory.recall.sight import EVERYWHERE, HERE, Visible, visible

NEAREST = 5  # told beyond what was found, in each group
UNTRIGGERED = 20  # pattern memories told without their trigger in the message

Why = Literal["below the floor", "beyond the nearest", "no trigger"]
Switch = Literal["organisation", "agent", "person"]


@dataclass(frozen=True)
class Passed:
    """A memory the reader may see that was not chosen. Scores where the search gave one."""

    id: int
    key: str
    text: str
    why: Why
    score: float | None = None
    floor: float | None = None  # what the score had to reach
    legs: tuple[Leg, ...] = ()
    triggers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chosen:
    """A memory of the block, or one that had no room, with how each leg saw it."""

    memory: RecalledMemory
    legs: tuple[Leg, ...] = ()


@dataclass(frozen=True)
class Unseen:
    """How many memories of the agent lie outside this conversation, and why."""

    of_others: int = 0
    ended: int = 0
    later: int = 0  # made after the instant that was asked about


@dataclass(frozen=True)
class Explained:
    """`off` names the switches that keep memory out. `failed`: only the looking around failed."""

    recalled: Recalled
    chosen: tuple[Chosen, ...] = ()
    passed: tuple[Passed, ...] = ()
    untriggered: int = 0  # how many there are; `passed` names the first
    off: tuple[Switch, ...] = ()
    unembedded: int = 0  # in sight, but without a vector of the query's space yet
    unseen: Unseen = Unseen()
    changed_since: frozenset[int] = frozenset()  # shown as they were: the text is another today
    failed: str | None = None


def explain(
    reader: Reader, query: Query, *, deadline: float | None = None, at: datetime | None = None
) -> Explained:
    """Recall, and look at what it left out; inside `within`, for a reader of a chat."""
    recalled = recall(reader, query, deadline=deadline, at=at)
    try:
        with transaction.atomic():
            return _around(recalled, reader, query, at)
    except DatabaseError as error:
        every = (*recalled.memories, *recalled.hidden)
        return Explained(recalled, tuple(map(Chosen, every)), failed=name_of(error))


def _around(recalled: Recalled, reader: Reader, query: Query, at: datetime | None) -> Explained:
    off, unseen = _off(reader), _unseen(reader, at)
    if off:
        return Explained(recalled, off=off, unseen=unseen)
    rows = visible(reader, at)
    every = (*recalled.memories, *recalled.hidden)
    have = {memory.id for memory in every}
    legs: dict[int, tuple[Leg, ...]] = {}
    passed: list[Passed] = []
    for group in (Presence.ON_DEMAND, EVERYWHERE, HERE):
        found = _nearest(rows, query, group)
        legs |= {near.id: near.legs for near in found}
        passed += [near for near in found if near.id not in have]
    silent, count = _silent(rows, query)
    return Explained(
        recalled=recalled,
        chosen=tuple(Chosen(memory, legs.get(memory.id, ())) for memory in every),
        passed=(*passed, *silent),
        untriggered=count,
        unembedded=_unembedded(rows, query.space),
        unseen=unseen,
        changed_since=_changed(every) if at is not None else frozenset(),
    )


_EVIDENCE = 6  # its place in a row of COLUMNS


def _nearest(rows: Visible, query: Query, group: str) -> list[Passed]:
    """The nearest of a group whatever their score."""
    limit = settings.RECALL_K + NEAREST
    best, values = best_of(rows, query, limit=limit, groups=[group], floored=False)
    if not values:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            best + ABOVE + _NEAREST.format(columns=COLUMNS, visible=rows.sql),
            [*values, *rows.values],
        )
        found = cursor.fetchall()
    calibration = calibration_of(query.space)
    nearest = []
    most = max((row[_EVIDENCE] for row in found), default=0.0)
    for rank, (*hit, n, key, text) in enumerate(found, start=1):
        floor = calibration.floor + calibration.growth * math.log(n + 3)
        if most >= floor:  # the best is over it: the others may follow
            floor *= calibration.tail
        seen = hit_of(tuple(hit), rank)
        why: Why = "below the floor" if seen.evidence < floor else "beyond the nearest"
        nearest.append(Passed(seen.id, key, text, why, seen.evidence, round(floor, 6), seen.legs))
    return nearest


def _silent(rows: Visible, query: Query) -> tuple[list[Passed], int]:
    """Pattern memories none of whose triggers stands in the message."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, key, content, trigger_patterns FROM ({rows.sql}) seen "  # noqa: S608
            "WHERE kind = 'learned' AND presence = 'pattern' ORDER BY id",
            rows.values,
        )
        found = cursor.fetchall()
    text = folded(query.message)
    silent = [row for row in found if not any_in(row[3], text)]
    told = [
        Passed(pk, key, content, "no trigger", triggers=tuple(triggers))
        for pk, key, content, triggers in silent[:UNTRIGGERED]
    ]
    return told, len(silent)


def _unembedded(rows: Visible, space: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_UNEMBEDDED.format(visible=rows.sql), [*rows.values, space])
        return int(cursor.fetchone()[0])


def _off(reader: Reader) -> tuple[Switch, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_SWITCHES, [reader.agent_id, reader.visitor_id])
        row = cursor.fetchone() or (False, True, True)
    names: tuple[Switch, ...] = ("organisation", "agent", "person")
    return tuple(name for name, is_on in zip(names, row, strict=True) if not is_on)


def _unseen(reader: Reader, at: datetime | None) -> Unseen:
    with connection.cursor() as cursor:
        cursor.execute(_UNSEEN, [reader.visitor_id, at, at, reader.agent_id])
        return Unseen(*cursor.fetchone())


def _changed(memories: tuple[RecalledMemory, ...]) -> frozenset[int]:
    shown = {memory.id: memory.version for memory in memories}
    rows: Any = Memory.objects.filter(pk__in=shown).values_list("pk", "version")
    return frozenset(pk for pk, version in rows if version != shown[pk])


_NEAREST = """
SELECT {columns}, (SELECT n FROM size), seen.key, seen.content
FROM best JOIN ({visible}) seen USING (id) ORDER BY best.score DESC, best.id
"""
_UNEMBEDDED = """
SELECT count(*) FROM ({visible}) seen
WHERE NOT EXISTS (SELECT FROM memory_memoryvector v WHERE v.memory_id = seen.id AND v.space = %s)
"""
_SWITCHES = """
SELECT tenant.memory_enabled, coalesce(agent.memory_enabled, false),
       coalesce(visitor.use_memory_in_responses, true)
FROM tenants_tenant tenant
LEFT JOIN agents_agent agent ON agent.id = %s
LEFT JOIN agents_visitor visitor ON visitor.id = %s
"""
_UNSEEN = """
SELECT count(*) FILTER (WHERE is_live AND visitor_id IS NOT NULL
                        AND visitor_id IS DISTINCT FROM %s::bigint),
       count(*) FILTER (WHERE NOT is_live),
       count(*) FILTER (WHERE is_live AND created_at > %s::timestamptz)
FROM (
    SELECT visitor_id, created_at,
           coalesce(deleted_at, 'infinity') > moment AND coalesce(expires_at, 'infinity') > moment
           AND coalesce(valid_to, 'infinity') > moment AS is_live
    FROM memory_memory, coalesce(%s::timestamptz, statement_timestamp()) AS moment
    WHERE agent_id = %s
) every
"""
