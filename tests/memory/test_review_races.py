"""Two reviewers at once, on two real connections: one winner, nothing twice (field's fault 7)."""

from collections.abc import Callable
from typing import Any

import pytest

from memory import review
from memory.models import Draft, Event, Memory, Mutation
from tenants.models import AuditEntry
from tests.factories import World, make_draft, make_member, make_memory, make_mutation
from tests.race import at_once

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5


def decisions() -> int:
    return AuditEntry.objects.filter(
        verb__in=["mutation.approved", "mutation.edited", "mutation.rejected"]
    ).count()


@pytest.mark.parametrize(
    "verbs", [("approve", "approve"), ("approve", "reject"), ("edit", "approve")]
)
def test_one_decision_wins_and_the_other_is_told(verbs: tuple[str, str]) -> None:
    for _ in range(ROUNDS):
        world = World()
        with world.inside():
            mutation = make_mutation(world.agent, world.visitor)
            colleague = make_member("editor")

        def act(verb: str, by: Any, number: int = mutation.pk) -> Callable[[], Any]:
            more = {"changes": {"content": "The user likes mate."}} if verb == "edit" else {}
            return lambda: getattr(review, verb)(mutation_id=number, by=by, **more)

        results = at_once(act(verbs[0], world.admin), act(verbs[1], colleague))
        lost = [r for r in results if isinstance(r, review.AlreadyDecided)]
        won = [r for r in results if isinstance(r, review.Decided)]
        assert (len(won), len(lost)) == (1, 1), results
        with world.inside():
            applied = 1 if won[0].mutation.status == "approved" else 0
            assert Memory.objects.count() == applied
            assert Event.objects.count() == applied
            assert decisions() == 1


def test_two_adds_of_one_key_make_one_memory_and_one_stale_proposal() -> None:
    for _ in range(ROUNDS):
        world = World()
        with world.inside():
            first, second = (
                make_mutation(world.agent, world.visitor, draft=make_draft(text, key="/drinks"))
                for text in ("The user likes tea.", "The user likes mate.")
            )
        results = at_once(
            lambda n=first.pk, w=world: review.approve(mutation_id=n, by=w.admin),  # type: ignore[misc]
            lambda n=second.pk, w=world: review.approve(mutation_id=n, by=w.admin),  # type: ignore[misc]
        )
        assert sorted(type(r).__name__ for r in results) == ["Decided", "Stale"], results
        with world.inside():
            assert Memory.objects.count() == 1
            assert Mutation.objects.filter(resolution="stale").count() == 1


def test_two_changes_of_one_memory_are_not_laid_over_each_other() -> None:
    for _ in range(ROUNDS):
        world = World()
        with world.inside():
            memory = make_memory(world.agent, world.visitor)
            numbers = [
                make_mutation(
                    world.agent, world.visitor, operation="modify", target=memory,
                    draft=Draft(content=text),
                ).pk
                for text in ("The user likes rooibos.", "The user likes mate.")
            ]  # fmt: skip
        results = at_once(
            *(lambda n=n, w=world: review.approve(mutation_id=n, by=w.admin) for n in numbers)
        )
        assert sorted(type(r).__name__ for r in results) == ["Decided", "Stale"], results
        with world.inside():
            memory.refresh_from_db()
            assert memory.version == 2


def test_two_undos_take_back_once() -> None:
    world = World()
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    review.approve(mutation_id=mutation.pk, by=world.admin)
    results = at_once(
        *[lambda: review.undo(mutation_id=mutation.pk, by=world.admin) for _ in range(2)]
    )
    assert sorted(type(r).__name__ for r in results) == ["CannotUndo", "Decided"], results
    with world.inside():
        assert Mutation.objects.pending().count() == 1
