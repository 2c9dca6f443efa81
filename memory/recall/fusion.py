"""The legs of a search and how they become one list: SQL, and the figures that go into it.

Both legs run in one statement, inside the scope only, so that what others have stored changes
neither rank nor score. The keyword leg is BM25 over `Posting`, term rarity and length counted
among the visible rows; the semantic leg is the exact cosine over `MemoryVector` of the query's
own space. Their weighted sum is the evidence: how much of what a perfect match would reach, which
means the same in every scope, so one floor holds for all (see `calibration`).

What passes the floor is ordered by that evidence, by whom the memory is about (if the query names
one side of the conversation) and by what else was learned from the same conversation. The score is
the best evidence there is, shared out by that order: without names and conversations, the evidence.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from memory.models import Presence
from memory.recall.calibration import calibration_of
from memory.recall.query import Query, as_literal
from memory.recall.sight import Visible, among
from memory.recall.wide import candidates

_QUERY_TERMS = 64  # looked up at most
_PLACED = 500  # rows by evidence that may be moved by whom, when and where; or four times the limit

# Contract 4: what a rank is worth in each leg. A leg is read to twice what is asked for, at least
# to this depth: a rank beyond it says nothing.
RRF_K, RRF_WEIGHTS, RRF_DEPTH = 60, {"semantic": 1.0, "keyword": 0.8, "graph": 0.6}, 100


def best_of(
    rows: Visible,
    query: Query,
    *,
    limit: int,
    groups: Iterable[str] | None = None,
    min_score: float = 0.0,
    floored: bool = True,
) -> tuple[str, list[Any]]:
    """A WITH clause that ends in `best(id, score, cosine, share, evidence, about, told, dated)`.

    Not `floored`, it holds the nearest whatever their score, for whoever explains a search.
    """
    if not query.asks or limit < 1:
        return _NOTHING, []
    text, values = _legs(rows, query, groups, limit, is_placed=True)
    depth = max(_PLACED, 4 * limit)
    values += [*_weights(query), depth, *_floor(query, min_score, floored), depth]
    values += [*_order(query), limit]
    best = _BEST.format(dated=_DATED if query.time.months else "0")
    return text + _SCORED.format(named="") + _BAR + best, values


def ranked_of(
    rows: Visible,
    query: Query,
    *,
    limit: int,
    groups: Iterable[str] | None = None,
    min_score: float = 0.0,
    graph: Sequence[int] = (),
) -> tuple[str, list[Any]]:
    """`best_of`, ordered by reciprocal ranks; `evidence` is then the calibrated score."""
    if limit < 1 or not (query.asks or graph):
        return _NOTHING, []
    text, values = _legs(rows, query, groups, limit, is_placed=False)
    named, depth = list(dict.fromkeys(graph)), max(RRF_DEPTH, 2 * limit)
    values += [*_weights(query), depth, *([named] if named else [])]
    values += [*_floor(query, min_score), depth, depth]
    if named:
        values += [named, depth, named]
    for name in ("semantic", "keyword", "graph"):
        values += [RRF_WEIGHTS[name], RRF_K]
    text += _SCORED.format(named=_NAMED if named else "")
    text += _BAR + _RANKED.format(graph=_GRAPH if named else "")
    return text, [*values, min_score, limit]


def groups_of(groups: Iterable[str] | None) -> list[str]:
    """The groups as they stand in a statement; all presences by default."""
    return [str(group) for group in (Presence if groups is None else groups)]


def _legs(
    rows: Visible, query: Query, groups: Iterable[str] | None, limit: int, *, is_placed: bool
) -> tuple[str, list[Any]]:
    """A WITH clause with `scope`, `size`, `found(id, word, count)`, `keyword(id, share)` and
    `semantic(id, cosine)`: over everything in the scope, or over the nearest of a large one.

    `is_placed`: whom, when and where a memory is of will count.
    """
    wanted = groups_of(groups)
    words = list(query.terms[:_QUERY_TERMS])
    few = candidates(rows, query, words, wanted, limit)
    # What a query does not ask for is not read of every row.
    text = _SCOPE.format(
        visible=rows.sql,
        wanted=among(wanted),
        talk=_TALK if is_placed else "NULL::text",
        said_on=_SAID_ON if is_placed and query.time.months else "NULL::text",
        about=_ABOUT if is_placed and query.about else "false",
    )
    about = [list(query.about)] if is_placed and query.about else []
    values: list[Any] = [*about, *rows.values]
    if few is None:
        text += _SIZE.format(n="count(*)", length="greatest(avg(length), 1)")
    else:
        text += _AMONG_FEW + _SIZE.format(n="%s", length="%s")
        values += [few.ids, few.n, few.length]
    if words:
        text += _FOUND + (_RARITY if few is None else _RARITY_OF_LARGE) + _KEYWORD
        values += [words, len(words) if few is None else few.held]
    else:
        text += _NO_KEYWORD
    if query.vector is not None:
        text += _SEMANTIC
        values += [as_literal(query.vector), query.space]
    else:
        text += _NO_SEMANTIC
    return text, values


def _weights(query: Query) -> list[float]:
    figures = calibration_of(query.space)
    semantic, keyword = figures.semantic, figures.keyword
    scale = [figures.far, figures.near - figures.far, figures.near, 1 - figures.near]
    return [semantic, keyword, semantic + keyword, *scale]


def _order(query: Query) -> list[Any]:
    """What places a hit: the space's weights, and what the query says of time."""
    by = calibration_of(query.space).memories
    legs = [by["semantic"], by["keyword"]]
    months, years, days = (
        [f"{number:02}" for number in sorted(numbers)]
        for numbers in (query.time.months, query.time.years, query.time.days)
    )
    named = [months, not years, years, not days, days] if months else []
    return [*legs, *legs, by["about"], by["told"], by["date"], *named]


