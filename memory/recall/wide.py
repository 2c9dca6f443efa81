"""A large scope: the nearest of each leg by the indexes, so that not every row is weighed.

Up to `EXACT` rows, and wherever no HNSW index was built, everything in the scope is compared and
nothing here runs. Beyond, each leg names its nearest, among the rows in sight, and those are then
weighed exactly as in a small scope. That a scope is large is learned from a search of it (`saw`),
so a small one pays no statement for the question. What is counted over the whole scope (its size,
how many texts hold a word) is kept for a minute: at that size a few texts change nothing.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from memory.recall.query import Query, as_literal
from memory.recall.sight import Visible, among
from memory.recall.vector_index import VectorIndex, is_built
from tenants.context import current_tenant

EXACT = 20_000  # rows: where the indexes begin to be faster (docs/retrieval.md)
NEAREST = 100  # of each leg, or four times what is asked for
_EF, _SCANNED = 350, 60_000
_OF_BEST = 5  # times as many of the best by words are looked at as are wanted
_READ = 20_000  # postings of the rarer words that are added up
_KEPT_FOR = 60.0  # seconds
_KEPT = 2_000


@dataclass(frozen=True)
class Candidates:
    """The rows worth weighing, and what was counted over the whole scope."""

    ids: list[int]
    n: int
    length: float
    held: list[int]  # for each term of the query, how many texts have it


@dataclass(frozen=True)
class _Size:
    n: int
    length: float
    at: float


_large: dict[Any, float] = {}  # scopes that were seen to be large, and when
_sizes: dict[Any, _Size] = {}
_held: dict[Any, tuple[int, float]] = {}


def forget() -> None:
    """What was counted: for tests, whose tenants come and go."""
    _large.clear()
    _sizes.clear()
    _held.clear()


def candidates(
    rows: Visible, query: Query, words: Sequence[str], wanted: list[str], limit: int
) -> Candidates | None:
    """None where everything in the scope is to be weighed. Inside `within`."""
    if query.vector is None or _key(rows, wanted) not in _large:
        return None
    index = VectorIndex(query.space, "memory")
    if not is_built(index):
        return None
    size = _size(rows, wanted)
    if size.n <= EXACT:
        return None
    most = max(NEAREST, 4 * limit)
    near = _nearest(rows, wanted, as_literal(query.vector), index, most)
    if len(near) < most:
        return None  # the index was not walked to its end: rather slow than too few
    held = _counted(words)
    ids = dict.fromkeys([*near, *_worded(rows, wanted, words, held, size.n, most)])
    return Candidates(list(ids), size.n, size.length, [min(count, size.n) for count in held])


def saw(rows: Visible, wanted: Sequence[str], n: float) -> None:
    """How many rows a search of this scope looked at."""
    if n > EXACT:
        _keep(_large, _key(rows, wanted), time.monotonic())


def _key(rows: Visible, wanted: Sequence[str]) -> Any:
    return current_tenant(), rows.sql, rows.values, tuple(wanted)


def _size(rows: Visible, wanted: list[str]) -> _Size:
    key, now = _key(rows, wanted), time.monotonic()
    known = _sizes.get(key)
    if known is not None and now - known.at < _KEPT_FOR:
        return known
    with connection.cursor() as cursor:
        scope = _SCOPE.format(visible=rows.sql, wanted=among(wanted))
        cursor.execute(_WHOLE.format(scope=scope), rows.values)
        n, length = cursor.fetchone()
        size = _Size(n, length, now)
    if size.n > EXACT:
        _keep(_sizes, key, size)
    else:
        _large.pop(key, None)
    return size


def _nearest(
    rows: Visible, wanted: list[str], vector: str, index: VectorIndex, most: int
) -> list[int]:
    """By meaning: the index is walked until enough of what it gives is in sight."""
    with connection.cursor() as cursor:
        cursor.execute(_WALK, [str(max(_EF, most)), str(_SCANNED)])
        before = cursor.fetchone()
        cursor.execute(
            _NEAR.format(
                type=index.type,
                seen=_SEEN.format(visible=rows.sql, wanted=among(wanted), id="v.memory_id"),
            ),
            [*rows.values, index.space, vector, most],
        )
        found = [row[0] for row in cursor.fetchall()]
        cursor.execute(_WALKED, before)
    return found


def _counted(words: Sequence[str]) -> list[int]:
    """How many memories of the tenant hold each word."""
    tenant, now = current_tenant(), time.monotonic()
    missing = [
        word
        for word in words
        if (tenant, word) not in _held or now - _held[tenant, word][1] > _KEPT_FOR
    ]
    if missing:
        with connection.cursor() as cursor:
            cursor.execute(_HELD, [missing])
            for word, count in cursor.fetchall():
                _keep(_held, (tenant, word), (count, now))
    return [_held[tenant, word][0] for word in words]


def _worded(
    rows: Visible,
    wanted: list[str],
    words: Sequence[str],
    held: Sequence[int],
    n: int,
    most: int,
) -> list[int]:
    """By words: the rarer ones name the rows, as many postings as may be read."""
    chosen: list[tuple[str, float]] = []
    read = 0
    for count, word in sorted(zip(held, words, strict=True)):
        if chosen and read + count > _READ:
            break
        if count:
            chosen.append((word, math.log(1 + (max(n - count, 0) + 0.5) / (count + 0.5))))
            read += count
    if not chosen:
        return []
    asked = [*map(list, zip(*chosen, strict=True))]
    statement = _WORDED.format(seen=_SEEN.format(visible=rows.sql, wanted=among(wanted), id="w.id"))
    # Most of the best are in sight: only where they are not, all that have a word are gone through
    # in their order.
    best = _OF_BEST * most
    found: list[int] = []
    with connection.cursor() as cursor:
        for looked_at in [best, None] if read > best else [None]:
            cursor.execute(statement, [*asked, looked_at, *rows.values, most])
            found = [row[0] for row in cursor.fetchall()]
            if len(found) == most:
                break
    return found


def _keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    if len(kept) >= _KEPT:
        kept.clear()
    kept[key] = value


_SCOPE = "SELECT length FROM ({visible}) seen WHERE {wanted}"
_WHOLE = "SELECT count(*), greatest(avg(length), 1)::float8 FROM ({scope}) whole"
# Row by row: is this one in sight? OFFSET 0 keeps it from becoming a join with all that is.
_SEEN = """LATERAL (
    SELECT FROM ({visible}) seen WHERE seen.id = {id} AND ({wanted}) OFFSET 0
) seen"""
_NEAR = """
SELECT v.memory_id FROM memory_memoryvector v, {seen}
WHERE v.space = %s AND v.memory_id IS NOT NULL
ORDER BY v.vector::{type} <=> %s::{type} LIMIT %s
"""
_HELD = """
SELECT term, (SELECT count(*) FROM memory_posting p
              WHERE p.term = asked.term AND p.memory_id IS NOT NULL)
