"""Vectors from a server: in order, of the right size, within its limits, never zero or NaN."""

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from memory.providers.embedding import OpenAIEmbedder, Space
from memory.providers.errors import Misconfigured, ProviderError, TooLong, Unavailable, Unparseable
from memory.providers.pieces import pieces
from tests.memory.providers.stub_server import Answer, Script, StubServer, answer, error, serving

DIMS = 64


def vector(text: str) -> list[float]:
    row = [0.0] * DIMS
    row[len(text) % DIMS] = 2.0
    return row


def embeds(body: dict[str, Any]) -> Answer:
    """Answers in another order than asked, as the wire allows."""
    data = [{"index": i, "embedding": vector(text)} for i, text in enumerate(body["input"])]
    return answer({"data": data[::-1]})


@contextlib.contextmanager
def meeting(script: Script, model: str = "m") -> Iterator[tuple[OpenAIEmbedder, StubServer]]:
    with serving(script) as server:
        embedder = OpenAIEmbedder(Space(model, DIMS), api_key="sk-x", base_url=server.url)
        with closing(embedder):
            yield embedder, server


def test_rows_are_in_the_order_asked_and_of_length_one() -> None:
    with meeting(embeds) as (embedder, server):
        rows = embedder.embed(["a", "bb", "ccc"], timeout=10)
        assert server.paths == ["/v1/embeddings"]
        assert server.requests[0]["model"] == "m"
        assert "dimensions" not in server.requests[0]
    assert rows.dtype == np.float32
    assert [int(row.argmax()) for row in rows] == [1, 2, 3]
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_fewer_dimensions_than_the_models_own_are_asked_for() -> None:
    with meeting(embeds, "text-embedding-3-small") as (embedder, server):
        embedder.embed(["a"], timeout=10)
        assert server.requests[0]["dimensions"] == DIMS


def test_blank_texts_are_not_sent_and_have_no_vector() -> None:
    with meeting(embeds) as (embedder, server):
        rows = embedder.embed(["", "a", " \n"], timeout=10)
        assert server.requests[0]["input"] == ["a"]
        assert [bool(row.any()) for row in rows] == [False, True, False]
        assert embedder.embed([" "], timeout=10).shape == (1, DIMS)
        assert embedder.embed([], timeout=10).shape == (0, DIMS)
        assert len(server.requests) == 1


# --- field fault 15 ---------------------------------------------------------------------------


def counts(text: str) -> int:
    return sum(1 for char in text if not char.isascii()) + len(text.split())


def strict_server(body: dict[str, Any]) -> Answer:
    """Refuses what OpenAI would: a text over 8,192, a request over 300,000, a blank text."""
    texts: Sequence[str] = body["input"]
    if any(counts(text) > 8_192 or not text.strip() for text in texts):
        return answer(**error(400, "maximum context length is 8192 tokens"))
    if sum(map(counts, texts)) > 300_000 or len(texts) > 2_048:
        return answer(**error(400, "max 300000 tokens per request", code="max_tokens_per_request"))
    return embeds(body)


def test_a_long_text_in_pieces_passes_and_loses_nothing() -> None:
    long = "花" * 60_000 + "my cat is called Pixel"
    cut = pieces(long, OpenAIEmbedder.token_limit)
    with meeting(strict_server) as (embedder, _):
        rows = embedder.embed(["I moved to Porto", *cut, "I like tea"], timeout=10)
    assert rows.any(axis=1).all()
    assert "Pixel" in cut[-1]


def test_a_text_over_the_limit_is_named_before_anything_is_sent() -> None:
    with meeting(strict_server) as (embedder, server):
        with pytest.raises(TooLong, match="text 2 of 3"):
            embedder.embed(["I moved to Porto", "花" * 60_000, "I like tea"], timeout=10)
        assert server.requests == []


def test_a_large_batch_is_split_by_its_total_and_its_count() -> None:
    texts = ["花" * 2_500] * 150 + ["tea"] * 1_500
    with meeting(strict_server) as (embedder, server):
        assert embedder.embed(texts, timeout=30).any(axis=1).all()
        sent = [text for request in server.requests for text in request["input"]]
        assert sent == texts
        assert len(server.requests) > 3


def test_a_server_with_a_smaller_limit_says_so_by_name() -> None:
    with (
        meeting(lambda _: answer(**error(400, "input is too long"))) as (embedder, _),
        pytest.raises(TooLong),
    ):
        embedder.embed(["tea"], timeout=10)


# --- what must never get in ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        [{"index": 0, "embedding": [0.0] * DIMS}],
        [{"index": 0, "embedding": [1.0] * (DIMS - 1)}],
        [{"index": 0, "embedding": [1.0] * (DIMS + 1)}],
        [{"index": 0, "embedding": [float("nan")] * DIMS}],
        [{"index": 0, "embedding": [float("inf"), *[1.0] * (DIMS - 1)]}],
        [{"index": 0, "embedding": [None] * DIMS}],
        [{"index": 0, "embedding": "AAAA"}],
        [{"index": 0, "embedding": None}],
        [{"index": 0}],
        [{"index": 1, "embedding": [1.0] * DIMS}],
        [{"index": 0, "embedding": [1.0] * DIMS}] * 2,
        ["x"],
        [],
        None,
    ],
)
def test_a_vector_that_is_none_is_refused(data: Any) -> None:
    with meeting([answer({"data": data})]) as (embedder, _), pytest.raises(Unparseable):
        embedder.embed(["tea"], timeout=10)


def test_uneven_vectors_are_refused() -> None:
    data = [{"index": 0, "embedding": [1.0] * DIMS}, {"index": 1, "embedding": [1.0]}]
    with meeting([answer({"data": data})]) as (embedder, _), pytest.raises(Unparseable):
        embedder.embed(["tea", "jam"], timeout=10)


@pytest.mark.parametrize(
    ("status", "expected"), [(500, Unavailable), (401, Misconfigured), (418, ProviderError)]
)
def test_failures_have_names(status: int, expected: type[ProviderError]) -> None:
    with meeting([answer(**error(status))]) as (embedder, _), pytest.raises(expected):
        embedder.embed(["tea"], timeout=10)


@pytest.mark.parametrize("dimensions", [0, 63, 4_001])
def test_dimensions_have_bounds(dimensions: int) -> None:
    with pytest.raises(Misconfigured, match=str(dimensions)):
        Space("m", dimensions)


def test_3072_dimensions_are_possible() -> None:
    assert Space("text-embedding-3-large", 3_072).name == "text-embedding-3-large-3072"