def _floor(query: Query, min_score: float, floored: bool = True) -> list[float]:
    """The query's best has to reach the floor, each row a part of it and `min_score`."""
    figures = calibration_of(query.space)
    if not floored:
        return [0.0, min_score, 0.0, 0.0]
    return [figures.tail, min_score, figures.floor, figures.growth]


_NOTHING = """
WITH size AS (SELECT 0::float8 AS n), best AS (
    SELECT NULL::bigint AS id, NULL::float8 AS score, NULL::float8 AS cosine,
           NULL::float8 AS share, NULL::float8 AS evidence, false AS about, NULL::float8 AS told,
           NULL::float8 AS dated
    WHERE false
)
"""

# The scope is read once; its ids go into both indexes as one array, which an index scan walks in
# order, whatever the planner thinks of a scope's size (row-level security hides that from it).
# The array is in order itself: `width_bucket` finds an id's place in it, and so its length.
_SCOPE = """
WITH scope AS (
    SELECT id, length, {talk} AS talk, {said_on} AS said_on, {about} AS about
    FROM ({visible}) seen WHERE ({wanted})
"""
_ABOUT = "lower(left(content, 64)) ^@ ANY(%s::text[])"
_TALK = "source ->> 'conversation'"
_SAID_ON = "source ->> 'said_on'"
_SIZE = """
), size AS MATERIALIZED (
    SELECT {n}::float8 AS n, {length}::float8 AS length,
           array_agg(id ORDER BY id) AS ids, array_agg(length ORDER BY id) AS lengths,
           count(talk) > 0 AS talked, count(said_on) > 0 OR bool_or(about) AS marked
    FROM scope
)
"""
_AMONG_FEW = " AND id = ANY(%s::bigint[])"

# BM25 with k1 = 0.9 and b = 0.3 (memories are short: length says little), as a share of the most
# that the six rarest words of the query could give: a long message is not held to all its words.
# Rarity is counted in the scope and five texts more that hold none of the words, or in a scope of
# one memory every word of it would be common. A word is its place in the query: numbers are
# compared faster than words.
_FOUND = """
, found AS MATERIALIZED (
    SELECT held.id, asked.word::int AS word, held.count
    FROM unnest(%s::text[]) WITH ORDINALITY AS asked(term, word) CROSS JOIN LATERAL (
        SELECT p.memory_id AS id, p.count FROM memory_posting p
        WHERE p.term = asked.term AND p.memory_id = ANY((SELECT ids FROM size)::bigint[])
        OFFSET 0  -- word by word: the planner would rather read every word of every memory
    ) held
)
"""
_RARITY = """
, rarity AS MATERIALIZED (
    SELECT word, ln(1 + (size.n + 5.5 - coalesce(held.n, 0)) / (coalesce(held.n, 0) + 0.5)) AS idf
    FROM size, generate_series(1, %s) AS word
    LEFT JOIN (SELECT word, count(*) AS n FROM found GROUP BY word) held USING (word)
)
"""
_RARITY_OF_LARGE = """
, rarity AS MATERIALIZED (
    SELECT word, ln(1 + (size.n + 5.5 - held.n) / (held.n + 0.5)) AS idf
    FROM size, unnest(%s::int[]) WITH ORDINALITY AS held(n, word)
)
"""
_KEYWORD = """
, ideal AS MATERIALIZED (
    SELECT (SELECT array_agg(idf ORDER BY word) FROM rarity) AS idf, sum(idf) AS total
    FROM (SELECT idf FROM rarity ORDER BY idf DESC LIMIT 6) rarest
), keyword AS MATERIALIZED (
    SELECT id,
           sum((SELECT idf FROM ideal)[found.word] * found.count
               / (found.count + 0.9::float8
                  * (0.7::float8 + 0.3::float8
                     * (SELECT lengths FROM size)[width_bucket(id, (SELECT ids FROM size))]
                     / (SELECT length FROM size))))
               / (SELECT total FROM ideal) AS share
    FROM found GROUP BY id
)
"""
_NO_KEYWORD = """
, found AS (SELECT NULL::bigint AS id, 0 AS word, 0 AS count WHERE false)
, keyword AS (SELECT NULL::bigint AS id, NULL::float8 AS share WHERE false)
"""

