"""A large scope with the index forced: the faults of the field, the walls, and never too few.

The index is built as it is in production, by the owner and CONCURRENTLY; everything is searched as
the application's role.
"""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection, connections

from memory import store
from memory.models import Memory, MemoryVector, Reader
from memory.recall import vector_index, wide
from memory.recall.query import Query
from memory.recall.search import Hit, search
from memory.recall.sight import among, visible
from memory.recall.terms import asked
from memory.recall.vector_index import VectorIndex
from tests.factories import make_agent, make_memory
from tests.fakes import StubEmbedder
from tests.memory.recall.conftest import Memories

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

N = 260


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A scope counts as large from 60 rows on, and each leg names 40."""
    monkeypatch.setattr(wide, "EXACT", 60)
    monkeypatch.setattr(wide, "NEAREST", 40)
    wide.forget()
    vector_index.forget()
    yield
    wide.forget()
    vector_index.forget()


def build() -> None:
    call_command("index_vectors", least=1, stdout=StringIO())
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")


def drop() -> None:
    call_command("index_vectors", least=10**9, stdout=StringIO())


@pytest.fixture
def crowd() -> Iterator[tuple[Memories, "np.ndarray[Any, Any]"]]:
    """Many memories with vectors of 64 dimensions in clusters, the index built."""
    world = Memories(StubEmbedder(space="cloud-64"))
    dice = np.random.default_rng(5)
    centres = dice.normal(size=(12, 64))
    vectors = centres[np.arange(N) % 12] + 0.5 * dice.normal(size=(N, 64))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    with world.inside():
        for number, vector in enumerate(vectors):
            make_memory(
                world.agent,
                world.visitor,
                f"note {number} word{number % 7}",
                vector=store.AtHand("cloud-64", vector),
            )
    build()
    yield world, vectors
    drop()


def find(world: Memories, query: Query, **fields: Any) -> list[Hit]:
    reader = fields.pop("reader", None) or Reader.for_chat(world.agent.pk, world.visitor.pk)
    with world.inside():
        return search(reader, query, **{"limit": 10, "floored": False, **fields})


def ask(vector: "np.ndarray[Any, Any]", words: str = "", space: str = "cloud-64") -> Query:
    return Query(words, space, vector=vector.astype(np.float32), terms=tuple(asked(words)))


def learned(world: Memories, query: Query) -> bool:
    """Has a search of this scope been seen to be large, so that the next one is wide?"""
    find(world, query)
    rows = visible(Reader.for_chat(world.agent.pk, world.visitor.pk), None)
    with world.inside():
        words = list(query.terms)
        return wide.candidates(rows, query, words, ["on-demand"], 10) is not None or any(
            wide.candidates(rows, query, words, groups, 10) is not None
            for groups in (["omnipresent", "pattern", "on-demand"],)
        )


def test_what_the_index_finds_is_what_comparing_everything_finds(
    crowd: tuple[Memories, Any],
) -> None:
    world, vectors = crowd
    dice = np.random.default_rng(9)
    same = total = 0
    for number in range(40):
        near = vectors[number * 5] + 0.3 * dice.normal(size=64)
        query = ask(near, f"note {number} word{number % 7}" if number % 2 else "")
        wide.forget()
        exact = [hit.id for hit in find(world, query)]
        found = [hit.id for hit in find(world, query)]  # the first search saw how large it is
        assert len(found) == len(exact) == 10
        same += len(set(found) & set(exact))
        total += 10
    assert learned(world, ask(vectors[0]))
    assert same / total >= 0.99


def test_the_index_is_walked_as_the_application(crowd: tuple[Memories, Any]) -> None:
    world, vectors = crowd
    rows = visible(Reader.for_chat(world.agent.pk, world.visitor.pk), None)
    index = VectorIndex("cloud-64", "memory")
    sql = wide._NEAR.format(
        type=index.type,
        seen=wide._SEEN.format(visible=rows.sql, wanted=among(["on-demand"]), id="v.memory_id"),
    )
    values = [*rows.values, "cloud-64", str(vectors[0].tolist()), 40]
    with world.inside(), connection.cursor() as cursor:
        cursor.execute(wide._WALK, ["200", "20000"])
        before = cursor.fetchone()
        cursor.execute("EXPLAIN " + sql, values)
        plan = "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute(wide._WALKED, before)
        cursor.execute("SELECT current_setting('enable_sort'), current_setting('hnsw.ef_search')")
        assert cursor.fetchone() == ("on", before[0])
    assert f"Index Scan using {index.name}" in plan
    assert "Sort" not in plan


def test_exact_search_never_meets_the_index(crowd: tuple[Memories, Any]) -> None:
    """The planner would take it too early and lose rows: a small scope is compared whole."""
    from memory.recall.fusion import best_of
    from memory.recall.search import _HITS

    world, vectors = crowd
    wide.forget()
    rows = visible(Reader.for_chat(world.agent.pk, world.visitor.pk), None)
    with world.inside(), connection.cursor() as cursor:
        top, values = best_of(rows, ask(vectors[0]), limit=5)
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN " + top + _HITS, values)
        assert "hnsw" not in "\n".join(row[0] for row in cursor.fetchall())


def test_walls_hold_and_never_fewer_than_there_are(crowd: tuple[Memories, Any]) -> None:
    """Another agent's nearer rows neither come nor crowd out: the walk goes on past them."""
    world, vectors = crowd
    with world.inside():
        other = make_agent()
        for number in range(120):
            make_memory(
                other, None, f"theirs {number}", vector=store.AtHand("cloud-64", vectors[0])
            )
    assert learned(world, ask(vectors[0]))
    hits = find(world, ask(vectors[0]), limit=25)
    assert len(hits) == 25
    with world.inside():
        owners = set(Memory.objects.filter(pk__in=[hit.id for hit in hits]).values_list("agent"))
    assert owners == {(world.agent.pk,)}
    # A scope that lies far from the query gets all it has, whatever is nearer.
    few = find(world, ask(vectors[0]), reader=Reader.for_chat(other.pk, None), limit=50)
    assert len(few) == 50


