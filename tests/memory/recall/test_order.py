"""What places a hit beside its evidence: whom it is about, when it was said, and where."""

from typing import Any

import pytest

from agents.models import Visitor
from memory import store
from memory.models import Memory, Reader
from memory.recall.names import Names
from memory.recall.query import prepare
from memory.recall.search import Hit, search
from tests.factories import make_memory
from tests.memory.recall.conftest import Memories

pytestmark = pytest.mark.django_db


def keep(world: Memories, text: str, *, of: Visitor, **source: Any) -> Memory:
    hand = store.AtHand(world.embedder.space, world.embedder.embed([text], timeout=1)[0])
    with world.inside():
        return make_memory(world.agent, of, text, vector=hand, source=source)


def find(world: Memories, question: str, **fields: Any) -> list[Hit]:
    names = fields.pop("names", Names())
    query = prepare(question, space=world.embedder.space, timeout=1, names=names)
    with world.inside():
        reader = Reader.for_chat(world.agent.pk, world.visitor.pk)
        return search(reader, query, limit=10, **fields)


def test_a_memory_about_whom_the_question_names_comes_first(world: Memories) -> None:
    theirs = keep(world, "Tutor loves jazz concerts", of=world.visitor)
    hers = keep(world, "Mira loves jazz concerts", of=world.visitor)
    names = Names(visitor="Mira Holt", agent="Tutor")
    for question, first in (("Does Mira love jazz?", hers), ("Does Tutor love jazz?", theirs)):
        hits = find(world, question, names=names)
        assert hits[0].id == first.pk
        assert [hit.about for hit in hits] == [True, False]
    both = find(world, "Do Mira and Tutor love jazz?", names=names)
    assert not any(hit.about for hit in both)


def test_a_person_without_a_name_in_the_text_is_the_user(world: Memories) -> None:
    keep(world, "The tutor plays chess", of=world.visitor)
    own = keep(world, "The user plays chess", of=world.visitor)
    hits = find(world, "Does Mira play chess?", names=Names(visitor="Mira"))
    assert hits[0].id == own.pk


def test_what_was_said_at_the_time_that_is_asked_about_comes_first(world: Memories) -> None:
    june = keep(world, "The user visited the harbour", of=world.visitor, said_on="2023-06-02")
    may = keep(world, "The user visited the museum", of=world.visitor, said_on="2023-05-08")
    earlier = keep(world, "The user visited the garden", of=world.visitor, said_on="2022-05-08")
    keep(world, "The user visited the church", of=world.visitor)
    hits = find(world, "What did the user visit on May 8, 2023?")
    assert hits[0].id == may.pk
    assert {hit.id: hit.dated for hit in hits if hit.dated} == {may.pk: 1.5}
    hits = find(world, "What did the user visit in May?")
    assert {hit.id: hit.dated for hit in hits if hit.dated} == {may.pk: 1.0, earlier.pk: 1.0}
    assert june.pk in [hit.id for hit in hits]


@pytest.mark.parametrize("said_on", ["", "yesterday", "2023", "8 May 2023", None, 7])
def test_a_day_that_is_none_is_no_error(world: Memories, said_on: Any) -> None:
    keep(world, "The user visited the museum", of=world.visitor, said_on=said_on)
    (hit,) = find(world, "What did the user visit in May 2023?")
    assert hit.dated == 0


def test_memories_of_one_conversation_stand_up_for_each_other(world: Memories) -> None:
    """The same words, but beside one of them stands more that fits the question."""
    alone = keep(world, "They rented a small boat", of=world.visitor, conversation="1")
    together = keep(world, "They rented a small boat", of=world.visitor, conversation="2")
    keep(world, "The holiday in Greece was sunny", of=world.visitor, conversation="2")
    keep(world, "The garden needs water", of=world.visitor, conversation="1")
    hits = find(world, "What did they rent on holiday in Greece? A boat?")
    order = [hit.id for hit in hits]
    assert order.index(together.pk) < order.index(alone.pk)
    told = {hit.id: hit.told for hit in hits}
    assert told[together.pk] > told[alone.pk]
    assert all(0 <= value <= 1 for value in told.values())


def test_scores_stay_in_order_and_between_nothing_and_one(world: Memories) -> None:
    for number in range(12):
        keep(
            world,
            f"Mira visited the museum number {number}",
            of=world.visitor,
            conversation=str(number % 3),
            said_on=f"2023-0{number % 9 + 1}-08",
        )
    hits = find(world, "Which museum did Mira visit on May 8?", names=Names(visitor="Mira"))
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert scores[0] == pytest.approx(max(hit.evidence for hit in hits), abs=1e-5)