# A zero vector is refused when it is written; should one be there, its distance is NaN, which
# Postgres sorts above every number: it becomes null and ranks nowhere.
_SEMANTIC = """
, semantic AS MATERIALIZED (
    SELECT v.memory_id AS id, max(nullif(1 - (v.vector <=> %s::vector), 'NaN')) AS cosine
    FROM memory_memoryvector v
    WHERE v.space = %s AND v.memory_id = ANY((SELECT ids FROM size)::bigint[])
    GROUP BY v.memory_id
)
"""
_NO_SEMANTIC = ", semantic AS (SELECT NULL::bigint AS id, NULL::float8 AS cosine WHERE false)"

# Weighed are the nearest, to the depth that is looked at, and whatever has a word of the query: of
# what has none, nearer is better, so the rest cannot come before these. And what the graph names.
# A cosine up to `near` is worth four fifths of the leg, the rest is for what is nearer still.
# FULL JOIN keeps the planner from a nested loop over two lists it believes to be short, and a
# condition that says nothing keeps it from making less of it.
# A row that has no vector yet is judged by its words alone.
_SCORED = """
, scored AS MATERIALIZED (
    SELECT id, cosine, share, meaning,
           CASE WHEN meaning IS NOT NULL THEN %s * meaning + %s * coalesce(share, 0)
                ELSE %s * share END AS evidence
    FROM (
        SELECT id, cosine, share,
               CASE WHEN cosine IS NOT NULL
                    THEN 0.8 * least(greatest((cosine - %s) / %s, 0), 1)
                         + 0.2 * greatest((cosine - %s) / %s, 0) END AS meaning
        FROM (
            SELECT id, coalesce(nearest.cosine, worded.cosine) AS cosine, share
            FROM (
                SELECT id, cosine FROM semantic WHERE cosine IS NOT NULL
                ORDER BY cosine DESC, id LIMIT %s
            ) nearest FULL JOIN (
                SELECT id, cosine, share FROM keyword FULL JOIN semantic USING (id)
                WHERE coalesce(share, -1) >= 0{named}
            ) worded USING (id)
        ) looked_at
    ) legs
)
"""

_NAMED = " OR id = ANY(%s::bigint[])"

# What a row has to reach: nothing does where the best is below the floor.
_BAR = """
, bar AS MATERIALIZED (
    SELECT most, CASE WHEN most >= floor THEN greatest(%s * floor, %s) ELSE 'infinity' END AS bar
    FROM (SELECT max(evidence) AS most FROM scored) best,
         (SELECT %s + %s * ln(n + 3) AS floor FROM size) floor
)
"""

