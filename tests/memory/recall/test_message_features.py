"""What stands beside and around a message, against the plain definition."""

from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.asked_time import NO_TIME
from memory.recall.message_features import (
    AROUND,
    BESIDE,
    FEATURES,
    Said,
    Scope,
    around,
    features,
    share,
)

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
# A conversation is a list of (steps from the message before, cosine or none, counts of two terms).
ROW = st.tuples(
    st.integers(1, 6),
    st.none() | st.floats(-1, 1, allow_nan=False, width=32),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
Talks = list[list[tuple[int, float | None, tuple[int, int]]]]
TALKS = st.lists(st.lists(ROW, min_size=1, max_size=9), min_size=1, max_size=4)


def said_of(talks: Talks) -> Said:
    rows = []
    for talk, lines in enumerate(talks):
        position = 0
        for step, cosine, counts in lines:
            position += step
            rows.append((talk, position, np.nan if cosine is None else cosine, counts))
    n = len(rows)
    return Said(
        chunk=np.arange(n),
        message=np.arange(n),
        conversation=np.array([row[0] for row in rows]),
        position=np.array([row[1] for row in rows]),
        role=["user"] * n,
        moment=[NOON] * n,
        length=np.full(n, 40.0),
        cosine=np.array([row[2] for row in rows], float),
        text=["text"] * n,
        counts=np.array([row[3] for row in rows], float).T,
    )


def neighbours(said: Said, row: int, reach: int) -> list[int]:
    """Rows of the same conversation at most `reach` rows and AROUND positions away."""
    return [
        other
        for other in range(max(0, row - reach), min(len(said.chunk), row + reach + 1))
        if said.conversation[other] == said.conversation[row]
        and abs(said.position[other] - said.position[row]) <= AROUND
    ]


@given(TALKS)
def test_a_window_never_leaves_its_conversation(talks: Talks) -> None:
    said = said_of(talks)
    scope = Scope(len(said.chunk), 40.0, (said.counts > 0).sum(axis=1).astype(float))
    columns = features(said, scope, NO_TIME, None)
    assert columns.shape == (len(said.chunk), len(FEATURES))
    assert np.isfinite(columns).all()
    idf = np.log(1 + (scope.n - scope.held + 0.5) / (scope.held + 0.5))
    for name, reach in (("b_beside", BESIDE), ("b_around", AROUND)):
        counts = np.stack(
            [said.counts[:, neighbours(said, row, reach)].sum(axis=1) for row in range(scope.n)], 1
        )
        length = np.array([40.0 * len(neighbours(said, row, reach)) for row in range(scope.n)])
        plain = idf @ (counts / (counts + 1.2 * (0.25 + 0.75 * length / length.mean())))
        got = columns[:, FEATURES.index(name)]
        np.testing.assert_allclose(got, plain / max(plain.max(), 1e-9), atol=1e-9)
    most = around(np.arange(scope.n, dtype=float), said)
    assert most.tolist() == [max(neighbours(said, row, AROUND)) for row in range(scope.n)]


@given(TALKS)
def test_a_share_is_a_share(talks: Talks) -> None:
    said = said_of(talks)
    held = (said.counts > 0).sum(axis=1).astype(float)
    of_all = share(said, Scope(len(said.chunk), 40.0, held))
    assert ((of_all >= 0) & (of_all <= 1)).all()
