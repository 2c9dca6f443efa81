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
from memory.recall import statements as sql
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
        return sql.NOTHING, []
    text, values = _legs(rows, query, groups, limit, is_placed=True)
    depth = max(_PLACED, 4 * limit)
    values += [*_weights(query), depth, *_floor(query, min_score, floored), depth]
    values += [*_order(query), limit]
    best = sql.BEST.format(dated=sql.DATED if query.time.months else "0")
    return text + sql.SCORED.format(named="") + sql.BAR + best, values


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
        return sql.NOTHING, []
    text, values = _legs(rows, query, groups, limit, is_placed=False)
    named, depth = list(dict.fromkeys(graph)), max(RRF_DEPTH, 2 * limit)
    values += [*_weights(query), depth, *([named] if named else [])]
    values += [*_floor(query, min_score), depth, depth]
    if named:
        values += [named, depth, named]
    for name in ("semantic", "keyword", "graph"):
        values += [RRF_WEIGHTS[name], RRF_K]
    text += sql.SCORED.format(named=sql.NAMED if named else "")
    text += sql.BAR + sql.RANKED.format(graph=sql.GRAPH if named else "")
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
    text = sql.SCOPE.format(
        visible=rows.sql,
        wanted=among(wanted),
        talk=sql.TALK if is_placed else "NULL::text",
        said_on=sql.SAID_ON if is_placed and query.time.months else "NULL::text",
        about=sql.ABOUT if is_placed and query.about else "false",
    )
    about = [list(query.about)] if is_placed and query.about else []
    values: list[Any] = [*about, *rows.values]
    if few is None:
        text += sql.SIZE.format(n="count(*)", length="greatest(avg(length), 1)")
    else:
        text += sql.AMONG_FEW + sql.SIZE.format(n="%s", length="%s")
        values += [few.ids, few.n, few.length]
    if words:
        text += sql.FOUND + (sql.RARITY if few is None else sql.RARITY_OF_LARGE) + sql.KEYWORD
        values += [words, len(words) if few is None else few.held]
    else:
        text += sql.NO_KEYWORD
    if query.vector is not None:
        text += sql.SEMANTIC
        values += [as_literal(query.vector), query.space]
    else:
        text += sql.NO_SEMANTIC
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
