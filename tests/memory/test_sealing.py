"""What is sealed opens for its own row under its own key, and for nothing else."""

import os
from dataclasses import replace
from uuid import uuid4

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as some

from memory import sealing, store
from memory.models import Draft, Memory, MemoryVersion, Mutation, Posting, Scope, TenantKey
from memory.sealing import DataKey, KeyUnusable, OtherKey, SealBroken
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tests.factories import World
from tests.sealed import make_shared, put_key, remove_key

KEY = DataKey(7, 3, os.urandom(32))


@pytest.fixture
def world() -> World:
    return World()


# --- sealing and opening ----------------------------------------------------------------------


@given(some.text(max_size=200))
def test_what_was_sealed_opens_as_it_was(text: str) -> None:
    uid = uuid4()
    sealed = KEY.seal(text, uid=uid)
    assert KEY.open(sealed.text, uid=uid) == text
    assert KEY.seal(text, uid=uid).text != sealed.text  # a nonce of its own
    assert text == "" or text.encode() not in sealed.text or len(text) < 4


def test_bytes_that_were_moved_to_another_row_or_tenant_do_not_open() -> None:
    uid = uuid4()
    sealed = KEY.seal("the harbour is closed", uid=uid).text
    for key, other in [(KEY, uuid4()), (replace(KEY, tenant_id=4), uid)]:
        with pytest.raises(SealBroken):
            key.open(sealed, uid=other)


def test_any_changed_or_missing_byte_is_noticed() -> None:
    uid = uuid4()
    sealed = KEY.seal("the harbour is closed", uid=uid).text
    for at in range(len(sealed)):
        changed = sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]
        with pytest.raises(sealing.NotOpened):
            KEY.open(changed, uid=uid)
        with pytest.raises(sealing.NotOpened):
            KEY.open(sealed[:at], uid=uid)


def test_another_data_key_says_that_it_is_another() -> None:
    uid = uuid4()
    sealed = KEY.seal("the harbour is closed", uid=uid).text
    with pytest.raises(OtherKey):
        DataKey(8, 3, os.urandom(32)).open(sealed, uid=uid)


def test_the_hash_is_keyed_by_the_data_key_and_follows_the_one_rule() -> None:
    assert KEY.hash_of("The  Harbour") == KEY.hash_of("the harbour")
    assert KEY.hash_of("the harbour") != replace(KEY, secret=os.urandom(32)).hash_of("the harbour")
    assert KEY.hash_of("the harbour") != store.hash_of("the harbour", KEY.tenant_id)


def test_a_key_is_not_shown_by_its_repr() -> None:
    assert KEY.secret.hex() not in repr(KEY)
    assert repr(KEY.secret)[2:-1] not in repr(KEY)


# --- the envelope -----------------------------------------------------------------------------


@pytest.mark.django_db
def test_no_key_no_sealing(world: World) -> None:
    with world.inside():
        assert sealing.key_in_use() is None
        assert sealing.opened([make_shared("plain", None)])[0][1] == "plain"


@pytest.mark.django_db
def test_the_stored_envelope_holds_neither_key(world: World) -> None:
    customer_key = os.urandom(32)
    with world.inside():
        key = put_key(world.tenant, customer_key)
        wrapped = bytes(TenantKey.objects.get().wrapped or b"")
    assert customer_key not in wrapped
    assert key.secret not in wrapped


@pytest.mark.django_db
def test_another_master_key_is_a_failure_with_a_name(world: World) -> None:
    with world.inside():
        memory = make_shared("the harbour is closed", put_key(world.tenant))
        with override_settings(MASTER_KEY="another"):
            with pytest.raises(KeyUnusable) as refused:
                sealing.key_in_use()
            with pytest.raises(KeyUnusable):
                sealing.opened([memory])
        assert (refused.value.status, "MASTER_KEY" in refused.value.error) == (503, True)
        assert sealing.opened([memory]) == [(memory, "the harbour is closed")]


