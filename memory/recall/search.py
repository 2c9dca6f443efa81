"""One search over the memories a reader may see: keyword and semantic leg, fused, with a floor.

Both legs run in one statement, inside the scope only, so that what others have stored changes
neither rank nor score. The keyword leg is BM25 over `Posting`, term rarity and length counted
among the visible rows; the semantic leg is the exact cosine over `MemoryVector` of the query's
own space. A score means the same in every scope: how much of what a perfect match would reach,
so one floor holds for all (see `calibration`).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from memory.models import Memory, Presence, Reader
from memory.recall.calibration import calibration_of
from memory.recall.query import Query, as_literal

_QUERY_TERMS = 64  # of a long message the rarest would do; this many are looked at


@dataclass(frozen=True)
class Leg:
    """How one leg saw a hit. `score` is the leg's own: a cosine, or a share of the best BM25."""

    name: str
    rank: int
    score: float


@dataclass(frozen=True)
class Hit:
    """`score` lies in 0…1, `rank` starts at 1, `legs` are those that found it."""

    id: int
    score: float
    rank: int
    legs: tuple[Leg, ...]

    @property
    def leg(self) -> str:
        return "+".join(leg.name for leg in self.legs)


def search(
    reader: Reader,
    query: Query,
    *,
    limit: int,
    presences: Iterable[Presence] | None = None,
    at: datetime | None = None,
    min_score: float = 0.0,
) -> list[Hit]:
    """The nearest memories above the floor, best first, ties by id. One statement, inside `within`.

    A query with neither terms nor a vector finds nothing and asks nothing.
    """
    statement = statement_for(
        reader, query, limit=limit, presences=presences, at=at, min_score=min_score
    )
    if statement is None:
        return []
    with connection.cursor() as cursor:
        cursor.execute(*statement)
        return hits_of(cursor.fetchall())


def statement_for(
    reader: Reader,
    query: Query,
    *,
    limit: int,
    presences: Iterable[Presence] | None = None,
    at: datetime | None = None,
    min_score: float = 0.0,
) -> tuple[str, list[Any]] | None:
    """The statement of `search` and its parameters; None when there is nothing to ask with."""
    if limit < 1 or (query.vector is None and not query.terms):
        return None
    visible = Memory.objects.visible_to(reader, at)
    if presences is not None:
        visible = visible.filter(presence__in=[presence.value for presence in presences])
    scope, scope_values = visible.order_by().values("id", "length").query.sql_with_params()
    calibration = calibration_of(query.space)
    text, values = _SCOPE.format(scope=scope), list(scope_values)
    if query.terms:
        words = sorted(query.terms)[:_QUERY_TERMS]
        text += _KEYWORD
        values += [words, words]
    else:
        text += _NO_KEYWORD
    if query.vector is not None:
        text += _SEMANTIC
        values += [as_literal(query.vector), query.space]
    else:
        text += _NO_SEMANTIC
    semantic, keyword = calibration.semantic, calibration.keyword
    values += [semantic, calibration.far, calibration.near - calibration.far, keyword]
    values += [semantic + keyword, max(calibration.floor, min_score), limit]
    return text + _FUSED, values


def hits_of(rows: Iterable[tuple[Any, ...]]) -> list[Hit]:
    """The rows of `statement_for` as hits."""
    hits = []
    for rank, (pk, score, cosine, semantic_rank, share, keyword_rank) in enumerate(rows, start=1):
        legs = []
        if cosine is not None:
            legs.append(Leg("semantic", semantic_rank, round(cosine, 6)))
        if share is not None:
            legs.append(Leg("keyword", keyword_rank, round(share, 6)))
        if math.isfinite(score):
            hits.append(Hit(id=pk, score=round(score, 6), rank=rank, legs=tuple(legs)))
    return hits


_SCOPE = """
WITH scope AS MATERIALIZED ({scope})
"""

# BM25 with k1 = 1.2 and b = 0.5 (memories are short: length says little), as a share of what a text
# of average length reaches that has each of the six rarest words of the query once: a long message
# is not held to all its words.
_KEYWORD = """
, found AS MATERIALIZED (
    SELECT p.memory_id AS id, p.term, p.count, scope.length
    FROM memory_posting p JOIN scope ON scope.id = p.memory_id
    WHERE p.term = ANY(%s::text[])
), size AS (
    SELECT count(*)::float8 AS n, greatest(avg(length), 1)::float8 AS length FROM scope
), rarity AS (
    SELECT asked.term,
           ln(1 + (size.n - coalesce(held.n, 0) + 0.5) / (coalesce(held.n, 0) + 0.5)) AS idf
    FROM unnest(%s::text[]) AS asked(term) CROSS JOIN size
    LEFT JOIN (SELECT term, count(*) AS n FROM found GROUP BY term) held ON held.term = asked.term
), ideal AS (
    SELECT sum(idf) AS total
    FROM (SELECT idf FROM rarity ORDER BY idf DESC LIMIT 6) rarest
), keyword AS (
    SELECT found.id,
           least(1, sum(rarity.idf * found.count * (1 + 1.2)
               / (found.count + 1.2 * (0.5 + 0.5 * found.length / size.length)))
               / max(ideal.total)) AS share
    FROM found JOIN rarity USING (term) CROSS JOIN size CROSS JOIN ideal
    GROUP BY found.id
)
"""
_NO_KEYWORD = ", keyword AS (SELECT NULL::bigint AS id, NULL::float8 AS share WHERE false)"

# A zero vector is refused when it is written; should one be there, its distance is NaN, which
# Postgres sorts above every number: it becomes null and ranks nowhere.
_SEMANTIC = """
, semantic AS (
    SELECT v.memory_id AS id, max(nullif(1 - (v.vector <=> %s::vector), 'NaN')) AS cosine
    FROM memory_memoryvector v JOIN scope ON scope.id = v.memory_id
    WHERE v.space = %s
    GROUP BY v.memory_id
)
"""
_NO_SEMANTIC = ", semantic AS (SELECT NULL::bigint AS id, NULL::float8 AS cosine WHERE false)"

# A row that has no vector yet is judged by its words alone.
_FUSED = """
, scored AS (
    SELECT id, cosine, share,
           CASE WHEN cosine IS NOT NULL
                THEN %s * least(greatest((cosine - %s) / %s, 0), 1) + %s * coalesce(share, 0)
                ELSE %s * share END AS score,
           rank() OVER (ORDER BY cosine DESC NULLS LAST) AS semantic_rank,
           rank() OVER (ORDER BY share DESC NULLS LAST) AS keyword_rank
    FROM semantic FULL JOIN keyword USING (id)
)
SELECT id, score, cosine, semantic_rank, share, keyword_rank
FROM scored WHERE score >= %s
ORDER BY score DESC, id
LIMIT %s
"""