# BM25 once more, over conversations: all that was learned from one of them is one text. Where no
# memory has a conversation, a side or a time that counts, nobody looks: `noted` is then empty.
# Full joins again, and conditions that do not let the planner make anything less of them.
_BEST = """
, passed AS MATERIALIZED (
    SELECT scored.*, (SELECT most FROM bar) AS most FROM scored
    WHERE evidence >= (SELECT bar FROM bar)
    ORDER BY evidence DESC, id LIMIT %s
), told AS MATERIALIZED (
    SELECT talk, word, sum(count)::float8 AS count
    FROM found FULL JOIN scope USING (id)
    WHERE talk IS NOT NULL AND coalesce(word, 0) > 0 AND (SELECT talked FROM size)
    GROUP BY talk, word
), talks AS MATERIALIZED (
    SELECT talk, greatest(sum(length), 1)::float8 AS length,
           greatest(avg(sum(length)) OVER (), 1)::float8 AS usual, count(*) OVER () AS n
    FROM scope WHERE talk IS NOT NULL AND (SELECT talked FROM size) GROUP BY talk
), by_talk AS MATERIALIZED (
    SELECT talk,
           sum(ln(1 + (n - held + 0.5::float8) / (held + 0.5::float8)) * count
               / (count + 1.2::float8 * (0.7::float8 + 0.3::float8 * length / usual))) AS told
    FROM (SELECT told.*, count(*) OVER (PARTITION BY word) AS held FROM told) told
    FULL JOIN talks USING (talk) WHERE coalesce(word, 0) > 0 GROUP BY talk
), most_told AS MATERIALIZED (
    SELECT nullif(max(told), 0) AS told FROM by_talk
), noted AS (
    SELECT * FROM scope WHERE (SELECT talked OR marked FROM size)
), placed AS (
    SELECT *, CASE WHEN meaning IS NOT NULL THEN %s * meaning + %s * coalesce(share, 0)
                   ELSE (%s + %s) * share END
              + most * (%s * about::int + %s * coalesce(told, 0) + %s * dated) AS place
    FROM (SELECT passed.*, coalesce(noted.about, false) AS about,
                 by_talk.told / (SELECT told FROM most_told) AS told, {dated} AS dated
          FROM passed FULL JOIN noted USING (id) FULL JOIN by_talk USING (talk)
          WHERE coalesce(evidence, -1) >= 0
          OFFSET 0) seen  -- each of these is worked out once, not wherever it is used
), best AS MATERIALIZED (
    SELECT id, coalesce(place * most / nullif(max(place) OVER (), 0), 0) AS score,
           cosine, share, evidence, about, told, dated
    FROM placed ORDER BY score DESC, id LIMIT %s
)
"""

_DATED = """
CASE WHEN substr(said_on, 6, 2) = ANY(%s::text[])
          AND (%s OR substr(said_on, 1, 4) = ANY(%s::text[]))
     THEN CASE WHEN %s THEN 1 WHEN substr(said_on, 9, 2) = ANY(%s::text[]) THEN 1.5 ELSE 0.5 END
     ELSE 0 END
"""

# Each leg is read to the same depth: beyond it a rank says nothing. Only ranks order; which rows
# are hits at all is the calibrated score's to say, or the graph's, whose rows have to be in scope.
# One list after the other, gathered by id: there is nothing to join, so nothing to join badly.
_RANKED = """
, ranked AS (
    SELECT *, row_number() OVER (ORDER BY cosine DESC, id) AS by_meaning, NULL::bigint AS by_words,
           NULL::bigint AS by_graph
    FROM (SELECT id, cosine, share, evidence FROM scored WHERE cosine IS NOT NULL
          ORDER BY cosine DESC, id LIMIT %s) nearest
    UNION ALL
    SELECT *, NULL, row_number() OVER (ORDER BY share DESC, id), NULL
    FROM (SELECT id, cosine, share, evidence FROM scored WHERE share IS NOT NULL
          ORDER BY share DESC, id LIMIT %s) wordiest
{graph}), best AS MATERIALIZED (
    SELECT id, coalesce(%s::float8 / (%s + max(by_meaning)), 0)
               + coalesce(%s::float8 / (%s + max(by_words)), 0)
               + coalesce(%s::float8 / (%s + max(by_graph)), 0) AS score,
           max(cosine) AS cosine, max(share) AS share,
           max(by_meaning) AS by_meaning, max(by_words) AS by_words,
           coalesce(max(evidence), 0)::float8 AS evidence, max(by_graph) AS by_graph
    FROM ranked GROUP BY id
    HAVING max(by_graph) IS NOT NULL AND %s <= 0
           OR coalesce(max(by_meaning), max(by_words), max(by_graph)) IS NOT NULL
              AND coalesce(max(evidence), 0) >= (SELECT bar FROM bar)
    ORDER BY score DESC, id
    LIMIT %s
)
"""
# With what the legs say of them, wherever they stand there.
_GRAPH = """
    UNION ALL
    SELECT id, NULL, NULL, NULL, NULL, NULL, row_number() OVER (ORDER BY place)
    FROM (SELECT id, place FROM unnest(%s::bigint[]) WITH ORDINALITY AS named(id, place), size
          WHERE ids[width_bucket(id, ids)] = id ORDER BY place LIMIT %s) reached
    UNION ALL
    SELECT id, cosine, share, evidence, NULL, NULL, NULL FROM scored WHERE id = ANY(%s::bigint[])
"""
