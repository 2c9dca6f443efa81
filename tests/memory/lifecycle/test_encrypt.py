"""After a key is set nothing in the database says what agents shared, and all of it is read."""

import os
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from memory import sealing, store
from memory.events.dispatch import dispatch
from memory.lifecycle import customer_key, encrypt
from memory.models import (
    Delivery,
    Draft,
    Entity,
    Memory,
    MemoryVersion,
    Mention,
    Mutation,
    Posting,
    Relation,
    Scope,
    TenantKey,
    Unextracted,
    Webhook,
)
from memory.sealing import KeyUnusable
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tenants.models import AuditEntry
from tests.factories import World, make_memory
from tests.race import at_once
from tests.sealed import make_shared, occurrences

pytestmark = pytest.mark.django_db
SECRET = "Project Zanzibar moves to Reykjavik"


@pytest.fixture
def world() -> World:
    return World()


def put(world: World, customer_key_: bytes | None = None) -> str:
    key = customer_key_ or os.urandom(32)
    return customer_key.put(key, tenant_id=world.tenant.pk, by=SYSTEM)


def run(world: World) -> int:
    total = 0
    while (done := encrypt.step(world.tenant.pk)).taken:
        assert done.processed == done.taken
        total += done.processed
    return total


def conflict(**fields: Any) -> Mutation:
    return Mutation.objects.create(
        writer=agent_called("b"),
        operation="add",
        approver="org-admin",
        draft=Draft(content=SECRET, scope=Scope.GLOBAL).given(),
        conflicts=[{"id": 1, "severity": "high", "description": f"{SECRET} against another"}],
        reasoning=f"{SECRET} against another",
        hash="h",
        **fields,
    )


def in_the_graph(memory: Memory) -> Entity:
    one = Entity.objects.create(name="project zanzibar", shown="Project Zanzibar")
    two = Entity.objects.create(name="reykjavik", shown="Reykjavik")
    Mention.objects.create(memory=memory, entity=one)
    Relation.objects.create(memory=memory, subject=one, verb="moves to", object=two)
    return two


def test_no_table_says_it_any_more_and_every_reader_still_reads_it(world: World) -> None:
    with world.inside():
        memory = make_shared(SECRET)
        in_the_graph(memory)
        closed = make_shared(SECRET, scope=Scope.PRIVATE)
        store.close(closed, because=Memory.Closed.DELETED, by=SYSTEM)
        waiting = conflict()
        decided = conflict(status="rejected", resolution="expired", resolved_at="2026-01-01T00:00Z")
        assert {"memory_memory", "memory_mutation", "memory_posting", "memory_entity"} <= set(
            occurrences("zanzibar")
        )
        assert put(world) == "set"
        assert customer_key.waiting() == 4
    assert run(world) == 4
    with world.inside():
        assert occurrences("zanzibar", "reykjavik") == []
        assert customer_key.waiting() == 0
        memories = Memory.objects.order_by("pk")
        assert [text for _, text in sealing.opened(memories)] == [SECRET, SECRET]
        opened = sealing.proposals_opened(Mutation.objects.order_by("pk"))
        assert [draft.content for _, draft in opened] == [SECRET, SECRET]
        assert [mutation.pk for mutation, _ in opened] == [waiting.pk, decided.pk]
        for model in (Posting, Mention, Relation, Unextracted, Entity):
            assert not model._default_manager.exists(), model


def test_what_it_does_not_concern_stays(world: World) -> None:
    with world.inside():
        of_a_person = make_memory(world.agent, world.visitor, SECRET)
        memory = make_shared("The harbour is closed")
        shared_entity = in_the_graph(memory)
        other = make_shared("Reykjavik is cold")
        Mention.objects.create(memory=other, entity=shared_entity)
        before = memory.version, memory.created_at, memory.valid_from, memory.clock
        put(world)
        key = sealing.key_in_use()
        assert key is not None
        store.seal(memory, key)
    encrypt._end_entities(world.tenant.pk)
    with world.inside():
        of_a_person.refresh_from_db()
        assert of_a_person.content == SECRET
        assert [entity.name for entity in Entity.objects.all()] == ["reykjavik"]
        memory.refresh_from_db()
        assert (memory.version, memory.created_at, memory.valid_from, memory.clock) == before
        assert memory.hash == key.hash_of("The harbour is closed")


def test_a_twin_that_was_written_sealed_meanwhile_leaves_both(world: World) -> None:
    with world.inside():
        old = make_shared(SECRET)
        put(world)
        new = make_shared(SECRET, sealing.key_in_use())
    assert run(world) == 1
    with world.inside():
        texts = sealing.opened(Memory.objects.live().order_by("pk"))
        assert [(memory.pk, text) for memory, text in texts] == [(old.pk, SECRET), (new.pk, SECRET)]


