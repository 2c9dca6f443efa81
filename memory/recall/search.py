"""One search over the memories a reader may see: legs, fused, with a floor and an explanation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory.models import Reader
from memory.recall.fusion import best_of, groups_of, ranked_of
from memory.recall.query import Query
from memory.recall.sight import Visible, visible
from memory.recall.wide import saw
from tenants.prepared import prepared

Fusion = Literal["calibrated", "rrf"]


@dataclass(frozen=True)
class Leg:
    """How one leg saw a hit. `score` is the leg's own: a cosine, a share of the best BM25, and
    one over the rank where there is nothing but a rank (graph)."""

    name: str
    rank: int
    score: float


@dataclass(frozen=True)
class Hit:
    """`score` is what orders, `rank` starts at 1, `legs` are those that found it.

    `evidence` lies in 0…1 and is what the floor and `min_score` are about, however hits are
    ordered: what the words and the meaning of this one say. A calibrated score shares the best
    evidence out by the order. `about`: the query names one side, and this is about them. `told`,
    0…1: how much else of what its conversation brought fits the query. `dated`, 0…1.5: it was said
    at the time that the query names.
    """

    id: int
    score: float
    rank: int
    legs: tuple[Leg, ...]
    evidence: float = 0.0
    about: bool = False
    told: float = 0.0
    dated: float = 0.0

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
    fusion: Fusion = "calibrated",
    graph: Sequence[int] = (),
    floored: bool = True,
) -> list[Hit]:
    """The nearest memories above the floor, best first, ties by id. One statement, inside `within`.

    A query with neither terms nor a vector finds nothing and asks nothing. `fusion="rrf"` orders
    as contract 4 says; `graph` then are the ids that the graph brought, best first. What the graph
    names needs no floor (an entity of the query leads to it), but has to be in sight.
    """
    return search_in(
        visible(reader, at),
        query,
        limit=limit,
        groups=groups,
        min_score=min_score,
        fusion=fusion,
        graph=graph,
        floored=floored,
    )


def search_in(
    rows: Visible,
    query: Query,
    *,
    limit: int,
    groups: Iterable[str] | None = None,
    min_score: float = 0.0,
    fusion: Fusion = "calibrated",
    graph: Sequence[int] = (),
    floored: bool = True,
) -> list[Hit]:
    """`search` among rows that were narrowed further (`narrowed`)."""
    if fusion == "rrf":
        found = ranked_in(rows, query, limit=limit, groups=groups, min_score=min_score, graph=graph)
        return [hit for hit, _ in found]
    best, values = best_of(
        rows, query, limit=limit, groups=groups, min_score=min_score, floored=floored
    )
    return [hit for hit, _ in _hits(best + _HITS, values, rows, groups)]


@dataclass(frozen=True)
class Beside:
    """What a search reads of each hit, in the same statement: columns, from what is joined to
    `best.id`. Fragments of SQL, written by us."""

    columns: str
    joins: str


def ranked_in(
    rows: Visible,
    query: Query,
    *,
    limit: int,
    groups: Iterable[str] | None = None,
    min_score: float = 0.0,
    graph: Sequence[int] = (),
    beside: Beside = Beside("", ""),
) -> list[tuple[Hit, tuple[Any, ...]]]:
    """`search_in` by contract 4's fusion; with each hit the values of `beside`."""
    best, values = ranked_of(
        rows, query, limit=limit, groups=groups, min_score=min_score, graph=graph
    )
    statement = best + _RANKED_HITS.format(
        columns=f", {beside.columns}" if beside.columns else "", joins=beside.joins
    )
    return _hits(statement, values, rows, groups)


def _hits(
    statement: str, values: Sequence[Any], rows: Visible, groups: Iterable[str] | None
) -> list[tuple[Hit, tuple[Any, ...]]]:
    if not values:
        return []
    with prepared() as cursor:
        cursor.execute(statement, values)
        found = cursor.fetchall()
    saw(rows, groups_of(groups), found[0][_WIDTH])
    return [
        (hit_of(row[:_WIDTH], rank), row[_WIDTH + 1 :])
        for rank, row in enumerate(found, start=1)
        if row[0] is not None
    ]


def hit_of(row: tuple[Any, ...], rank: int) -> Hit:
    """A row of `COLUMNS`, or of the ranked ones, whose legs may lack a rank."""
    (
        pk,
        score,
        cosine,
        share,
        semantic_rank,
        keyword_rank,
        evidence,
        graph_rank,
        about,
        told,
        dated,
    ) = row
    legs = []
    if cosine is not None and semantic_rank is not None:
        legs.append(Leg("semantic", semantic_rank, round(cosine, 6)))
    if share is not None and keyword_rank is not None:
        legs.append(Leg("keyword", keyword_rank, round(share, 6)))
    if graph_rank is not None:
        legs.append(Leg("graph", graph_rank, round(1 / graph_rank, 6)))
    return Hit(
        id=pk,
        score=round(score, 6),
        rank=rank,
        legs=tuple(legs),
        evidence=round(evidence, 6),
        about=bool(about),
        told=round(told or 0.0, 6),
        dated=float(dated or 0.0),
    )


# What stands above the last of the hits, so that a rank is counted among few.
ABOVE = """
, nearer AS MATERIALIZED (
    SELECT cosine FROM semantic WHERE cosine > (SELECT min(cosine) FROM best)
), wordier AS MATERIALIZED (
    SELECT share FROM keyword WHERE share > (SELECT min(share) FROM best)
)
"""
COLUMNS = """
best.id, score, cosine, share,
(SELECT count(*) + 1 FROM nearer WHERE nearer.cosine > best.cosine),
(SELECT count(*) + 1 FROM wordier WHERE wordier.share > best.share),
evidence, NULL, about, told, dated
"""
# One row at least: how large the scope is, is told even where nothing was found.
_HITS = ABOVE + "SELECT" + COLUMNS + ", n FROM size LEFT JOIN best ON true ORDER BY score DESC, id"
_RANKED_HITS = """
SELECT best.id, best.score, best.cosine, best.share, best.by_meaning, best.by_words, best.evidence,
       best.by_graph, false, NULL, NULL, size.n{columns}
FROM size LEFT JOIN best ON true {joins} ORDER BY best.score DESC, best.id
"""
_WIDTH = 11  # columns that make a hit; how large the scope is follows