FROM unnest(%s::text[]) AS asked(term)
"""
_WORDED = """
SELECT w.id FROM (
    SELECT p.memory_id AS id, sum(rarity * p.count / (p.count + 0.9::float8)) AS share
    FROM unnest(%s::text[], %s::float8[]) AS asked(term, rarity)
    JOIN memory_posting p ON p.term = asked.term AND p.memory_id IS NOT NULL
    GROUP BY p.memory_id ORDER BY share DESC, id LIMIT %s
) w, {seen}
ORDER BY w.share DESC, w.id LIMIT %s
"""
# The planner may not think better of it: the index is walked in its order, and nothing is sorted.
_WALK = """
WITH before AS MATERIALIZED (
    SELECT coalesce(current_setting('hnsw.ef_search', true), '40') AS ef,
           coalesce(current_setting('hnsw.max_scan_tuples', true), '20000') AS scanned,
           coalesce(current_setting('hnsw.iterative_scan', true), 'off') AS iterative,
           current_setting('enable_sort') AS sort, current_setting('enable_seqscan') AS seqscan
)
SELECT ef, scanned, iterative, sort, seqscan FROM before,
       LATERAL (SELECT set_config('hnsw.ef_search', %s, true),
                       set_config('hnsw.max_scan_tuples', %s, true),
                       set_config('hnsw.iterative_scan', 'relaxed_order', true),
                       set_config('enable_sort', 'off', true),
                       set_config('enable_seqscan', 'off', true)
               WHERE ef IS NOT NULL OFFSET 0) setting
"""
_WALKED = """
SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.max_scan_tuples', %s, true),
       set_config('hnsw.iterative_scan', %s, true), set_config('enable_sort', %s, true),
       set_config('enable_seqscan', %s, true)
"""
