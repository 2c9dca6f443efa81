"""What has expired is unseen at once, and closed and told once (field fault 17)."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now

from memory import store
from memory.interfaces import tasks
from memory.lifecycle import sweep
from memory.models import (
    Draft,
    Event,
    Memory,
    MemoryVersion,
    Mutation,
    Reader,
    Run,
    Scope,
    ScratchEntry,
)
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tenants.directory import tenants_with_work
from tenants.models import AuditEntry
from tests.factories import World, make_memory, make_mutation
from tests.race import at_once
from tests.sealed import make_shared

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def world() -> World:
    return World()


def expire(memory: Memory, ago: timedelta = SECOND) -> None:
    Memory.objects.filter(pk=memory.pk).update(expires_at=Now() - ago)


def run(world: World) -> int:
    total = 0
    while (done := sweep.step(world.tenant.pk)).taken:
        total += done.processed
        assert not done.stop
    return total


def conflict(**fields: Any) -> Mutation:
    return Mutation.objects.create(
        writer=agent_called("b"),
        operation="add",
        approver="org-admin",
        draft=Draft(content="The deadline is Monday.", scope=Scope.TEAM).given(),
        hash="h",
        **fields,
    )


def told(kind: str) -> int:
    return Event.objects.filter(kind=kind).count()


def test_it_is_closed_and_told_once(world: World) -> None:
    with world.inside():
        gone, stays, never = (make_shared(text) for text in ("gone", "stays", "never"))
        expire(gone)
        expire(stays, -timedelta(hours=1))
    assert tenants_with_work("sweep") == [world.tenant.pk]
    assert run(world) == 1
    assert run(world) == 0
    assert tenants_with_work("sweep") == []
    with world.inside():
        gone.refresh_from_db()
        assert (gone.closed_because, gone.deleted_at is None) == ("expired", False)
        assert MemoryVersion.objects.filter(memory=gone, because="closed").count() == 1
        (event,) = Event.objects.filter(kind="memory.expired")
        assert (event.memory_uid, event.is_shared) == (gone.uid, True)
        assert set(Memory.objects.live()) == {stays, never}


def test_every_kind_that_expires_is_swept(world: World) -> None:
    with world.inside():
        person = make_memory(world.agent, world.visitor)
        wide = make_memory(world.agent, None)
        for memory in (person, wide):
            expire(memory)
    assert run(world) == 2
    with world.inside():
        assert not Memory.objects.live().exists()
        assert told("memory.expired") == 0, "that event is of shared memory"
        assert told("memory.deleted") == 2


def test_a_switched_off_memory_or_person_is_swept_all_the_same(world: World) -> None:
    with world.inside():
        expire(make_memory(world.agent, world.visitor))
        type(world.tenant).objects.update(memory_enabled=False)
    assert run(world) == 1


def test_one_that_was_replaced_or_deleted_has_ended_already(world: World) -> None:
    with world.inside():
        closed = make_shared("closed")
        store.close(closed, because=Memory.Closed.DELETED, by=SYSTEM)
        earlier = make_shared("replaced")
        later = make_shared("later")
        Memory.objects.filter(pk=earlier.pk).update(superseded_by=later, valid_to=Now())
        for memory in (closed, earlier):
            expire(memory)
    assert tenants_with_work("sweep") == []
    assert run(world) == 0
    with world.inside():
        assert told("memory.expired") == 0


def test_a_conflict_ends_with_its_write(world: World) -> None:
    with world.inside():
        gone = conflict(expires_at=Now() - SECOND)
        stays = conflict(expires_at=Now() + timedelta(hours=1))
        of_an_agent = make_mutation(world.agent, world.visitor)
        Mutation.objects.filter(pk=of_an_agent.pk).update(expires_at=Now() - SECOND)
    assert tenants_with_work("sweep") == [world.tenant.pk]
    assert run(world) == 1
    with world.inside():
        gone.refresh_from_db()
        assert (gone.status, gone.resolution, gone.version) == ("rejected", "expired", 2)
        assert gone.resolved_at is not None
        assert set(Mutation.objects.pending()) == {stays, of_an_agent}
        (event,) = Event.objects.filter(kind="memory.conflict_resolved")
        assert event.memory_uid == gone.uid
        assert event.detail["outcome"] == "expired"
        assert AuditEntry.objects.filter(verb="conflict.expired", subject_id=gone.pk).count() == 1


def test_scratch_goes_for_good(world: World) -> None:
    with world.inside():
        for key, ends in (
            ("gone", Now() - SECOND),
            ("stays", Now() + SECOND * 60),
            ("never", None),
        ):
            ScratchEntry.objects.create(workflow="w", key=key, value=1, expires_at=ends)
    assert run(world) == 1
    with world.inside():
        assert set(ScratchEntry.objects.values_list("key", flat=True)) == {"stays", "never"}


def test_more_than_a_batch_is_worked_off_and_the_run_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "BATCH", 2)
    with world.inside():
        for number in range(5):
            expire(make_shared(f"fact {number}"))
    assert tasks.work("sweep").processed == 5
    assert Run.objects.get(stage="sweep").processed == 5


@pytest.mark.django_db(transaction=True)
def test_two_sweeps_at_once_tell_of_each_once() -> None:
    world = World()
    with world.inside():
        for number in range(10):
            expire(make_shared(f"fact {number}"))
            expire(make_memory(world.agent, world.visitor, f"fact {number}"))
            conflict(expires_at=Now() - SECOND)
    done = at_once(*[lambda: sweep.step(world.tenant.pk)] * 3)
    assert sum(each.processed for each in done) == 30, done
    with world.inside():
        assert told("memory.expired") == told("memory.conflict_resolved") == 10
        versions = MemoryVersion.objects.filter(because="closed")
        assert versions.count() == versions.values("memory").distinct().count() == 20


def test_unseen_before_any_sweep_by_every_reader(world: World) -> None:
    """Fault 17: nothing waits for a clean-up."""
    with world.inside():
        shared = make_shared("The harbour is closed")
        person = make_memory(world.agent, world.visitor, "The user likes tea.")
        readers = [
            Reader.for_chat(world.agent.pk, world.visitor.pk),
            Reader.for_person(world.visitor.pk),
            Reader.for_member(world.agent.pk),
            Reader.for_member(),
            Reader.for_key(),
            Reader.for_shared(None),
            Reader.for_shared(shared.writer_id),
        ]
        seen = {m.pk for reader in readers for m in Memory.objects.visible_to(reader)}
        assert seen == {shared.pk, person.pk}
        for memory in (shared, person):
            expire(memory)
        for reader in readers:
            assert not Memory.objects.visible_to(reader).exists(), reader
        Memory.objects.update(created_at=F("created_at") - timedelta(hours=2))
        Memory.objects.update(valid_from=F("valid_from") - timedelta(hours=2))
        shared.refresh_from_db()
        assert shared.expires_at is not None
        then = Reader.for_shared(None)
        before, at = shared.expires_at - SECOND, shared.expires_at
        MemoryVersion.objects.update(made_at=F("made_at") - timedelta(hours=2))
        assert Memory.objects.visible_to(then, at=before).get() == shared
        assert not Memory.objects.visible_to(then, at=at).exists(), "the end itself is outside"
