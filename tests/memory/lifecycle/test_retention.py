"""What has been kept long enough ends, once a day, and nothing else does."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F, Model
from django.db.models.functions import Now

from agents.models import Conversation, Message
from memory import review, store
from memory.learning import capture, observe
from memory.lifecycle import period, retention
from memory.lifecycle.erase import Receipt, erase_person
from memory.models import (
    Event,
    Memory,
    MemoryVector,
    MemoryVersion,
    MessageChunk,
    Mutation,
    Observation,
    Posting,
    RecallTrace,
    Run,
    Tombstone,
    Unembedded,
)
from memory.providers import using
from memory.stages import Tally
from tenants import limits
from tenants.actor import COMMAND, SYSTEM
from tenants.limits import Limit
from tenants.models import RateWindow
from tests.factories import (
    World,
    make_conversation,
    make_draft,
    make_memory,
    make_mutation,
    make_observation,
)
from tests.fakes import ScriptedLanguage, StubEmbedder, observed
from tests.race import at_once

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def world() -> World:
    return World()


def keep(world: World, **days: int | None) -> None:
    with world.inside():
        type(world.tenant).objects.filter(pk=world.tenant.pk).update(**days)


def aged(model: type[Model], column: str, days: float, **which: Any) -> None:
    """As if these rows had been made so many days ago."""
    rows = model._default_manager.filter(**which)
    rows.update(**{column: F(column) - timedelta(days=days)})


def captured(world: World, *lines: str) -> Conversation:
    with using(embedder=StubEmbedder()):
        prepared = capture.prepare(
            [capture.Said("user", line) for line in lines], space="stub-64", timeout=1
        )
    conversation = capture.conversation_of(
        agent_id=world.agent.pk, visitor_id=world.visitor.pk, external_id="c", channel="api"
    )
    capture.write(prepared, conversation=conversation)
    return conversation


def age_conversation(conversation: Conversation, days: float) -> None:
    aged(Conversation, "created_at", days, pk=conversation.pk)
    aged(Conversation, "last_received_at", days, pk=conversation.pk)
    aged(Message, "received_at", days, conversation=conversation)
    aged(Observation, "created_at", days, conversation=conversation)


def run(world: World) -> int:
    total = 0
    while (done := retention.step(world.tenant.pk)).taken:
        total += done.processed
    return total


# --- messages and observations ----------------------------------------------------------------


def test_without_a_setting_messages_stay_for_ever(world: World) -> None:
    with world.inside():
        age_conversation(captured(world, "I like tea"), 5_000)
    assert run(world) == 0
    with world.inside():
        assert Message.objects.count() == 1


def test_old_messages_go_with_their_index_and_the_conversation(world: World) -> None:
    keep(world, messages_days=30)
    with world.inside():
        conversation = captured(world, "I like tea", "I like rye")
        trace = RecallTrace.objects.create(
            agent=world.agent, visitor=world.visitor, message=conversation.messages.first()
        )
        age_conversation(conversation, 31)
    assert run(world) > 0
    with world.inside():
        for model in (Message, MessageChunk, MemoryVector, Posting, Unembedded, Conversation):
            assert not model._default_manager.exists(), model
        trace.refresh_from_db()
        assert trace.message_id is None


def test_new_messages_of_an_old_conversation_stay_and_are_observed(world: World) -> None:
    keep(world, messages_days=30)
    with world.inside():
        conversation = captured(world, "I like tea", "I like rye", "I like jazz")
        aged(Conversation, "created_at", 60)
        aged(Message, "received_at", 60, position__lte=2)
    run(world)
    with world.inside():
        conversation.refresh_from_db()
        assert [m.content for m in Message.objects.all()] == ["I like jazz"]
        assert MessageChunk.objects.count() == MemoryVector.objects.count() == 1
        assert (conversation.observed_to, conversation.last_position) == (2, 3)
    language = ScriptedLanguage(observed(("The user likes jazz.", "I like jazz", 1)))
    with using(language=language, embedder=StubEmbedder()):
        assert observe.step(world.tenant.pk, ignore_cooldown=True).processed == 1
    with world.inside():
        conversation.refresh_from_db()
        assert conversation.observed_to == 3


def test_a_mark_that_is_further_stays(world: World) -> None:
    keep(world, messages_days=30)
    with world.inside():
        conversation = captured(world, "one", "two", "three")
        Conversation.objects.update(observed_to=3)
        aged(Conversation, "created_at", 60)
        aged(Message, "received_at", 60, position=1)
    run(world)
    with world.inside():
        conversation.refresh_from_db()
        assert conversation.observed_to == 3
        assert Message.objects.count() == 2


def test_the_queue_outlives_its_messages_and_observations(world: World) -> None:
    keep(world, messages_days=30)
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor, draft=make_draft("Likes tea."))
        age_conversation(Conversation.objects.get(), 31)
    run(world)
    with world.inside():
        assert not Observation.objects.exists()
        assert not Message.objects.exists()
        assert Mutation.objects.pending().get().evidence == mutation.evidence
    assert review.approve(mutation_id=mutation.pk, by=world.admin).memory is not None


def test_an_observation_that_is_newer_keeps_its_conversation(world: World) -> None:
    keep(world, messages_days=30)
    with world.inside():
        observation = make_observation(world.agent, world.visitor)
        age_conversation(Conversation.objects.get(), 31)
        Observation.objects.update(created_at=Now())
    run(world)
    with world.inside():
        assert not Message.objects.exists()
        assert Observation.objects.get() == observation
        assert Conversation.objects.exists()
        others = [make_conversation(world.agent, world.visitor, "user: hello") for _ in range(3)]
        for conversation in others:
            age_conversation(conversation, 31)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retention, "CONVERSATIONS", 1)  # it does not stand in the way of others
        run(world)
    with world.inside():
        assert Conversation.objects.count() == 1


def test_more_than_a_batch_is_worked_off(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "CONVERSATIONS", 2)
    keep(world, messages_days=30)
    with world.inside():
        for _ in range(5):
            age_conversation(make_conversation(world.agent, world.visitor, "user: hello"), 31)
    run(world)
    with world.inside():
        assert not Conversation.objects.exists()


# --- what has no setting of messages -----------------------------------------------------------


@pytest.mark.parametrize(("days", "left"), [(29, 1), (31, 0)])
def test_traces_events_and_tombstones_end_by_their_time(world: World, days: int, left: int) -> None:
    with world.inside():
        RecallTrace.objects.create(agent=world.agent, visitor=world.visitor)
        make_memory(world.agent, world.visitor)
        Tombstone.objects.create(
            agent=world.agent, visitor=world.visitor, hash="h", expires_at=Now() + 30 * DAY
        )
        aged(RecallTrace, "at", days)
        aged(Event, "created_at", days)
        aged(Tombstone, "expires_at", days)
    run(world)
    with world.inside():
        for model in (RecallTrace, Event, Tombstone):
            assert model._default_manager.count() == left, model
        assert Memory.objects.count() == 1


def test_traces_follow_the_tenants_setting(world: World) -> None:
    keep(world, traces_days=7)
    with world.inside():
        RecallTrace.objects.create(agent=world.agent)
        aged(RecallTrace, "at", 8)
    assert run(world) == 1


def test_a_closed_memory_ends_when_it_cannot_be_restored_any_more(world: World) -> None:
    with world.inside():
        memories = [make_memory(world.agent, world.visitor, f"Fact {n}") for n in range(3)]
        wide = make_memory(world.agent, None, "For everybody")
        for memory in [*memories[:2], wide]:
            store.close(memory, because=Memory.Closed.DELETED, by=SYSTEM)
        aged(Memory, "deleted_at", 31, pk__in=[memories[0].pk, wide.pk])
        aged(Memory, "deleted_at", 29, pk=memories[1].pk)
    assert run(world) == 2
    with world.inside():
        assert set(Memory.objects.all()) == {memories[1], memories[2]}
        assert not MemoryVersion.objects.filter(memory_id=memories[0].pk).exists()
        assert not Event.objects.filter(memory_id=memories[0].pk).exclude(key="").exists()
        assert Event.objects.filter(memory_id=memories[1].pk).exclude(key="").exists()


def test_the_fresh_copy_of_an_undone_approval_outlives_the_memory(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor, draft=make_draft("Likes tea."))
    review.approve(mutation_id=mutation.pk, by=world.admin)
    fresh = review.undo(mutation_id=mutation.pk, by=world.admin).fresh
    assert fresh is not None
    with world.inside():
        aged(Memory, "deleted_at", 31)
    run(world)
    with world.inside():
        assert not Memory.objects.exists()
        left = Mutation.objects.get()
        assert (left.pk, left.status, left.earlier_id) == (fresh.pk, "pending", None)


# --- once a day --------------------------------------------------------------------------------


def test_it_runs_once_a_day_whoever_asks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with world.inside():
        RecallTrace.objects.create(agent=world.agent)
        aged(RecallTrace, "at", 31)
    assert retention.run().processed == 1
    kept = Run.objects.get(stage="retention")
    assert (kept.runs, kept.processed, kept.failed) == (1, 1, 0)
    assert kept.finished_at is not None
    monkeypatch.setattr(retention, "step", lambda _: pytest.fail("it was done"))
    assert retention.run().processed == 0
    assert Run.objects.filter(stage="retention").count() == 1


def test_a_run_that_died_is_taken_over_after_its_lease(world: World) -> None:
    assert period.take("retention", DAY, retention.LEASE)
    assert retention.run() == Tally(), "somebody is at it"
    Run.objects.update(started_at=F("started_at") - retention.LEASE)
    with world.inside():
        RecallTrace.objects.create(agent=world.agent)
        aged(RecallTrace, "at", 31)
    assert retention.run().processed == 1
    assert Run.objects.get().finished_at is not None


def test_a_run_whose_time_is_over_is_gone_on_with(world: World) -> None:
    with world.inside():
        RecallTrace.objects.create(agent=world.agent)
        aged(RecallTrace, "at", 31)
    assert retention.run(seconds=0).processed == 0
    assert Run.objects.get().finished_at is None
    assert retention.run().processed == 1
    assert Run.objects.get().finished_at is not None


def test_one_tenants_failure_does_not_hold_up_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = World()
    with there.inside():
        RecallTrace.objects.create(agent=there.agent)
        aged(RecallTrace, "at", 31)
    real = retention.step

    def fails(tenant_id: int) -> Tally:
        if tenant_id == world.tenant.pk:
            raise ZeroDivisionError
        return real(tenant_id)

    monkeypatch.setattr(retention, "step", fails)
    total = retention.run()
    assert (total.processed, total.failed) == (1, 1)


def test_what_belongs_to_no_tenant_is_swept(settings: Any) -> None:
    settings.RUNS_DAYS = 30
    Run.objects.create(stage="old", period=Now() - 40 * DAY, started_at=Now() - 31 * DAY)
    kept = Run.objects.create(stage="new", period=Now() - 20 * DAY, started_at=Now() - 29 * DAY)
    RateWindow.objects.create(bucket="b", window=1, count=1)
    limits.hit([Limit("test", "somebody", 5)], window=timedelta(hours=1))
    RateWindow.objects.create(bucket="c", window=2, count=1)
    retention.sweep()
    assert list(Run.objects.all()) == [kept]
    assert RateWindow.objects.count() == 1


# --- beside others -----------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_runs_at_once_are_one() -> None:
    world = World()
    with world.inside():
        RecallTrace.objects.create(agent=world.agent)
        aged(RecallTrace, "at", 31)
    results = at_once(retention.run, retention.run)
    assert sorted(each.processed for each in results) == [0, 1]
    assert Run.objects.get().runs == 1


@pytest.mark.django_db(transaction=True)
def test_it_runs_beside_an_erase_without_a_deadlock() -> None:
    world = World()
    keep(world, messages_days=30)
    with world.inside():
        for n in range(4):
            age_conversation(
                make_conversation(world.agent, world.visitor, *["user: hello"] * 5), 31
            )
            memory = make_memory(world.agent, world.visitor, f"Fact {n}")
            store.close(memory, because=Memory.Closed.DELETED, by=SYSTEM)
            RecallTrace.objects.create(agent=world.agent, visitor=world.visitor)
        aged(Memory, "deleted_at", 31)
        aged(RecallTrace, "at", 31)
    results = at_once(
        lambda: erase_person(tenant_id=world.tenant.pk, visitor_id=world.visitor.pk, by=COMMAND),
        lambda: retention.step(world.tenant.pk),
        lambda: retention.step(world.tenant.pk),
    )
    assert isinstance(results[0], Receipt), results
    assert all(isinstance(each, Tally) for each in results[1:]), results
    with world.inside():
        assert not Memory.objects.exists()
        assert not Message.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_it_runs_beside_somebody_who_takes_a_deletion_back_without_a_deadlock() -> None:
    """One lock order (G2): whose it is, the proposal, the memory."""
    world = World()
    mutations = []
    with world.inside():
        for n in range(6):
            memory = make_memory(world.agent, world.visitor, f"Fact {n}")
            mutations.append(
                make_mutation(world.agent, world.visitor, operation="delete", target=memory)
            )
    for mutation in mutations:
        review.approve(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        aged(Memory, "deleted_at", 31)

    def take_back() -> int:
        taken = 0
        for mutation in reversed(mutations):
            try:
                review.undo(mutation_id=mutation.pk, by=world.admin)
                taken += 1
            except review.ReviewRefused:
                continue  # erased by then
        return taken

    taken, done, again = at_once(
        take_back, *[lambda: retention.step(world.tenant.pk).processed] * 2
    )
    assert all(isinstance(each, int) for each in (taken, done, again)), (taken, done, again)
    assert taken + done + again == 6
    with world.inside():
        assert Memory.objects.live().count() == taken == Memory.objects.count()
