"""One search: legs, scores that mean the same everywhere, a floor, a total order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from memory import providers, store
from memory.models import Memory, MemoryVector, Presence, Reader
from memory.recall.calibration import calibration_of
from memory.recall.query import Query, prepare
from memory.recall.search import Hit, search
from memory.recall.sight import visible
from memory.recall.terms import asked
from tests.factories import make_visitor
from tests.fakes import StubEmbedder
from tests.memory.recall.conftest import Memories

pytestmark = pytest.mark.django_db


def find(world: Memories, message: str, **fields: Any) -> list[Hit]:
    query = fields.pop("query", None) or prepare(message, space=world.embedder.space, timeout=1)
    reader = fields.pop("reader", None) or Reader.for_chat(world.agent.pk, world.visitor.pk)
    with world.inside():
        return search(reader, query, **{"limit": 10, **fields})


def words_only(message: str) -> Query:
    return Query(message=message, space="stub-64", terms=tuple(asked(message)))


def vector_only(vector: Sequence[float], space: str) -> Query:
    return Query(message="", space=space, vector=np.array(vector, dtype=np.float32))


# --- the keyword leg -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("我对花生过敏", "花生"),
        ("私はピーナッツアレルギーがあります", "ピーナッツ"),
        ("أنا أسكن في الرياض", "رياض"),
        ("Favourite caf\u00e9 is Zo\u00eb's", "cafe\u0301 zoe\u0308"),
        ("Favourite cafe\u0301 is Zoe\u0308's", "caf\u00e9"),
        ("likes 🍣", "🍣"),
    ],
)
def test_words_of_any_script_find_it_alone(world: Memories, text: str, question: str) -> None:
    wanted = world.keep(text, of=world.visitor)
    world.keep("The user likes tea.", of=world.visitor)
    hits = find(world, "", query=words_only(question))
    assert [hit.id for hit in hits] == [wanted.pk]
    assert [leg.name for leg in hits[0].legs] == ["keyword"]


@pytest.mark.parametrize(
    "message",
    [
        "Mira Holt <mira@example.test>",
        "what's C++ & '",
        '"open -( & | !! :* <->',
        "to be or not to be",
        "🍣",
        "%",
        "''",
        "",
        " \t\n",
        "\\",
        "NULL; DROP TABLE memory_memory; --",
        "%s %(sql)s {visible} {}",
        "a" * 2_000,
        "word " * 400,
        "\x00",
    ],
)
def test_nothing_in_a_question_is_an_error_or_matches_everything(
    world: Memories, message: str
) -> None:
    for number in range(6):
        world.keep(f"The user likes tea number {number}.", of=world.visitor)
    assert find(world, message) == []
    assert find(world, "", query=words_only(message)) == []


def test_a_rare_word_counts_for_more_than_a_common_one(world: Memories) -> None:
    for number in range(6):
        world.keep(f"coffee number {number}", of=world.visitor)
    rare = world.keep("saffron rice", of=world.visitor)
    hits = find(world, "", query=words_only("coffee saffron"))
    assert hits[0].id == rare.pk
    assert hits[0].score > 2 * hits[1].score


def test_the_same_word_in_a_shorter_text_comes_first(world: Memories) -> None:
    long = world.keep("saffron " + "and many other words about spices " * 5, of=world.visitor)
    short = world.keep("saffron rice", of=world.visitor)
    assert [hit.id for hit in find(world, "", query=words_only("saffron"))] == [short.pk, long.pk]


# --- the semantic leg ----------------------------------------------------------------------------


@pytest.fixture
def plane(db: None) -> Memories:
    """Three dimensions, and vectors as the test says."""
    stub = StubEmbedder(space="plane", dims=3)
    return Memories(stub)


def put(world: Memories, text: str, vector: list[float], space: str = "plane") -> Memory:
    hand = store.AtHand(space, np.array(vector, dtype=np.float32))
    return world.keep(text, of=world.visitor, vector=hand)


def test_a_zero_vector_never_outranks_a_match(plane: Memories) -> None:
    exact = put(plane, "one", [1, 0, 0])
    near = put(plane, "three", [0.9, 0.1, 0])
    with plane.inside():
        empty = put(plane, "two", [0, 1, 0])
        MemoryVector.objects.filter(memory=empty).update(vector=[0, 0, 0])
    hits = find(plane, "", query=vector_only([1, 0, 0], "plane"))
    assert [hit.id for hit in hits] == [exact.pk, near.pk]
    assert all(np.isfinite(hit.score) for hit in hits)
    assert hits[0].score > hits[1].score


@pytest.mark.parametrize("vector", [[0, 0, 0], [float("nan"), 0, 0], [float("inf"), 0, 0]])
def test_a_question_without_a_usable_vector_is_asked_by_words(
    plane: Memories, vector: list[float]
) -> None:
    put(plane, "saffron", [1, 0, 0])
    stub = StubEmbedder(space="plane", dims=3)
    stub.embed = lambda texts, *, timeout: np.array([vector] * len(texts))  # type: ignore[method-assign]
    with providers.using(embedder=stub):
        query = prepare("saffron", space="plane", timeout=1)
    assert query.vector is None
    assert [leg.name for leg in find(plane, "", query=query)[0].legs] == ["keyword"]


def test_only_equal_spaces_are_compared(plane: Memories) -> None:
    put(plane, "one", [1, 0, 0])
    put(plane, "other size", [1, 0, 0, 0], space="solid")
    put(plane, "same size", [1, 0, 0], space="turned")
    for space, vector in (("plane", [1, 0, 0]), ("solid", [1, 0, 0, 0]), ("turned", [1, 0, 0])):
        assert len(find(plane, "", query=vector_only(vector, space))) == 1


def test_the_best_piece_of_a_long_text_counts(plane: Memories) -> None:
    memory = put(plane, "long", [0, 1, 0])
    with plane.inside():
        MemoryVector.objects.create(memory=memory, piece=1, space="plane", vector=[1, 0, 0])
    (hit,) = find(plane, "", query=vector_only([1, 0, 0], "plane"))
    assert hit.legs[0].score == pytest.approx(1)


def test_a_memory_without_its_vector_is_found_by_its_words(world: Memories) -> None:
    late = world.keep("saffron rice", of=world.visitor, vector=None)
    world.keep("The user likes tea.", of=world.visitor)
    hits = find(world, "saffron rice")
    assert [hit.id for hit in hits] == [late.pk]
    assert hits[0].leg == "keyword"


# --- fused ---------------------------------------------------------------------------------------


def test_every_hit_explains_itself(world: Memories) -> None:
    best = world.keep("saffron rice", of=world.visitor)
    world.keep("saffron tea with milk", of=world.visitor)
    hits = find(world, "saffron rice")
    assert hits[0].id == best.pk
    assert [hit.rank for hit in hits] == [1, 2]
    for hit in hits:
        assert {leg.name: leg.rank for leg in hit.legs} == {
            "semantic": hit.rank,
            "keyword": hit.rank,
        }
    assert hits[0].score > hits[1].score


def test_a_perfect_match_scores_high_in_any_scope(world: Memories) -> None:
    world.keep("saffron", of=world.visitor, key="/saffron", description="saffron")
    alone = find(world, "saffron")[0].score
    for number in range(20):
        world.keep(f"something else {number}", of=world.visitor)
    assert find(world, "saffron")[0].score == pytest.approx(alone, abs=0.05)
    assert 0.8 < alone <= 1


def test_ties_are_ordered_by_id_and_the_limit_cuts_them(world: Memories) -> None:
    kept = [world.keep("saffron", of=world.visitor, description="s").pk for _ in range(7)]
    hits = find(world, "saffron", limit=4)
    assert [hit.id for hit in hits] == kept[:4]
    assert len({hit.score for hit in hits}) == 1
    assert find(world, "saffron", limit=0) == []


def test_min_score_cuts_by_the_score_that_is_reported(world: Memories) -> None:
    world.keep("saffron rice", of=world.visitor)
    world.keep("saffron tea with milk", of=world.visitor)
    first, second = find(world, "saffron rice")
    between = (first.score + second.score) / 2
    assert [hit.id for hit in find(world, "saffron rice", min_score=between)] == [first.id]
    assert find(world, "saffron rice", min_score=1.1) == []


def test_presences_narrow(world: Memories) -> None:
    world.keep("saffron", presence=Presence.OMNIPRESENT)
    wanted = world.keep("saffron", presence=Presence.PATTERN, trigger_patterns=["x"])
    assert len(find(world, "saffron")) == 2
    hits = find(world, "saffron", groups=[Presence.PATTERN])
    assert [hit.id for hit in hits] == [wanted.pk]


def test_each_reader_finds_what_it_may_see(world: Memories) -> None:
    with world.inside():
        other = make_visitor()
    mine = world.keep("saffron mine", of=world.visitor).pk
    theirs = world.keep("saffron theirs", of=other).pk
    wide = world.keep("saffron for all").pk
    for reader, expected in [
        (Reader.for_chat(world.agent.pk, world.visitor.pk), {mine, wide}),
        (Reader.for_chat(world.agent.pk, None), {wide}),
        (Reader.for_person(other.pk), {theirs}),
        (Reader.for_member(), {mine, theirs, wide}),
        (Reader.for_key(world.agent.pk + 1), set()),
    ]:
        assert {hit.id for hit in find(world, "saffron", reader=reader)} == expected


def test_compiled_once_means_the_same_rows(world: Memories) -> None:
    readers = [
        Reader.for_chat(7, 8),
        Reader.for_chat(7, None),
        Reader.for_chat(9, 9),
        Reader.for_person(5),
        Reader.for_member(),
        Reader.for_member(3),
        Reader.for_key(4),
        Reader.for_shared(None),
        Reader.for_shared(6),
        Reader.for_shared(7, has_teams=True, team_id=3, workflow="", scope="team"),
        Reader.for_shared(8, has_teams=True, grants=(("planner", "private"),), workflow="w"),
        Reader.for_shared(9, has_teams=True, grants=(("writer", "team"),), workflow="v"),
    ]
    for reader in [*readers, *readers]:
        rows = Memory.objects.visible_to(reader).order_by().values("id")
        sql, values = rows.query.sql_with_params()
        seen = visible(reader, None)
        assert seen.values == tuple(values)
        assert seen.sql.partition(" FROM ")[2] == sql.partition(" FROM ")[2]


def test_the_indexes_are_used_as_the_application(world: Memories) -> None:
    """Leakproof operators only, so an index is open to each table under the policy."""
    world.keep("saffron", of=world.visitor)
    query = prepare("saffron rice", space=world.embedder.space, timeout=1)
    from memory.recall.fusion import best_of
    from memory.recall.search import _HITS

    with world.inside(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        top, values = best_of(visible(Reader.for_chat(world.agent.pk, None), None), query, limit=5)
        cursor.execute("EXPLAIN " + top + _HITS, values)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Seq Scan" not in plan
    conditions = [line for line in plan.splitlines() if "Index Cond" in line]
    assert len(conditions) == 3  # memories, postings, vectors
    assert all("tenant_id = " in line for line in conditions)


# --- calibration ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "space", ["wordllama-256", "minilm-384", "text-embedding-3-small-1536", "never-seen"]
)
def test_a_calibration_is_sane(space: str) -> None:
    figures = calibration_of(space)
    assert figures.far < figures.near <= 1
    assert figures.semantic + figures.keyword == pytest.approx(1)
    assert 0 < figures.floor < 0.3
    assert 0 <= figures.growth < 0.1


@given(st.text(max_size=100))
def test_any_message_can_be_prepared(message: str) -> None:
    stub = StubEmbedder()
    with providers.using(embedder=stub):
        query = prepare(message, space=stub.space, timeout=1)
    assert query.failed is None
    assert query.vector is None or np.isclose(np.linalg.norm(query.vector), 1)
