"""A world whose memories are embedded by the stub, and one call that asks as the chat does."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.models import Visitor
from memory import providers, store
from memory.models import Memory, Reader
from memory.recall.context import Recalled, prepare, recall
from tests.factories import World, make_memory
from tests.fakes import StubEmbedder


class Memories(World):
    """`keep` stores a memory with its vector; `ask` recalls for the world's visitor."""

    def __init__(self, embedder: StubEmbedder) -> None:
        super().__init__()
        self.embedder = embedder

    def keep(self, content: str, *, of: Visitor | None = None, **fields: Any) -> Memory:
        agent = fields.pop("agent", self.agent)
        vector = self.embedder.embed([content], timeout=1)[0]
        hand = store.AtHand(self.embedder.space, vector) if vector.any() else None
        with self.inside():
            return make_memory(agent, of, content, vector=fields.pop("vector", hand), **fields)

    def ask(self, message: str, **fields: Any) -> Recalled:
        query = prepare(message, space=self.embedder.space, timeout=1)
        visitor = fields.pop("visitor", self.visitor)
        reader = Reader.for_chat(fields.pop("agent", self.agent).pk, visitor and visitor.pk)
        with self.inside():
            return recall(reader, query, **fields)


@pytest.fixture
def embedder() -> Iterator[StubEmbedder]:
    stub = StubEmbedder()
    with providers.using(embedder=stub):
        yield stub


@pytest.fixture
def world(db: None, embedder: StubEmbedder) -> Memories:
    return Memories(embedder)


@pytest.fixture
def texts() -> Callable[[Recalled], list[str]]:
    return lambda recalled: [memory.text for memory in recalled.memories]
