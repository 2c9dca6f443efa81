"""Contract 4's order: reciprocal ranks of three legs, above the same calibrated floor."""

from typing import Any

import pytest

from memory.models import Memory, Reader
from memory.recall.fusion import RRF_K, RRF_WEIGHTS
from memory.recall.query import Query, prepare
from memory.recall.search import Hit, search
from tests.factories import make_visitor
from tests.memory.recall.conftest import Memories

pytestmark = pytest.mark.django_db

TEXTS = ["saffron rice", "saffron tea with milk", "green tea", "the harbour at night", "a red coat"]


@pytest.fixture
def kept(world: Memories) -> list[Memory]:
    return [world.keep(text, of=world.visitor) for text in TEXTS]


def ranked(world: Memories, message: str, **fields: Any) -> list[Hit]:
    query = fields.pop("query", None) or prepare(message, space=world.embedder.space, timeout=1)
    with world.inside():
        return search(
            Reader.for_chat(world.agent.pk, world.visitor.pk),
            query,
            **{"limit": 10, "fusion": "rrf", **fields},
        )


def by_formula(hit: Hit) -> float:
    return sum(RRF_WEIGHTS[leg.name] / (RRF_K + leg.rank) for leg in hit.legs)


def test_the_score_is_the_sum_over_the_ranks(world: Memories, kept: list[Memory]) -> None:
    hits = ranked(world, "saffron tea", graph=[kept[3].pk, kept[1].pk])
    assert {hit.id for hit in hits} >= {kept[0].pk, kept[1].pk, kept[3].pk}
    for hit in hits:
        assert hit.score == pytest.approx(by_formula(hit), abs=1e-6)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    graph = {hit.id: leg.rank for hit in hits for leg in hit.legs if leg.name == "graph"}
    assert graph == {kept[3].pk: 1, kept[1].pk: 2}


def test_the_floor_is_the_calibrated_one_in_both_orders(
    world: Memories, kept: list[Memory]
) -> None:
    with world.inside():
        query = prepare("saffron tea", space=world.embedder.space, timeout=1)
        reader = Reader.for_chat(world.agent.pk, world.visitor.pk)
        calibrated = {hit.id: hit.evidence for hit in search(reader, query, limit=10)}
    hits = ranked(world, "saffron tea")
    assert {hit.id: hit.evidence for hit in hits} == calibrated
    between = sorted(calibrated.values())[-1] - 1e-6
    assert len(ranked(world, "saffron tea", min_score=between)) == 1


@pytest.mark.parametrize("message", ["velvet submarine parking lottery", "", "%", "& | !"])
def test_an_unrelated_query_finds_nothing_however_it_is_ordered(
    world: Memories, kept: list[Memory], message: str
) -> None:
    assert ranked(world, message) == []


def test_the_graph_reaches_only_what_is_in_sight(world: Memories, kept: list[Memory]) -> None:
    with world.inside():
        other = make_visitor()
    theirs = world.keep("saffron theirs", of=other).pk
    hits = ranked(world, "velvet submarine", graph=[theirs, 2**40, kept[4].pk, kept[4].pk])
    assert [hit.id for hit in hits] == [kept[4].pk]
    assert {leg.name: leg.rank for leg in hits[0].legs}["graph"] == 1


def test_the_graph_alone_answers_a_query_without_words(world: Memories, kept: list[Memory]) -> None:
    asked = Query(message="", space=world.embedder.space)
    assert [hit.id for hit in ranked(world, "", query=asked, graph=[kept[2].pk])] == [kept[2].pk]
    assert ranked(world, "", query=asked) == []
    # A demand for evidence is one on the text: the graph has none to show.
    assert ranked(world, "", query=asked, graph=[kept[2].pk], min_score=0.1) == []


def test_equal_ranks_are_ordered_by_id_and_the_limit_cuts(world: Memories) -> None:
    kept = [world.keep("saffron", of=world.visitor, description="s").pk for _ in range(7)]
    assert [hit.id for hit in ranked(world, "saffron", limit=4)] == kept[:4]
    assert ranked(world, "saffron", limit=0) == []
