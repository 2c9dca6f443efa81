"""Two connections: nothing comes back from a job that was running, and nobody waits for ever."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from agents.models import Conversation, Mode, Visitor
from memory import review
from memory.learning import capture, embed, extract, observe, reconcile
from memory.lifecycle.erase import NoSuchPerson, Receipt, erase_person
from memory.lifecycle.forget import NoSuchMemory, forget
from memory.lifecycle.registry import PERSONS
from memory.models import Memory, Mutation, Unembedded
from memory.providers import using
from memory.providers.types import Vector
from memory.recall.context import Recalled
from memory.recall.traces import store_trace
from tenants.actor import COMMAND, Actor
from tests.factories import (
    World,
    make_conversation,
    make_draft,
    make_memory,
    make_mutation,
    make_observation,
    make_visitor,
)
from tests.fakes import Meanwhile, StubEmbedder, decided, observed
from tests.race import at_once

pytestmark = pytest.mark.django_db(transaction=True)
TEA = "The user likes gloamwood tea."


@pytest.fixture
def world() -> World:
    return World()


def erase(world: World) -> Receipt:
    return erase_person(tenant_id=world.tenant.pk, visitor_id=world.visitor.pk, by=COMMAND)


def elsewhere(act: Callable[[], Any]) -> Callable[[], None]:
    """The act on a connection of its own, done before this returns."""

    def run() -> None:
        (result,) = at_once(act)
        if isinstance(result, Exception):
            raise result

    return run


def left(world: World) -> dict[str, int]:
    """Rows by table that belong to anybody but the tenant; events carry no words any more."""
    with world.inside():
        counts = {p.table: p.model._default_manager.count() for p in PERSONS if p.fate == "delete"}
    return {table: number for table, number in counts.items() if number}


def said(text: str = TEA) -> capture.Prepared:
    with using(embedder=StubEmbedder()):
        return capture.prepare([capture.Said("user", text)], space="stub-64", timeout=1)


def test_an_observation_that_arrives_late_is_dropped(world: World) -> None:
    with world.inside():
        make_conversation(world.agent, world.visitor, f"user: {TEA}")
    language = Meanwhile(elsewhere(lambda: erase(world)), observed((TEA, TEA, 1)))
    with using(language=language, embedder=StubEmbedder()):
        assert observe.step(world.tenant.pk).processed == 0
    assert left(world) == {}


def test_a_proposal_that_arrives_late_is_dropped(world: World) -> None:
    with world.inside():
        make_observation(world.agent, world.visitor, TEA)
    add = {"operation": "add", "key": "/tea", "description": "d", "content": TEA,
           "presence": "on-demand"}  # fmt: skip
    language = Meanwhile(elsewhere(lambda: erase(world)), decided("mutate", add))
    with using(language=language, embedder=StubEmbedder()):
        assert reconcile.step(world.tenant.pk).mutated == 0
    assert left(world) == {}


def test_a_fact_that_arrives_late_is_dropped(world: World) -> None:
    with world.inside():
        world.agent.mode = Mode.AUTOMATIC
        world.agent.save()
        make_conversation(world.agent, world.visitor, f"user: {TEA}")
    told = json.dumps({"has_memories": True, "global_memories": [TEA], "mentor_memories": {}})
    with using(language=Meanwhile(elsewhere(lambda: erase(world)), told), embedder=StubEmbedder()):
        assert extract.step(world.tenant.pk).processed == 0
    assert left(world) == {}


class Slow(StubEmbedder):
    """Something happens while it embeds."""

    act: Callable[[], None]

    def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
        self.act()
        return super().embed(texts, timeout=timeout)


def test_vectors_that_arrive_late_are_dropped(world: World) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor, TEA)
        assert Unembedded.objects.count() == 1
    slow = Slow()
    slow.act = elsewhere(lambda: erase(world))
    with using(embedder=slow):
        assert embed.step(world.tenant.pk).processed == 0
    assert left(world) == {}


def test_an_edit_that_was_being_embedded_finds_nothing(world: World) -> None:
    with world.inside():
        mutation = make_mutation(
            world.agent, world.visitor, draft=make_draft(TEA), space="stub-64",
        )  # fmt: skip
    slow = Slow()
    slow.act = elsewhere(lambda: erase(world))
    with using(embedder=slow), pytest.raises(review.NoSuchMutation):
        review.edit(mutation_id=mutation.pk, by=world.admin, changes={"content": TEA + " Really."})
    assert left(world) == {}


def test_a_reply_and_a_trace_that_arrive_late_are_dropped(world: World) -> None:
    with world.inside():
        conversation = make_conversation(world.agent, world.visitor, f"user: {TEA}")
    erase(world)
    with world.inside():
        captured = capture.write(said(), conversation=conversation)
    assert (captured.accepted, captured.reason) == (0, "gone")
    with pytest.raises(Exception, match="foreign key"), world.inside():
        store_trace(
            Recalled(), agent_id=world.agent.pk, visitor_id=world.visitor.pk, channel="chat"
        )
    assert left(world) == {}


def until_somebody_waits() -> None:
    """Until another connection of this database waits for a lock."""
    for _ in range(200):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone() != (0,):
                return
        time.sleep(0.02)
    raise AssertionError("nobody waits")


def test_an_erase_waits_for_a_capture_and_takes_what_it_wrote(world: World) -> None:
    with world.inside():
        conversation = make_conversation(world.agent, world.visitor)
    prepared = said()

    def captures() -> int:
        with world.inside():
            accepted = capture.write(prepared, conversation=conversation).accepted
            until_somebody_waits()
        return accepted

    def erases() -> Receipt:
        time.sleep(0.1)
        return erase(world)

    accepted, receipt = at_once(captures, erases)
    assert accepted == 1
    assert isinstance(receipt, Receipt), receipt
    assert receipt.rows["agents_message"] == 1
    assert left(world) == {}


def test_a_capture_waits_for_an_erase_and_finds_nobody(world: World) -> None:
    with world.inside():
        conversation = make_conversation(world.agent, world.visitor)
    prepared = said()

    def erases() -> Receipt:
        with world.inside():
            Visitor.objects.select_for_update().get(pk=world.visitor.pk)
            until_somebody_waits()
            return erase(world)

    def captures() -> capture.Captured:
        time.sleep(0.1)
        with world.inside():
            return capture.write(prepared, conversation=conversation)

    receipt, captured = at_once(erases, captures)
    assert isinstance(receipt, Receipt), receipt
    assert captured.reason == "gone", captured
    assert left(world) == {}


@pytest.mark.parametrize("round_", range(4))
def test_everything_at_once_ends_with_nothing_and_without_a_deadlock(
    world: World, round_: int
) -> None:
    """Approve, capture, embed, forget and two erases of one person, all started together."""
    with world.inside():
        conversation = make_conversation(world.agent, world.visitor, "user: hello")
        proposals = [
            make_mutation(world.agent, world.visitor, draft=make_draft(f"{TEA} {n}"))
            for n in range(6)
        ]
        kept = [make_memory(world.agent, world.visitor, f"{TEA} kept {n}") for n in range(4)]
        for memory in kept:
            make_mutation(
                world.agent, world.visitor, operation="modify", target=memory,
                draft=make_draft(f"{TEA} changed"),
            )  # fmt: skip
    prepared = said()

    def captures() -> None:
        with world.inside():
            capture.write(prepared, conversation=conversation)

    def forgets() -> None:
        for memory in kept:
            with world.inside():
                forget(memory_id=memory.pk, by=Actor.person())

    def approves() -> None:
        with world.inside():
            ids = list(Mutation.objects.pending().order_by("id").values_list("pk", flat=True))
        for number in ids:
            review.approve(mutation_id=number, by=world.admin)

    def embeds() -> None:
        while embed.step(world.tenant.pk).taken:
            pass

    with using(embedder=StubEmbedder()):
        results = at_once(
            approves, captures, embeds, forgets, lambda: erase(world), lambda: erase(world)
        )
    for result in results:
        fine = isinstance(
            result, None | Receipt | review.ReviewRefused | NoSuchPerson | NoSuchMemory
        )
        assert fine, results
    assert sum(isinstance(result, Receipt) for result in results) == 1
    assert proposals
    assert left(world) == {}


def test_two_people_are_erased_side_by_side(world: World) -> None:
    with world.inside():
        other = make_visitor()
        for visitor in (world.visitor, other):
            make_mutation(world.agent, visitor, draft=make_draft(TEA))
            make_memory(world.agent, visitor, TEA)
        Conversation.objects.filter(visitor=None).update(lease_until=Now())

    def second() -> Receipt:
        return erase_person(tenant_id=world.tenant.pk, visitor_id=other.pk, by=COMMAND)

    results = at_once(lambda: erase(world), second)
    assert all(isinstance(result, Receipt) for result in results), results
    with world.inside():
        assert not Memory.objects.exists()
    assert left(world) == {}
