"""Memories near a proposal in meaning: its own scope and embedding space only."""

import numpy as np
import pytest

from memory.interfaces.pages.similar import similar_to
from memory.store import AtHand
from tests.factories import make_memory, make_mutation, make_visitor
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db


def at_hand(*numbers: float, space: str = "three") -> AtHand:
    return AtHand(space, np.array(numbers, dtype=np.float32))


def test_the_nearest_come_first_and_strangers_not_at_all(world: Pages) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor, "near", vector=at_hand(1, 0.2, 0))
        make_memory(world.agent, world.visitor, "nearest", vector=at_hand(1, 0, 0))
        make_memory(world.agent, world.visitor, "far", vector=at_hand(0, 0, 1))
        make_memory(world.agent, world.visitor, "no vector")
        make_memory(world.agent, world.visitor, "other space", vector=at_hand(1, 0, 0, space="x"))
        make_memory(world.agent, make_visitor(), "other person", vector=at_hand(1, 0, 0))
        make_memory(world.agent, None, "for everyone", vector=at_hand(1, 0, 0))
        mutation = make_mutation(world.agent, world.visitor, space="three", vector=[1, 0, 0])
        found = similar_to(mutation)
    assert [(near.text, near.operation) for near in found] == [
        ("nearest", "almost the same"),
        ("near", "almost the same"),
    ]
    page = world.client().get(world.at(f"review/{mutation.pk}/")).content.decode()
    assert page.index("nearest</p>") < page.index("near</p>")


def test_the_target_is_not_near_itself_and_no_vector_finds_nothing(world: Pages) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, vector=at_hand(1, 0, 0))
        change = make_mutation(
            world.agent, world.visitor, operation="delete", target=memory, space="three",
            vector=[1, 0, 0],
        )  # fmt: skip
        assert similar_to(change) == []
        assert similar_to(make_mutation(world.agent, world.visitor)) == []