def test_a_zero_vector_is_in_no_index_and_outranks_nothing(crowd: tuple[Memories, Any]) -> None:
    world, vectors = crowd
    with world.inside():
        empty = MemoryVector.objects.order_by("pk").first()
        assert empty is not None
        MemoryVector.objects.filter(pk=empty.pk).update(vector=[0.0] * 64)
    assert learned(world, ask(vectors[0]))
    hits = find(world, ask(vectors[0]), limit=30)
    assert empty.memory_id not in [hit.id for hit in hits]
    assert all(np.isfinite(hit.score) for hit in hits)


def test_another_space_of_the_same_size_is_never_compared(crowd: tuple[Memories, Any]) -> None:
    world, vectors = crowd
    with world.inside():
        stranger = make_memory(
            world.agent, world.visitor, "x", vector=store.AtHand("turned-64", vectors[0])
        )
    assert learned(world, ask(vectors[0]))
    hits = find(world, ask(vectors[0]), limit=30)
    assert stranger.pk not in [hit.id for hit in hits]


@pytest.mark.parametrize(
    "words",
    ["& | ! :* <->", "%s %(x)s {visible}", "to be or not to be", "🍣", "''", "花生", "café zoë"],
)
def test_no_words_are_an_error_or_match_everything(crowd: tuple[Memories, Any], words: str) -> None:
    world, vectors = crowd
    assert learned(world, ask(vectors[0]))
    away = ask(-vectors.mean(axis=0), words)
    assert find(world, away, floored=True) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [("我对花生过敏", "花生"), ("cafe\u0301 zoe\u0308", "caf\u00e9"), ("likes 🍣", "🍣")],
)
def test_words_of_any_script_are_found_in_a_large_scope(
    crowd: tuple[Memories, Any], text: str, words: str
) -> None:
    world, vectors = crowd
    with world.inside():
        wanted = make_memory(
            world.agent, world.visitor, text, vector=store.AtHand("cloud-64", vectors[0])
        )
    away = ask(-vectors.mean(axis=0), words)  # no vector helps to find it
    assert learned(world, away)
    assert find(world, away)[0].id == wanted.pk


def test_a_word_is_found_behind_many_that_others_use_more(crowd: tuple[Memories, Any]) -> None:
    world, vectors = crowd
    with world.inside():
        other = make_agent()
        for number in range(wide._OF_BEST * 40 + 5):
            make_memory(
                other, None, f"pear pear {number}", vector=store.AtHand("cloud-64", vectors[0])
            )
        wanted = make_memory(
            world.agent, world.visitor, "a pear", vector=store.AtHand("cloud-64", vectors[0])
        )
    away = ask(-vectors.mean(axis=0), "pear")
    assert learned(world, away)
    assert find(world, away)[0].id == wanted.pk


def test_an_index_that_was_built_otherwise_makes_room_for_todays(
    crowd: tuple[Memories, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    today = VectorIndex("cloud-64", "memory").name
    with monkeypatch.context() as before:
        before.setattr(vector_index, "_M", 8)
        build()
        earlier = VectorIndex("cloud-64", "memory").name
        assert earlier != today
    build()
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relname LIKE 'vector%hnsw%'")
        assert [name for (name,) in cursor.fetchall()] == [today]


@pytest.mark.parametrize("dims", [64, 2_000, 3_072, 4_000])
def test_any_size_of_vector_can_be_indexed(dims: int) -> None:
    world = Memories(StubEmbedder(space=f"big-{dims}"))
    dice = np.random.default_rng(3)
    vectors = dice.normal(size=(70, dims)).astype(np.float32)
    with world.inside():
        for number, vector in enumerate(vectors):
            make_memory(
                world.agent, world.visitor, f"n {number}",
                vector=store.AtHand(f"big-{dims}", vector / np.linalg.norm(vector)),
            )  # fmt: skip
    build()
    index = VectorIndex(f"big-{dims}", "memory")
    assert vector_index.is_built(index)
    query = ask(vectors[7], space=f"big-{dims}")
    assert learned(world, query)
    with world.inside():
        (first, *_) = search(
            Reader.for_chat(world.agent.pk, world.visitor.pk), query, limit=5, floored=False
        )
        assert Memory.objects.get(pk=first.id).content == "n 7"
    drop()
    assert not vector_index.is_built(index)
