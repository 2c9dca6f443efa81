"""Looking a duplicate up: said in other words, the twin comes before what only sounds like it.

`paraphrases.txt` holds a statement, the same in other words, and two near misses a line.
"""

import re
from pathlib import Path

import pytest

from memory import providers, store
from memory.models import Memory, Reader
from memory.recall.query import prepare
from memory.recall.search import search
from tenants.actor import SYSTEM
from tests.factories import World, make_draft, make_visitor

pytestmark = pytest.mark.django_db

SPACE = "wordllama-256"
LINES = [
    [part.strip() for part in line.split("|")]
    for line in Path(__file__).with_name("paraphrases.txt").read_text(encoding="utf-8").splitlines()
]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def test_the_pairs_share_few_words() -> None:
    assert len(LINES) == 200
    for statement, twin, *near_misses in LINES:
        assert len(near_misses) == 2
        said, again = words(statement), words(twin)
        assert len(said & again) / len(said | again) <= 0.4, twin


def test_the_twin_comes_first() -> None:
    world = World()
    embedder = providers.embedder_for(SPACE)
    with world.inside():
        visitors = [make_visitor() for _ in LINES]
        texts = [(visitor, text) for visitor, (one, _, *near) in zip(visitors, LINES, strict=True)
                 for text in (one, *near)]  # fmt: skip
        vectors = embedder.embed([text for _, text in texts], timeout=60)
        kept = store.add_many(
            [
                store.New(
                    Memory.Kind.LEARNED,
                    make_draft(text),
                    world.agent.pk,
                    visitor.pk,
                    store.AtHand(SPACE, vector),
                )
                for (visitor, text), vector in zip(texts, vectors, strict=True)
            ],
            tenant_id=world.tenant.pk,
            by=SYSTEM,
        )
        twins = [memory.pk for memory in kept[::3]]
        first = 0
        for visitor, twin, (_, again, *_) in zip(visitors, twins, LINES, strict=True):
            query = prepare(again, space=SPACE, timeout=5)
            reader = Reader.for_chat(world.agent.pk, visitor.pk)
            hits = search(reader, query, limit=3, floored=False)
            first += hits[0].id == twin
    assert first / len(LINES) >= 0.95
