"""A large corpus of memories, written as columns: a hundred times as fast as one by one."""

import random
from collections.abc import Iterator

import numpy as np
from django.db import connections

from memory import providers
from memory.models import Memory, Presence
from memory.recall.terms import terms
from tenants.context import within

SPACE = "wordllama-256"
_AT_ONCE = 10_000
_WHO = [
    "user",
    "user's sister",
    "user's team",
    "user's manager",
    "neighbour",
    "customer",
    "teacher",
]
_DOES = [
    "likes", "cannot stand", "is planning", "asked twice about", "forgot", "wants to change",
    "bought", "sold", "dreams of", "is afraid of", "knows everything about", "never mentions",
]  # fmt: skip
_WHAT = [
    "spicy food", "the enterprise plan", "a trip to Portugal", "running at dawn", "peanuts",
    "the quarterly report", "jazz concerts", "the bicycle in the hallway", "loud music", "chess",
    "statistics", "a new passport", "the garden", "night shifts", "Rust and Python", "old films",
    "the washing machine", "invoices in euros", "window seats", "short answers", "sourdough",
    "mountain huts", "the harbour festival", "dentists", "electric cars", "rainy Sundays",
]  # fmt: skip
_WHEN = [
    "on Mondays",
    "since March",
    "in the evening",
    "every summer",
    "when travelling",
    "at work",
]
_SYLLABLES = ["ba", "ko", "ri", "tu", "mel", "san", "dor", "vik", "la", "pen", "gu", "zor"]


def sentences(count: int, seed: int) -> Iterator[str]:
    """Statements with a few common words, some names, and a rare word each."""
    dice = random.Random(seed)
    names = ["".join(dice.choices(_SYLLABLES, k=3)).title() for _ in range(2_000)]
    for number in range(count):
        yield (
            f"The {dice.choice(_WHO)} {dice.choice(_DOES)} {dice.choice(_WHAT)} "
            f"{dice.choice(_WHEN)} with {dice.choice(names)} and {dice.choice(names)} "
            f"near {dice.choice(names)}, see note {seed}-{number}."
        )


def fill(tenant_id: int, agent_id: int, count: int, seed: int) -> None:
    """`count` memories of one agent for everyone, with vectors and postings, as the owner."""
    texts = list(sentences(count, seed))
    embedder = providers.embedder_for(SPACE)
    for start in range(0, count, _AT_ONCE):
        part = texts[start : start + _AT_ONCE]
        words = [terms(text) for text in part]
        with within(tenant_id):
            made = Memory.objects.bulk_create(
                Memory(
                    kind=Memory.Kind.LEARNED,
                    agent_id=agent_id,
                    key=f"/notes/{seed}-{start + place}",
                    content=text,
                    presence=Presence.ON_DEMAND,
                    hash=f"{seed}-{start + place}",
                    length=words[place].total(),
                )
                for place, text in enumerate(part)
            )
        ids = [memory.pk for memory in made]
        vectors = embedder.embed(part, timeout=600)
        with connections["owner"].cursor() as cursor:
            with cursor.copy(_VECTORS) as copy:
                for pk, vector in zip(ids, vectors, strict=True):
                    row = ",".join(f"{number:.7g}" for number in vector.tolist())
                    copy.write_row((tenant_id, pk, 0, SPACE, f"[{row}]"))
            with cursor.copy(_POSTINGS) as copy:
                for pk, each in zip(ids, words, strict=True):
                    for term, times in each.items():
                        copy.write_row((tenant_id, term, pk, times))


def vectors_of(ids: list[int]) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    """The stored vectors, for a scan in memory beside what Postgres does."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT vector::real[] FROM memory_memoryvector WHERE memory_id = ANY(%s) "
            "ORDER BY memory_id",
            [ids],
        )
        return np.array([row[0] for row in cursor.fetchall()], dtype=np.float32)


_VECTORS = "COPY memory_memoryvector (tenant_id, memory_id, piece, space, vector) FROM STDIN"
_POSTINGS = "COPY memory_posting (tenant_id, term, memory_id, count) FROM STDIN"