def test_a_run_that_breaks_off_is_gone_on_with(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world.inside():
        for number in range(5):
            make_shared(f"{SECRET} {number}")
        put(world)
    monkeypatch.setattr(encrypt, "BATCH", 2)
    real, calls = store.seal, iter(range(10))

    def breaks(memory: Memory, key: Any) -> None:
        if next(calls) == 3:
            raise ZeroDivisionError
        real(memory, key)

    monkeypatch.setattr(store, "seal", breaks)
    assert encrypt.step(world.tenant.pk).processed == 2
    with pytest.raises(ZeroDivisionError):
        encrypt.step(world.tenant.pk)
    with world.inside():
        assert customer_key.waiting() == 2
        assert (
            MemoryVersion.objects.filter(draft__has_key="content")
            .exclude(draft__content=None)
            .count()
            == 2
        )
    assert run(world) == 2


def test_without_a_key_it_does_nothing(world: World) -> None:
    with world.inside():
        make_shared(SECRET)
    assert encrypt.step(world.tenant.pk).taken == 0


# --- keys -------------------------------------------------------------------------------------


def test_another_key_wraps_the_data_key_anew_and_everything_stays_open(world: World) -> None:
    one, other = os.urandom(32), os.urandom(32)
    with world.inside():
        assert put(world, one) == "set"
        memory = make_shared(SECRET, sealing.key_in_use())
        before = bytes(TenantKey.objects.get().wrapped or b"")
        assert put(world, one) == "unchanged"
        assert bytes(TenantKey.objects.get().wrapped or b"") == before
        assert put(world, other) == "rotated"
        assert sealing.opened([memory])[0][1] == SECRET
        row = TenantKey.objects.get()
        assert sealing.unwrapped_with(row, one) is None
        assert sealing.unwrapped_with(row, other) is not None
        verbs = list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))
        assert verbs[-2:] == ["customer_key.set", "customer_key.rotated"]


def test_after_another_master_key_only_the_customers_own_key_helps(
    world: World, settings: Any
) -> None:
    key = os.urandom(32)
    with world.inside():
        put(world, key)
        memory = make_shared(SECRET, sealing.key_in_use())
        settings.MASTER_KEY = "another"
        with pytest.raises(KeyUnusable):
            put(world, os.urandom(32))
        assert put(world, key) == "repaired"
        assert sealing.opened([memory])[0][1] == SECRET


def test_a_removed_key_leaves_no_bytes_and_a_new_one_starts_afresh(world: World) -> None:
    key = os.urandom(32)
    with world.inside():
        put(world, key)
        memory = make_shared(SECRET, sealing.key_in_use())
        assert customer_key.remove(by=SYSTEM)
        assert not customer_key.remove(by=SYSTEM)
        assert TenantKey.objects.get().wrapped is None
        assert sealing.opened([memory]) == [(memory, None)]
        assert put(world, key) == "set"
        assert sealing.opened([memory]) == [(memory, None)], "its data key is gone"


@pytest.mark.django_db(transaction=True)
def test_two_first_keys_at_once_are_a_key_and_a_rotation() -> None:
    world = World()

    def one() -> str:
        with world.inside():
            return put(world)

    assert sorted(at_once(one, one)) == ["rotated", "set"]
    with world.inside():
        assert sealing.key_in_use() is not None


@pytest.mark.django_db(transaction=True)
def test_a_removal_waits_for_the_write_that_seals() -> None:
    world = World()
    with world.inside():
        put(world)

    def write() -> bool:
        with world.inside():
            key = sealing.key_in_use(for_write=True)
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.3)")
            if key is not None:
                make_shared(SECRET, key)
                return TenantKey.objects.filter(removed_at=None).exists()
            return True

    def remove() -> bool:
        with world.inside():
            return customer_key.remove(by=SYSTEM)

    assert at_once(write, remove) == [True, True]


@pytest.mark.django_db(transaction=True)
def test_two_runs_at_once_seal_each_once() -> None:
    world = World()
    with world.inside():
        for number in range(6):
            make_shared(f"{SECRET} {number}")
        put(world)
    done = at_once(lambda: encrypt.step(world.tenant.pk), lambda: encrypt.step(world.tenant.pk))
    assert sum(each.processed for each in done) == 6
    with world.inside():
        assert all(text for _, text in sealing.opened(Memory.objects.all()))


# --- what is on its way to receivers ----------------------------------------------------------


def test_a_telling_that_was_not_delivered_ends_with_its_text(world: World) -> None:
    with world.inside():
        for name in ("waiting", "failed"):
            Webhook.objects.create(
                url=f"https://{name}.example/", events=["memory.written"], secret=b"s"
            )
        make_shared(SECRET)
        dispatch()
        failed = Delivery.objects.filter(url__contains="failed")
        failed.update(status="failed", ended_at=Now())
        assert "memory_delivery" in occurrences("zanzibar")
        put(world)
    assert run(world) == 1
    with world.inside():
        assert occurrences("zanzibar") == []
        assert {(row.status, row.body) for row in Delivery.objects.all()} == {("erased", None)}
