"""What agents share ends when the organisation has kept it long enough, and not before."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.db.models import F, Model
from django.db.models.functions import Now

from memory import store
from memory.lifecycle import retention
from memory.models import (
    Draft,
    Event,
    Memory,
    MemoryVersion,
    Mutation,
    Reader,
    Scope,
    ScratchEntry,
    WorkflowUsage,
)
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tenants.models import Tenant
from tests.factories import World, make_memory
from tests.race import at_once
from tests.sealed import make_shared

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def world() -> World:
    return World()


def keep(world: World, **days: int | None) -> None:
    with world.inside():
        Tenant.objects.filter(pk=world.tenant.pk).update(**days)


def aged(model: type[Model], column: str, days: float, **which: Any) -> None:
    rows = model._default_manager.filter(**which)
    rows.update(**{column: F(column) - timedelta(days=days)})


def run(world: World) -> int:
    total = 0
    while (done := retention.step(world.tenant.pk)).taken:
        total += done.processed
    return total


def test_memories_days_closes_shared_memories_alone(world: World) -> None:
    keep(world, memories_days=90)
    with world.inside():
        old, young = make_shared("old"), make_shared("young")
        make_memory(world.agent, world.visitor)
        aged(Memory, "created_at", 91, kind="learned")
        aged(Memory, "created_at", 91, pk=old.pk)
        aged(Memory, "created_at", 89, pk=young.pk)
    assert run(world) == 1
    with world.inside():
        old.refresh_from_db()
        assert (old.closed_because, old.deleted_at is None) == ("retained", False)
        assert {m.kind for m in Memory.objects.live()} == {"shared", "learned"}
        assert Event.objects.filter(kind="memory.deleted", memory_id=old.pk).count() == 1
        assert Event.objects.filter(kind="memory.expired").count() == 0


def test_without_a_setting_they_are_kept_for_ever(world: World) -> None:
    with world.inside():
        live, closed = make_shared("live"), make_shared("closed")
        store.close(closed, because=Memory.Closed.DELETED, by=SYSTEM)
        for column in ("created_at", "valid_from", "deleted_at"):
            aged(Memory, column, 4_000)
        aged(MemoryVersion, "made_at", 4_000)
    run(world)
    with world.inside():
        assert Memory.objects.count() == 2
        closed.refresh_from_db()
        assert closed.deleted_at is not None
        then = closed.deleted_at - timedelta(microseconds=1)
        seen = Memory.objects.visible_to(Reader.for_shared(None), at=then)
        assert set(seen) == {live, closed}, "`atTime` answers what was deleted since"


@pytest.mark.parametrize(("made", "closed", "left"), [(91, 31, 0), (91, 29, 1), (89, 31, 1)])
def test_a_closed_one_is_erased_30_days_after_at_the_earliest(
    world: World, made: int, closed: int, left: int
) -> None:
    keep(world, memories_days=90)
    with world.inside():
        memory = make_shared("closed")
        store.close(memory, because=Memory.Closed.EXPIRED, by=SYSTEM)
        aged(Memory, "created_at", made)
        aged(Memory, "deleted_at", closed)
    run(world)
    with world.inside():
        assert Memory.objects.count() == MemoryVersion.objects.values("memory").distinct().count()
        assert Memory.objects.count() == left


def test_one_that_another_replaced_is_closed_and_erased_before_it(world: World) -> None:
    keep(world, memories_days=90)
    with world.inside():
        earlier, later = make_shared("earlier"), make_shared("later")
        Memory.objects.filter(pk=earlier.pk).update(superseded_by=later, valid_to=Now())
        aged(Memory, "created_at", 91)
    assert run(world) == 2
    with world.inside():
        aged(Memory, "deleted_at", 31)
    assert run(world) == 2
    with world.inside():
        assert not Memory.objects.exists()


def test_a_successor_waits_for_what_it_replaced(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Erased first, it would leave two live rows of one fact."""
    keep(world, memories_days=90)
    with world.inside():
        first = make_shared("first", fact_key="f")
        second = instead_of("second", first)
        store.close(second, because=Memory.Closed.DELETED, by=SYSTEM)
        third = make_shared("third", fact_key="f")
        aged(Memory, "created_at", 91, pk__in=[first.pk, second.pk])
        aged(Memory, "deleted_at", 31)
    monkeypatch.setattr("memory.lifecycle.retention_shared._close", lambda *_: 0)
    assert run(world) == 0
    monkeypatch.undo()
    assert run(world) == 2  # the first is closed, and then the second is erased
    with world.inside():
        assert set(Memory.objects.all()) == {first, third}
        assert Memory.objects.live().get() == third
        aged(Memory, "deleted_at", 31)
    run(world)
    with world.inside():
        assert Memory.objects.get() == third


def instead_of(text: str, earlier: Memory) -> Memory:
    draft = Draft(content=text, scope=Scope.GLOBAL, fact_key=earlier.fact_key)
    return store.share(draft, writer=agent_called("a"), by=SYSTEM, instead_of=[(earlier, "fact")])


@pytest.mark.parametrize(("days", "left"), [(29, 1), (31, 0)])
def test_scratch_by_its_setting(world: World, days: int, left: int) -> None:
    with world.inside():
        ScratchEntry.objects.create(workflow="w", key="k", value=1)
        aged(ScratchEntry, "set_at", days)
    assert run(world) == 1 - left
    keep(world, scratch_days=7)
    run(world)
    with world.inside():
        assert not ScratchEntry.objects.exists()


def test_usage_is_kept_for_a_year(world: World) -> None:
    today = date.today()
    with world.inside():
        for days in (364, 367):
            WorkflowUsage.objects.create(workflow="w", day=today - days * DAY, writes=1)
    assert run(world) == 1
    with world.inside():
        assert WorkflowUsage.objects.get().day == today - 364 * DAY


def test_ended_conflicts_go_with_the_memories_and_waiting_ones_stay(world: World) -> None:
    keep(world, memories_days=90)
    with world.inside():
        fields = {
            "writer": agent_called("b"),
            "operation": "add",
            "approver": "org-admin",
            "draft": Draft(content="The deadline is Monday.", scope=Scope.TEAM).given(),
        }
        ended = {"status": "rejected", "resolution": "expired"}
        Mutation.objects.create(**fields, **ended, resolved_at=Now() - 91 * DAY)
        young = Mutation.objects.create(**fields, **ended, resolved_at=Now() - 89 * DAY)
        waiting = Mutation.objects.create(**fields)
        aged(Mutation, "created_at", 91)
    assert run(world) == 1
    with world.inside():
        assert set(Mutation.objects.all()) == {young, waiting}


@pytest.mark.django_db(transaction=True)
def test_two_nights_at_once_close_each_once() -> None:
    world = World()
    keep(world, memories_days=90)
    with world.inside():
        for number in range(10):
            make_shared(f"fact {number}")
        aged(Memory, "created_at", 91)
    done = at_once(*[lambda: retention.step(world.tenant.pk).processed] * 2)
    assert sum(done) == 10, done
    with world.inside():
        assert Event.objects.filter(kind="memory.deleted").count() == 10
