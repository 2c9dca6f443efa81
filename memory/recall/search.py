"""One search over the memories a reader may see: keyword and semantic leg, fused, with a floor.

Both legs run in one statement, inside the scope only, so that what others have stored changes
neither rank nor score. The keyword leg is BM25 over `Posting`, term rarity and length counted
among the visible rows; the semantic leg is the exact cosine over `MemoryVector` of the query's
own space. A score means the same in every scope: how much of what a perfect match would reach,
so one floor holds for all (see `calibration`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection

from memory.models import Memory, Presence, Reader
from memory.recall.calibration import calibration_of
from memory.recall.query import Query, as_literal

_QUERY_TERMS = 64  # looked up at most


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
    groups: Iterable[str] | None = None,
    at: datetime | None = None,
    min_score: float = 0.0,
) -> list[Hit]:
    """The nearest memories above the floor, best first, ties by id. One statement, inside `within`.

    A query with neither terms nor a vector finds nothing and asks nothing.
    """
    if not query.asks or limit < 1:
        return []
    best, values = best_of(
        visible(reader, at), query, limit=limit, groups=groups, min_score=min_score
    )
    with connection.cursor() as cursor:
        cursor.execute(best + _HITS, values)
        return [hit_of(row, rank) for rank, row in enumerate(cursor.fetchall(), start=1)]


@dataclass(frozen=True)
class Visible:
    """`Memory.objects.visible_to(...)` as a subquery, compiled once for several statements."""

    sql: str
    values: tuple[Any, ...]


def visible(reader: Reader, at: datetime | None) -> Visible:
    """The rows for this reader, with the columns that recall needs."""
    if at is not None:
        return Visible(*_compiled(reader, at))
    # Compiling costs more than some of the statements do. The SQL depends on which ids a reader
    # has, not on their values, so it is compiled once with two stand-ins.
    agent, visitor = reader.agent_id is not None, reader.visitor_id is not None
    sql, values = _of_shape(reader.sort, agent, visitor)
    own = {_AGENT: reader.agent_id, _VISITOR: reader.visitor_id}
    return Visible(sql, tuple(own.get(value, value) for value in values))


_AGENT, _VISITOR = -1, -2


@cache
def _of_shape(sort: Any, agent: bool, visitor: bool) -> tuple[str, tuple[Any, ...]]:
    return _compiled(Reader(sort, _AGENT if agent else None, _VISITOR if visitor else None), None)


def _compiled(reader: Reader, at: datetime | None) -> tuple[str, tuple[Any, ...]]:
    rows = Memory.objects.visible_to(reader, at).order_by().values(*_COLUMNS)
    sql, values = rows.query.sql_with_params()
    if at is None:
        return sql, tuple(values)
    return _AS_IT_WAS.format(visible=sql), (*values, at)


def best_of(
    rows: Visible,
    query: Query,
    *,
    limit: int,
    groups: Iterable[str] | None = None,
    min_score: float = 0.0,
    floored: bool = True,
) -> tuple[str, list[Any]]:
    """A WITH clause that ends in `best(id, score, cosine, share)`: what is found, in no order.

    Not `floored`, it holds the nearest whatever their score, for whoever explains a search.
    """
    if not query.asks or limit < 1:
        return _NOTHING, []
    calibration = calibration_of(query.space)
    wanted = [str(group) for group in (Presence if groups is None else groups)]
    text, values = _SCOPE.format(visible=rows.sql, group=GROUP), [*rows.values, wanted]
    if query.terms:
        words = list(query.terms[:_QUERY_TERMS])
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
    values += [semantic, calibration.far, calibration.near - calibration.far]
    values += [calibration.near, 1 - calibration.near, keyword, semantic + keyword]
    floor, growth = (calibration.floor, calibration.growth) if floored else (0.0, 0.0)
    values += [floor, growth, min_score, limit]
    return text + _FUSED, values


def hit_of(row: tuple[Any, ...], rank: int) -> Hit:
    """A row of `best` with the rank in each leg."""
    pk, score, cosine, share, semantic_rank, keyword_rank = row
    legs = []
    if cosine is not None:
        legs.append(Leg("semantic", semantic_rank, round(cosine, 6)))
    if share is not None:
        legs.append(Leg("keyword", keyword_rank, round(share, 6)))
    return Hit(id=pk, score=round(score, 6), rank=rank, legs=tuple(legs))


# What a memory is chosen by: a learned one by its presence, one of a person by who may know it.
EVERYWHERE, HERE, KNOWLEDGE = "everywhere", "here", "knowledge"
GROUP = """CASE kind WHEN 'learned' THEN presence WHEN 'knowledge' THEN 'knowledge'
    ELSE CASE WHEN agent_id IS NULL THEN 'everywhere' ELSE 'here' END END"""

_COLUMNS = (
    "id",
    "kind",
    "agent_id",
    "category_id",
    "presence",
    "trigger_patterns",
    "length",
    "version",
    "key",
    "description",
    "content",
)
# What the rows said at an instant, from the version that held then. The index entries are today's:
# a text that has changed since is found by what it says now, and shown as what it said.
_AS_IT_WAS = """
SELECT seen.id, kind, agent_id, category_id,
       coalesce(past.draft ->> 'presence', presence) AS presence,
       CASE WHEN past.draft ? 'trigger_patterns'
            THEN ARRAY(SELECT jsonb_array_elements_text(past.draft -> 'trigger_patterns'))::text[]
            ELSE trigger_patterns::text[] END AS trigger_patterns,
       length, coalesce(past.version, seen.version) AS version,
       coalesce(past.draft ->> 'key', key) AS key,
       coalesce(past.draft ->> 'description', description) AS description,
       coalesce(past.draft ->> 'content', content) AS content
