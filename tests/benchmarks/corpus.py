"""A large corpus of memories, made inside Postgres: 200,000 in a minute.

A memory is a sentence of words: some everybody uses, some few, drawn by rank (Zipf). Its vector is
the normed sum of its words' vectors in the offline space, which is how that space makes them.
"""

import random

import numpy as np
import numpy.typing as npt
from django.db import connections

from memory import providers
from memory.models import Memory, Presence
from memory.recall.terms import terms
from tenants.context import within

Matrix = npt.NDArray[np.float32]
SPACE = "wordllama-256"
WORDS_EACH = 9
_COMMON = (
    "likes plans wants forgot bought sold dreams asked prefers avoids team sister manager "
    "neighbour customer teacher food plan trip Portugal running peanuts report jazz concert "
    "bicycle music chess statistics passport garden shift python film washing machine invoice "
    "window seat answer bread mountain hut harbour festival dentist car Sunday Monday March "
    "evening summer work travel school doctor winter coffee tea hotel train ticket meeting"
).split()
_SYLLABLES = ["ba", "ko", "ri", "tu", "mel", "san", "dor", "vik", "la", "pen", "gu", "zor"]
RARE = 6_000


def vocabulary() -> list[str]:
    dice = random.Random(7)
    rare: dict[str, None] = {}
    while len(rare) < RARE:
        rare["".join(dice.choices(_SYLLABLES, k=dice.choice([3, 4])))] = None
    return [*_COMMON, *rare]


def prepare() -> None:
    """The words with terms and vectors, in a table of the owner's that ends with the database."""
    words = vocabulary()
    vectors = providers.embedder_for(SPACE).embed(words, timeout=600)
    rows = [
        (place, word, next(iter(terms(word)), word), str(vector.tolist()))
        for place, (word, vector) in enumerate(zip(words, vectors, strict=True))
    ]
    with connections["owner"].cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_word")
        cursor.execute(
            "CREATE UNLOGGED TABLE bench_word (place int PRIMARY KEY, word text, term text, "
            "vector vector(256))"
        )
        cursor.execute(
            "INSERT INTO bench_word SELECT * FROM unnest(%s::int[], %s::text[], %s::text[], "
            "%s::vector[])",
            [list(column) for column in zip(*rows, strict=True)],
        )


def fill(tenant_id: int, agent_id: int, count: int) -> None:
    """`count` memories of one agent for everyone, after `prepare`."""
    with within(tenant_id):
        model = Memory.objects.bulk_create(
            [
                Memory(
                    kind=Memory.Kind.LEARNED,
                    agent_id=agent_id,
                    key=f"/first/{agent_id}",
                    content="nothing",
                    presence=Presence.ON_DEMAND,
                    hash="",
                )
            ]
        )[0].pk
    with connections["owner"].cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_text")
        cursor.execute(_TEXTS, [count, WORDS_EACH, len(vocabulary())])
        cursor.execute(_copied(), [agent_id, model])
        cursor.execute(_VECTORS, [tenant_id, SPACE])
        cursor.execute(_POSTINGS, [tenant_id])
        cursor.execute("DELETE FROM memory_memory WHERE id = %s", [model])


def vectors_of(ids: list[int]) -> Matrix:
    """The stored vectors, for a scan in memory beside what Postgres does."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT vector::real[] FROM memory_memoryvector WHERE memory_id = ANY(%s) "
            "ORDER BY memory_id",
            [ids],
        )
        return np.array([row[0] for row in cursor.fetchall()], dtype=np.float32)


def _copied() -> str:
    """All columns of the first row again, but for what a text of its own has."""
    own = {
        "id": "text.id",
        "uid": "gen_random_uuid()",
        "key": "'/notes/' || %s::text || '/' || text.id",
        "content": "text.content",
        "hash": "text.id::text",
        "length": "text.length",
    }
    columns = [str(field.column) for field in Memory._meta.concrete_fields]
    values = ", ".join(own.get(column, f"m.{column}") for column in columns)
    return (
        f"INSERT INTO memory_memory ({', '.join(columns)}) SELECT {values} "
        "FROM memory_memory m, (SELECT id, string_agg(word, ' ') AS content, count(*) AS length "
        "FROM bench_text JOIN bench_word USING (place) GROUP BY id) text WHERE m.id = %s"
    )


# Ids are drawn from the table's own sequence, so that nothing collides later.
_TEXTS = """
CREATE UNLOGGED TABLE bench_text AS
SELECT id, least(floor(words ^ random())::int, words - 1) AS place
FROM (SELECT nextval(pg_get_serial_sequence('memory_memory', 'id')) AS id
      FROM generate_series(1, %s)) ids, generate_series(1, %s) each,
     (SELECT %s AS words) words
"""
_VECTORS = """
INSERT INTO memory_memoryvector (tenant_id, memory_id, piece, space, vector)
SELECT %s, id, 0, %s, l2_normalize(sum(vector)) FROM bench_text JOIN bench_word USING (place)
GROUP BY id
"""
_POSTINGS = """
INSERT INTO memory_posting (tenant_id, term, memory_id, count)
SELECT %s, term, id, count(*) FROM bench_text JOIN bench_word USING (place) GROUP BY term, id
"""
