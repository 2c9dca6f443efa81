"""Two hands at once, on two real connections; and no transaction open while a provider works."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from django.db import connection
from django.http import Http404

from agents.models import Visitor
from memory.lifecycle.erase import erase_person
from memory.models import Memory, Unembedded
from memory.people import by_hand, knowledge, persons
from memory.people.persons import Who
from memory.people.texts import AlreadyThere
from memory.providers.door import using
from memory.providers.types import Vector
from tenants.models import AuditEntry
from tests.factories import World, make_member
from tests.fakes import StubEmbedder
from tests.race import at_once

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 3
FACT = "The user likes green tea"
NOBODY = Who(host_id="somebody new")


class OutsideOnly(StubEmbedder):
    """Fails the test that calls it with a transaction open (rule 2)."""

    def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
        assert not connection.in_atomic_block, "a transaction is open during a provider's call"
        return super().embed(texts, timeout=timeout)


@pytest.fixture(autouse=True)
def embedder() -> Iterator[StubEmbedder]:
    with using(embedder=OutsideOnly()):
        yield OutsideOnly()


def person(world: World) -> Who:
    return Who(visitor_id=world.visitor.pk)


def memories(world: World) -> int:
    with world.inside():
        return Memory.objects.live().count()


def one_each(results: list[Any]) -> None:
    """One did it, the other was told so."""
    lost = [each for each in results if isinstance(each, AlreadyThere)]
    assert (len(results), len(lost)) == (2, 1), results
    assert not any(isinstance(each, Exception) for each in results if each not in lost), results


def test_one_text_by_two_hands_is_one_memory() -> None:
    for who in [NOBODY] * ROUNDS:
        world = World()

        def add(world: World = world, who: Who = who) -> Any:
            return by_hand.add_by_hand(by=world.admin, who=who, content=FACT)

        one_each(at_once(add, add))
        assert memories(world) == 1
        with world.inside():
            assert Visitor.objects.filter(host_id=NOBODY.host_id).count() == 1
            assert AuditEntry.objects.filter(verb="person_memory.added").count() == 1
            assert not Unembedded.objects.exists()


def test_one_entry_by_two_hands_is_one_entry() -> None:
    for _ in range(ROUNDS):
        world = World()

        def add(world: World = world) -> Any:
            return knowledge.add_knowledge(by=world.admin, agent_id=world.agent.pk, content=FACT)

        one_each(at_once(add, add))
        assert memories(world) == 1


def test_two_memories_that_become_one_text_do_not() -> None:
    for _ in range(ROUNDS):
        world = World()
        texts = ("The user likes oolong", "The user likes mate tea")
        rows = [
            by_hand.add_by_hand(
                by=world.admin,
                who=person(world),
                agent_id=world.agent.pk,
                category="preferences",
                content=text,
            ).memory
            for text in texts
        ]

        def change(row: Memory, world: World = world) -> Callable[[], Any]:
            return lambda: by_hand.change_by_hand(
                by=world.admin,
                who=person(world),
                agent_id=world.agent.pk,
                memory_id=row.pk,
                content=FACT,
            )

        one_each(at_once(*(change(row) for row in rows)))
        with world.inside():
            assert sorted(Memory.objects.values_list("content", flat=True)).count(FACT) == 1


def test_what_two_delete_is_deleted_once() -> None:
    world = World()
    row = by_hand.add_by_hand(by=world.admin, who=person(world), content=FACT).memory

    def delete() -> None:
        by_hand.delete_by_hand(by=world.admin, who=person(world), memory_id=row.pk)

    results = at_once(delete, delete)
    assert sorted(type(each) is Http404 for each in results) == [False, True], results
    with world.inside():
        assert AuditEntry.objects.filter(verb="person_memory.deleted").count() == 1


def test_nothing_is_left_behind_an_erase_that_runs_meanwhile() -> None:
    for _ in range(ROUNDS):
        world = World()
        with world.inside():
            Visitor.objects.filter(pk=world.visitor.pk).update(host_id="going")
        results = at_once(
            lambda world=world: by_hand.add_by_hand(  # type: ignore[misc]
                by=world.admin, who=person(world), content=FACT
            ),
            lambda world=world: erase_person(  # type: ignore[misc]
                tenant_id=world.tenant.pk, visitor_id=world.visitor.pk, by=world.admin.actor
            ),
        )
        assert not isinstance(results[1], Exception), results
        assert isinstance(results[0], by_hand.Written | Http404), results
        assert memories(world) == 0


def test_both_switches_set_at_once_are_both_set() -> None:
    world = World()
    results = at_once(
        lambda: persons.set_settings(by=world.admin, who=NOBODY, auto_capture_enabled=False),
        lambda: persons.set_settings(by=world.admin, who=NOBODY, use_memory_in_responses=False),
    )
    assert not any(isinstance(each, Exception) for each in results), results
    with world.inside():
        visitor = Visitor.objects.get(host_id=NOBODY.host_id)
        assert (visitor.auto_capture_enabled, visitor.use_memory_in_responses) == (False, False)


def test_a_tools_text_may_be_short() -> None:
    world = World()
    with world.inside():
        editor = make_member("editor")
    written = by_hand.add_by_hand(by=editor, who=person(world), content="Tea", at_least=1)
    assert written.memory.content == "Tea"
