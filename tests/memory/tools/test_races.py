"""Two calls at once, over two real connections: one memory a key, one a text, nothing lost."""

import pytest

from agents.models import Mode
from memory import review, tools
from memory.models import Memory, MemoryVersion, Mutation
from memory.tools import Outcome, Person
from tenants.actor import SYSTEM, Actor
from tests.factories import World, make_agent
from tests.race import at_once

pytestmark = pytest.mark.django_db(transaction=True)

PORTO, LISBON = "The user lives in Porto.", "The user lives in Lisbon."


def of(world: World, agent_id: int | None = None) -> Person:
    by = Actor.person() if agent_id is None else SYSTEM
    return Person(world.tenant.pk, world.visitor.pk, by, "test", agent_id)


def test_two_calls_with_one_key_are_one_memory() -> None:
    world = World()
    outcomes = at_once(
        lambda: tools.remember(of(world), content=PORTO, key="home-city"),
        lambda: tools.remember(of(world), content=LISBON, key="home-city"),
    )
    assert all(isinstance(each, Outcome) for each in outcomes), outcomes
    assert sorted(each.status for each in outcomes) == ["saved", "updated"]
    assert outcomes[0].id == outcomes[1].id
    last = PORTO if outcomes[0].status == "updated" else LISBON
    with world.inside():
        assert Memory.objects.get().content == last
        assert MemoryVersion.objects.count() == 2


def test_two_calls_with_one_text_are_one_memory() -> None:
    world = World()
    with world.inside():
        agent = make_agent(mode=Mode.AUTOMATIC)
    outcomes = at_once(
        lambda: tools.remember(of(world), content=PORTO),
        lambda: tools.remember(of(world, agent.pk), content=PORTO),
    )
    assert sorted(each.status for each in outcomes) == ["duplicate", "saved"]
    with world.inside():
        assert Memory.objects.count() == 1


def test_two_proposals_with_one_key_are_one_card() -> None:
    world = World()
    outcomes = at_once(
        lambda: tools.remember(of(world, world.agent.pk), content=PORTO, key="home-city"),
        lambda: tools.remember(of(world, world.agent.pk), content=LISBON, key="home-city"),
    )
    assert [each.status for each in outcomes] == ["pending", "pending"]
    with world.inside():
        assert Mutation.objects.get().said_count == 2


def test_an_approval_and_the_person_at_once_leave_one_memory_of_the_key() -> None:
    world = World()
    tools.remember(of(world, world.agent.pk), content=PORTO, key="home-city")
    with world.inside():
        number = Mutation.objects.get().pk
    approved, said = at_once(
        lambda: review.approve(mutation_id=number, by=world.admin),
        lambda: tools.remember(of(world), content=LISBON, key="home-city"),
    )
    assert isinstance(said, Outcome), said
    with world.inside():
        row = Memory.objects.get()
        if isinstance(approved, review.Stale):
            assert (row.content, said.status) == (LISBON, "saved")
        else:
            assert (row.content, said.status) == (LISBON, "updated")
            assert not isinstance(approved, Exception), approved


def test_a_change_and_a_forget_at_once_end_in_nothing_or_an_honest_error() -> None:
    world = World()
    tools.remember(of(world), content=PORTO, key="home-city")
    changed, forgotten = at_once(
        lambda: tools.update_memory(of(world), key="home-city", content=LISBON),
        lambda: tools.forget(of(world), key="home-city"),
    )
    assert isinstance(forgotten, Outcome), forgotten
    assert isinstance(changed, Outcome | tools.ToolError), changed
    with world.inside():
        assert not Memory.objects.exists()
