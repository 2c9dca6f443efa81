"""A tenant of contract 2 and a stub for its embeddings."""

from collections.abc import Iterator

import pytest

from tests.fakes import StubEmbedder
from tests.orgs import Org, stub_embedding


@pytest.fixture
def embedder() -> Iterator[StubEmbedder]:
    with stub_embedding() as embedder:
        yield embedder


@pytest.fixture
def org(embedder: StubEmbedder) -> Org:
    return Org()
