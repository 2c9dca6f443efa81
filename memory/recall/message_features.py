"""What speaks for a message: numbers for all messages of a scope at once, weighed into one order.

A message says little by itself, so each leg also looks at what stands beside it (one message each
way) and around it (four each way) in its conversation. Each leg is taken relative to what it gives
at most in the scope: cosines from the least to the most, BM25 over its maximum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from memory.recall.asked_time import AskedTime, tells_when
from memory.recall.names import Side

Numbers = npt.NDArray[np.float64]

# In the order of the columns. d…: cosine; b…: BM25; the last five: of the message itself.
FEATURES = (
    "d", "d_before", "d_around", "b", "b_beside", "b_around",
    "length", "question", "when", "date", "author",
)  # fmt: skip
BESIDE, AROUND = 1, 4
_K1, _B, _B_TOGETHER = 1.2, 0.5, 0.75
_RAREST = 6  # words that a full share is measured by, as in `fusion`


@dataclass(frozen=True)
class Said:
    """Pieces of messages, ordered by conversation and position; one row each."""

    chunk: npt.NDArray[np.int64]
    message: npt.NDArray[np.int64]
    conversation: npt.NDArray[np.int64]
    position: npt.NDArray[np.int64]
    role: Sequence[str]
    moment: Sequence[datetime]
    length: Numbers  # in characters
    cosine: Numbers  # NaN without a vector
    text: Sequence[str]
    counts: Numbers = field(repr=False)  # (terms of the query, pieces)


@dataclass(frozen=True)
class Scope:
    """What is counted over the whole scope, however few of its pieces are looked at."""

    n: int
    length: float  # of a piece, on average
    held: Numbers  # by how many pieces each term of the query is held


def rarity(scope: Scope) -> Numbers:
    return np.asarray(np.log(1 + (scope.n - scope.held + 0.5) / (scope.held + 0.5)))


def features(said: Said, scope: Scope, asked: AskedTime, side: Side | None) -> Numbers:
    """(pieces, FEATURES)."""
    idf = rarity(scope)
    missing = np.isnan(said.cosine)
    known = np.where(missing, said.cosine[~missing].min(initial=0.0), said.cosine)
    close = [_near(said, offset) for offset in range(1, AROUND + 1)]
    counts = {reach: _summed(said.counts, close[:reach]) for reach in (BESIDE, AROUND)}
    lengths = {reach: _summed(said.length, close[:reach]) for reach in (BESIDE, AROUND)}
    ones = _summed(np.ones(len(said.chunk)), close)
    before = np.where(close[0], np.roll(_from_least(known), 1), 0.0)
    columns = [
        _from_least(known),
        before,
        _from_least(_summed(known, close) / ones),
        _of_most(_bm25(said.counts, said.length, scope.length, idf, _B)),
        _of_most(_bm25(counts[BESIDE], lengths[BESIDE], None, idf, _B_TOGETHER)),
        _of_most(_bm25(counts[AROUND], lengths[AROUND], None, idf, _B_TOGETHER)),
        np.log1p(said.length / 10),
        np.array([text.rstrip().endswith(("?", "？", "؟")) for text in said.text], float),
        np.array([asked.asks_when and tells_when(text) for text in said.text], float),
        np.array([asked.near(moment) for moment in said.moment])
        if asked.months
        else np.zeros(len(said.chunk)),
        np.array([role == side for role in said.role], float),
    ]
    return np.stack(columns, axis=1)


def share(said: Said, scope: Scope) -> Numbers:
    """BM25 of each piece as a share of what the query's rarest words could give: 0…1."""
    idf = rarity(scope)
    ideal = np.sort(idf)[::-1][:_RAREST].sum()
    if ideal <= 0:
        return np.zeros(len(said.chunk))
    return np.asarray(_bm25(said.counts, said.length, scope.length, idf, _B) / ideal)


def around(values: Numbers, said: Said) -> Numbers:
    """The most that anything around a piece, or the piece itself, has."""
    most = values.copy()
    for offset in range(1, AROUND + 1):
        near = _near(said, offset)
        most = np.maximum(most, np.where(near, np.roll(values, offset), 0.0))
        back = np.roll(near, -offset)
        most = np.maximum(most, np.where(back, np.roll(values, -offset), 0.0))
    return most


def weighed(columns: Numbers, weights: Mapping[str, float]) -> Numbers:
    return np.asarray(columns @ np.array([weights.get(name, 0.0) for name in FEATURES]))


def _near(said: Said, offset: int) -> npt.NDArray[np.bool_]:
    """Is the row `offset` rows before this one of the same conversation, and close to it?"""
    same = np.roll(said.conversation, offset) == said.conversation
    close = said.position - np.roll(said.position, offset) <= AROUND
    near: npt.NDArray[np.bool_] = np.asarray(same & close)
    near[:offset] = False
    return near


def _summed(values: Numbers, close: Sequence[npt.NDArray[np.bool_]]) -> Numbers:
    """The values and those of the rows around them, within the conversation."""
    total = values.copy()
    for offset, near in enumerate(close, start=1):
        total += np.where(near, np.roll(values, offset, axis=-1), 0.0)
        total += np.where(np.roll(near, -offset), np.roll(values, -offset, axis=-1), 0.0)
    return total


def _bm25(counts: Numbers, length: Numbers, usual: float | None, idf: Numbers, b: float) -> Numbers:
    usual = usual or float(length.mean()) or 1.0
    return np.asarray(idf @ (counts / (counts + _K1 * (1 - b + b * length / usual))))


def _of_most(values: Numbers) -> Numbers:
    return values / max(float(values.max(initial=0.0)), 1e-9)


def _from_least(values: Numbers) -> Numbers:
    least, most = float(values.min()), float(values.max())
    return (values - least) / max(most - least, 1e-9)