@pytest.mark.django_db
def test_an_envelope_of_another_tenant_is_not_unwrapped(world: World) -> None:
    other = World()
    with other.inside():
        put_key(other.tenant)
        wrapped = TenantKey.objects.get().wrapped
    with world.inside():
        TenantKey.objects.create(wrapped=wrapped, fingerprint="f")
        with pytest.raises(KeyUnusable):
            sealing.key_in_use()


# --- rows -------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_sealed_memory_has_no_text_in_its_row_its_versions_or_its_index(world: World) -> None:
    with world.inside():
        memory = make_shared("the harbour is closed", put_key(world.tenant))
        memory.refresh_from_db()
        assert (memory.content, memory.length) == ("", 0)
        assert not Posting.objects.filter(memory=memory).exists()
        assert MemoryVersion.objects.get(memory=memory).draft["content"] is None
        assert sealing.opened([memory])[0][1] == "the harbour is closed"


@pytest.mark.django_db
def test_a_list_takes_one_look_at_the_key(
    world: World, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    with world.inside():
        key = put_key(world.tenant)
        rows = [make_shared("one", key), make_shared("two", key), make_shared("three", None)]
        with django_assert_num_queries(1):  # type: ignore[operator]
            assert [text for _, text in sealing.opened(rows)] == ["one", "two", "three"]


@pytest.mark.django_db
def test_bytes_exchanged_between_two_rows_open_in_neither(world: World) -> None:
    with world.inside():
        key = put_key(world.tenant)
        one, two = make_shared("one", key), make_shared("two", key)
        one.sealed, two.sealed = two.sealed, one.sealed
        assert [text for _, text in sealing.opened([one, two])] == [None, None]


@pytest.mark.django_db
def test_what_a_removed_key_sealed_is_shut_and_not_searched(world: World) -> None:
    with world.inside():
        old = make_shared("before", put_key(world.tenant))
        remove_key()
        plain = make_shared("plain", None)
        assert sealing.opened([old, plain]) == [(old, None), (plain, "plain")]
        assert list(Memory.objects.filter(sealing.is_readable(None))) == [plain]
        key = put_key(world.tenant)
        new = make_shared("after", key)
        assert [text for _, text in sealing.opened([old, plain, new])] == [None, "plain", "after"]
        readable = Memory.objects.filter(sealing.is_readable(key)).order_by("pk")
        assert list(readable) == [plain, new]


@pytest.mark.django_db
def test_a_closed_memory_that_is_restored_stays_sealed(world: World) -> None:
    with world.inside():
        memory = make_shared("the harbour is closed", put_key(world.tenant))
        before = memory.hash
        draft = memory.as_draft
        store.close(memory, because=Memory.Closed.DELETED, by=SYSTEM)
        store.restore(memory, to=draft, by=SYSTEM)
        assert (memory.hash, memory.content, memory.deleted_at) == (before, "", None)
        assert sealing.opened([memory])[0][1] == "the harbour is closed"
        with pytest.raises(ValueError, match="sealed"):
            store.restore(memory, to=Draft(content="in the clear", scope=Scope.GLOBAL), by=SYSTEM)


@pytest.mark.django_db
def test_a_proposal_is_sealed_and_its_bytes_open_in_the_memory_it_becomes(world: World) -> None:
    uid = uuid4()
    draft = Draft(content="the harbour is closed", scope=Scope.TEAM)
    with world.inside():
        key = put_key(world.tenant)
        mutation = Mutation.objects.create(
            uid=uid,
            writer=agent_called("a"),
            operation="add",
            approver="org-admin",
            **sealing.sealed_proposal(draft, key, uid=uid),
        )
        mutation.refresh_from_db()
        assert mutation.draft == {"scope": "team"}
        assert mutation.hash == key.hash_of("the harbour is closed")
        assert sealing.proposals_opened([mutation]) == [(mutation, draft)]
        assert key.open(bytes(mutation.sealed or b""), uid=uid) == "the harbour is closed"
        remove_key()
        assert sealing.proposals_opened([mutation])[0][1].content is None
