"""One search over what was said between an agent and a visitor: exactly their scope, nothing else.

The legs of `search` (meaning, words), over the pieces of captured messages, with what stands
around each. In a scope of up to `WHOLE` pieces everything is weighed; in a larger one the nearest
by either leg and what stands around them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection

from memory.recall.calibration import Calibration, calibration_of
from memory.recall.fusion import RRF_DEPTH, RRF_K, RRF_WEIGHTS
from memory.recall.message_features import (
    AROUND,
    FEATURES,
    Numbers,
    Said,
    Scope,
    around,
    features,
    share,
    weighed,
)
from memory.recall.query import Query, as_literal
from memory.recall.search import Fusion

WHOLE = 3_000  # pieces
NEAREST = 300  # of each leg, where the scope is larger
_QUERY_TERMS = 64


@dataclass(frozen=True)
class MessageHit:
    """`score` lies in 0…1: the best evidence of the query, shared out by the order.

    `because` holds what each feature added to the order of this hit; `evidence` is what the words
    and the meaning of the message, or of one around it, say by themselves.
    """

    id: int  # of the message
    chunk_id: int
    score: float
    rank: int
    evidence: float
    role: str
    text: str
    because: dict[str, float]


def search_messages(
    agent_id: int,
    visitor_id: int | None,
    query: Query,
    *,
    limit: int,
    min_score: float = 0.0,
    fusion: Fusion = "calibrated",
    weights: Mapping[str, float] | None = None,
    floored: bool = True,
) -> list[MessageHit]:
    """The nearest messages above the floor, best first, ties by id; one hit a message.

    Inside `within`. A query with neither terms nor a vector finds nothing and asks nothing.
    `fusion="rrf"` orders by the ranks of both legs, `weights` by other features than the space's.
    """
    if not query.asks or limit < 1:
        return []
    said, scope = gather(agent_id, visitor_id, query)
    if not len(said.chunk):
        return []
    figures = calibration_of(query.space)
    columns = features(said, scope, query.time, query.side)
    evidence = around(evidence_of(said, scope, figures), said)
    weights = figures.messages if weights is None else weights
    order = _by_rank(said, scope) if fusion == "rrf" else weighed(columns, weights)
    passed = np.flatnonzero(_passed(said, scope, figures, evidence, min_score, floored))
    if not len(passed):
        return []
    best = passed[np.lexsort((said.chunk[passed], -order[passed]))]
    most = float(evidence[passed].max())
    top = max(float(order[best[0]]), 1e-9)
    names = [weights.get(name, 0.0) for name in FEATURES]
    hits: dict[int, MessageHit] = {}
    for row in best:
        message = int(said.message[row])
        if message in hits:
            continue
        hits[message] = MessageHit(
            id=message,
            chunk_id=int(said.chunk[row]),
            score=round(
                float(order[row]) if fusion == "rrf" else most * _share(order[row], top), 6
            ),
            rank=len(hits) + 1,
            evidence=round(float(evidence[row]), 6),
            role=said.role[row],
            text=said.text[row],
            because={
                name: round(float(value * weight), 4)
                for name, value, weight in zip(FEATURES, columns[row], names, strict=True)
                if value * weight
            },
        )
        if len(hits) == limit:
            break
    return list(hits.values())


def _passed(
    said: Said,
    scope: Scope,
    figures: Calibration,
    evidence: Numbers,
    min_score: float,
    floored: bool,
) -> Numbers:
    """Which rows are hits: seen by a leg, or beside one that was, and above the floor."""
    seen = around((~np.isnan(said.cosine) | (said.counts.sum(axis=0) > 0)).astype(float), said)
    if not floored:
        return seen
    floor = figures.floor + figures.growth * np.log(scope.n + 3)
    if float(evidence.max(initial=0.0)) < floor:
        return np.zeros_like(seen)
    return np.asarray(seen * (evidence >= max(figures.tail * floor, min_score)))


def _share(value: float, top: float) -> float:
    return max(float(value), 0.0) / top


def _by_rank(said: Said, scope: Scope) -> Numbers:
    """Reciprocal ranks of both legs, as contract 4 orders memories."""
    order = np.zeros(len(said.chunk))
    for name, leg in (("semantic", said.cosine), ("keyword", share(said, scope))):
        found = np.flatnonzero(leg > (0 if name == "keyword" else -np.inf))
        ranked = found[np.lexsort((said.chunk[found], -leg[found]))][:RRF_DEPTH]
        order[ranked] += RRF_WEIGHTS[name] / (RRF_K + np.arange(1, len(ranked) + 1))
    return order


def gather(agent_id: int, visitor_id: int | None, query: Query) -> tuple[Said, Scope]:
    """What is weighed: the rows, and what is counted over the whole scope."""
    words = list(query.terms[:_QUERY_TERMS])
    own: list[Any] = [agent_id] if visitor_id is None else [agent_id, visitor_id]
    where = "agent_id = %s AND visitor_id " + ("IS NULL" if visitor_id is None else "= %s")
    vector = None if query.vector is None else as_literal(query.vector)
    with connection.cursor() as cursor:
        cursor.execute(_SIZE.format(where=where), own)
        n, length = cursor.fetchone()
        chosen, held = None, dict.fromkeys(words, 0)
        if n > WHOLE:
            chosen = _nearest(cursor, where, own, query, words, n)
        cursor.execute(
            _ROWS.format(where=where, chosen=_CHOSEN if chosen is not None else ""),
            [*own, *([chosen] if chosen is not None else []), vector, query.space],
        )
        rows = cursor.fetchall()
        if words:
            cursor.execute(_HELD.format(where=where), [*own, words])
            held.update(cursor.fetchall())
        place = {row[0]: number for number, row in enumerate(rows)}
        counts = np.zeros((len(words), len(rows)))
        if words and rows:
            number_of = {word: number for number, word in enumerate(words)}
            cursor.execute(_COUNTS, [words, list(place)])
            for chunk, term, count in cursor.fetchall():
                counts[number_of[term], place[chunk]] = count
    return _said(rows, counts), Scope(n, float(length or 1), np.array([*held.values()], float))


def _nearest(
    cursor: Any, where: str, own: Sequence[Any], query: Query, words: list[str], n: int
) -> list[int]:
    """Pieces worth weighing in a large scope: the best of both legs."""
    found: list[int] = []
    if query.vector is not None:
        cursor.execute(
            _BY_MEANING.format(where=where),
            [*own, query.space, as_literal(query.vector), NEAREST],
        )
        found += [row[0] for row in cursor.fetchall()]
    if words:
        cursor.execute(_BY_WORDS.format(where=where), [*own, words, n, n, NEAREST])
        found += [row[0] for row in cursor.fetchall()]
    return found


def _said(rows: Sequence[tuple[Any, ...]], counts: Numbers) -> Said:
    columns: list[Any] = list(zip(*rows, strict=True)) or [()] * 9
    chunk, message, conversation, position, role, moment, length, cosine, text = columns
    return Said(
        chunk=np.array(chunk, np.int64),
        message=np.array(message, np.int64),
        conversation=np.array(conversation, np.int64),
        position=np.array(position, np.int64),
        role=role,
        moment=moment,
        length=np.array(length, float),
        cosine=np.array([np.nan if value is None else value for value in cosine], float),
        text=text,
        counts=counts,
    )


def evidence_of(said: Said, scope: Scope, figures: Calibration) -> Numbers:
    """The calibrated sum of both legs, as `fusion` makes it for a memory."""
    words = share(said, scope)
    far, near = figures.far, figures.near
    meaning = 0.8 * np.clip((said.cosine - far) / (near - far), 0, 1)
    meaning += 0.2 * np.clip((said.cosine - near) / (1 - near), 0, None)
    both = figures.semantic * meaning + figures.keyword * words
    return np.where(np.isnan(said.cosine), (figures.semantic + figures.keyword) * words, both)


_SIZE = """
SELECT count(*), greatest(avg("end" - start), 1)::float8 FROM memory_messagechunk WHERE {where}
"""
_ROWS = """
WITH scope AS MATERIALIZED (
    SELECT id, message_id, piece, start, "end" FROM memory_messagechunk WHERE {where} {chosen}
), near AS MATERIALIZED (
    SELECT v.chunk_id AS id, max(nullif(1 - (v.vector <=> %s::vector), 'NaN')) AS cosine
    FROM memory_memoryvector v
    WHERE v.space = %s AND v.chunk_id = ANY(ARRAY(SELECT id FROM scope)) GROUP BY v.chunk_id
)
SELECT scope.id, m.id, m.conversation_id, m.position, m.role,
       m.occurred_at + make_interval(mins => m.occurred_offset),
       scope."end" - scope.start, near.cosine,
       substr(m.content, scope.start + 1, scope."end" - scope.start)