FROM ({visible}) seen LEFT JOIN LATERAL (
    SELECT v.version, v.draft FROM memory_memoryversion v
    WHERE v.memory_id = seen.id AND v.made_at <= %s ORDER BY v.version DESC LIMIT 1
) past ON true
"""
_NOTHING = """
WITH best AS (
    SELECT NULL::bigint AS id, NULL::float8 AS score, NULL::float8 AS cosine, NULL::float8 AS share
    WHERE false
)
"""

# The scope is read once; its ids go into both indexes as one array, which an index scan walks in
# order, whatever the planner thinks of a scope's size (row-level security hides that from it).
_SCOPE = """
WITH scope AS MATERIALIZED (
    SELECT id, length FROM ({visible}) seen WHERE {group} = ANY(%s::text[])
), size AS MATERIALIZED (
    SELECT count(*)::float8 AS n, greatest(avg(length), 1)::float8 AS length, array_agg(id) AS ids
    FROM scope
)
"""

# BM25 with k1 = 0.9 and b = 0.3 (memories are short: length says little), as a share of the most
# that the six rarest words of the query could give: a long message is not held to all its words.
# Rarity is counted in the scope and five texts more that hold none of the words, or in a scope of
# one memory every word of it would be common.
_KEYWORD = """
, found AS MATERIALIZED (
    SELECT held.id, asked.term, held.count
    FROM unnest(%s::text[]) AS asked(term) CROSS JOIN LATERAL (
        SELECT p.memory_id AS id, p.count FROM memory_posting p
        WHERE p.term = asked.term AND p.memory_id = ANY((SELECT ids FROM size)::bigint[])
        OFFSET 0  -- word by word: the planner would rather read every word of every memory
    ) held
), rarity AS MATERIALIZED (
    SELECT asked.term,
           ln(1 + (size.n + 5.5 - coalesce(held.n, 0)) / (coalesce(held.n, 0) + 0.5)) AS idf
    FROM unnest(%s::text[]) AS asked(term) CROSS JOIN size
    LEFT JOIN (SELECT term, count(*) AS n FROM found GROUP BY term) held ON held.term = asked.term
), ideal AS MATERIALIZED (
    SELECT sum(idf) AS total
    FROM (SELECT idf FROM rarity ORDER BY idf DESC LIMIT 6) rarest
), keyword AS MATERIALIZED (
    SELECT id,
           sum(rarity.idf * found.count
               / (found.count + 0.9::float8
                  * (0.7::float8 + 0.3::float8 * scope.length / (SELECT length FROM size))))
               / (SELECT total FROM ideal) AS share
    FROM found FULL JOIN scope USING (id) LEFT JOIN rarity USING (term)
    WHERE coalesce(found.count, 0) > 0
    GROUP BY id
)
"""
_NO_KEYWORD = ", keyword AS (SELECT NULL::bigint AS id, NULL::float8 AS share WHERE false)"

# A zero vector is refused when it is written; should one be there, its distance is NaN, which
# Postgres sorts above every number: it becomes null and ranks nowhere.
_SEMANTIC = """
, near AS MATERIALIZED (
    SELECT v.memory_id AS id, v.piece, nullif(1 - (v.vector <=> %s::vector), 'NaN') AS cosine
    FROM memory_memoryvector v
    WHERE v.space = %s AND v.memory_id = ANY((SELECT ids FROM size)::bigint[])
), long AS MATERIALIZED (
    SELECT coalesce(max(piece), 0) > 0 AS there FROM near
), semantic AS MATERIALIZED (  -- most texts are one piece: grouping them is a quarter of the leg
    SELECT id, cosine FROM near WHERE NOT (SELECT there FROM long)
    UNION ALL
    SELECT id, max(cosine) FROM near WHERE (SELECT there FROM long) GROUP BY id
)
"""
_NO_SEMANTIC = ", semantic AS (SELECT NULL::bigint AS id, NULL::float8 AS cosine WHERE false)"

# A cosine up to `near` is worth four fifths of the leg, the rest is for what is nearer still.
# FULL JOIN keeps the planner from a nested loop over two lists it believes to be short.
# A row that has no vector yet is judged by its words alone.
_FUSED = """
, scored AS (
    SELECT id, cosine, share,
           CASE WHEN cosine IS NOT NULL
                THEN %s * (0.8 * least(greatest((cosine - %s) / %s, 0), 1)
                           + 0.2 * greatest((cosine - %s) / %s, 0))
                     + %s * coalesce(share, 0)
                ELSE %s * share END AS score
    FROM semantic FULL JOIN keyword USING (id)
), best AS MATERIALIZED (
    SELECT * FROM scored
    WHERE score >= greatest((SELECT %s + %s * ln(n + 3) FROM size), %s)
    ORDER BY score DESC, id
    LIMIT %s
)
"""
_HITS = """
SELECT id, score, cosine, share,
       (SELECT count(*) + 1 FROM semantic s WHERE s.cosine > best.cosine),
       (SELECT count(*) + 1 FROM keyword k WHERE k.share > best.share)
FROM best ORDER BY score DESC, id
"""