FROM scope JOIN agents_message m ON m.id = scope.message_id LEFT JOIN near ON near.id = scope.id
ORDER BY m.conversation_id, m.position, scope.piece
"""
# What was chosen, and what stands around it.
_CHOSEN = f"""
AND message_id IN (
    SELECT beside.id FROM agents_message m JOIN memory_messagechunk c ON c.message_id = m.id
    JOIN agents_message beside ON beside.conversation_id = m.conversation_id
         AND beside.position BETWEEN m.position - {AROUND} AND m.position + {AROUND}
    WHERE c.id = ANY(%s)
)"""  # noqa: S608 (a number of ours)
_HELD = """
SELECT p.term, count(*) FROM memory_posting p
WHERE p.chunk_id = ANY(ARRAY(SELECT id FROM memory_messagechunk WHERE {where}))
      AND p.term = ANY(%s::text[])
GROUP BY p.term
"""
_COUNTS = """
SELECT p.chunk_id, p.term, p.count FROM memory_posting p
WHERE p.term = ANY(%s::text[]) AND p.chunk_id = ANY(%s::bigint[])
"""
_BY_MEANING = """
SELECT v.chunk_id FROM memory_memoryvector v
WHERE v.chunk_id = ANY(ARRAY(SELECT id FROM memory_messagechunk WHERE {where})) AND v.space = %s
ORDER BY v.vector <=> %s::vector, v.chunk_id LIMIT %s
"""
_BY_WORDS = """
WITH held AS MATERIALIZED (
    SELECT p.chunk_id, p.term, p.count, count(*) OVER (PARTITION BY p.term) AS held
    FROM memory_posting p
    WHERE p.chunk_id = ANY(ARRAY(SELECT id FROM memory_messagechunk WHERE {where}))
          AND p.term = ANY(%s::text[])
)
SELECT chunk_id FROM held GROUP BY chunk_id
ORDER BY sum(ln(1 + (%s - held + 0.5) / (held + 0.5)) * count / (count + 1.2)) / ln(1 + %s) DESC,
         chunk_id
LIMIT %s
"""
