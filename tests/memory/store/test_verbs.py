"""The one writer: row, version, index entries and event go together."""

import numpy as np
import pytest
from django.db import IntegrityError, transaction

from memory import store
from memory.models import Draft, Event, Memory, MemoryVector, MemoryVersion, Posting, Unembedded
from memory.store import AtHand
from tenants.actor import SYSTEM
from tests.factories import World, make_memory, make_visitor

pytestmark = pytest.mark.django_db
HERE = AtHand("stub-2", np.array([1.0, 0.0], dtype=np.float32))


@pytest.fixture
def world() -> World:
    return World()


def words(memory: Memory) -> set[str]:
    return set(Posting.objects.filter(memory=memory).values_list("term", flat=True))


def test_add_writes_row_version_words_vector_and_event(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "Likes jasmine tea", vector=HERE)
        assert {"jasmin", "tea"} <= words(memory)
        assert memory.length == sum(Posting.objects.values_list("count", flat=True))
        assert MemoryVector.objects.get().space == "stub-2"
        assert not Unembedded.objects.exists()
        version = MemoryVersion.objects.get()
        assert (version.version, version.because) == (1, "added")
        assert Draft.model_validate(version.draft) == memory.as_draft
        event = Event.objects.get()
        assert (event.kind, event.memory_id, event.key) == ("memory.created", memory.pk, memory.key)


def test_change_replaces_words_and_vector_of_what_it_says(world: World) -> None:
    with world.inside():
        memory = make_memory(
            world.agent, world.visitor, "Likes jasmine tea", description="drinks", vector=HERE
        )
        born, before = memory.created_at, memory.hash
        store.change(memory, Draft(content="Likes mate"), by=SYSTEM)
        assert "jasmin" not in words(memory)
        assert "mate" in words(memory)
        assert not MemoryVector.objects.exists()
        assert Unembedded.objects.get().memory == memory
        assert (memory.version, memory.created_at) == (2, born)
        assert memory.hash != before


def test_a_change_of_the_label_keeps_the_vector(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "Likes jasmine tea", vector=HERE)
        store.change(memory, Draft(description="beverages"), by=SYSTEM)
        assert "beverag" in words(memory)
        assert MemoryVector.objects.filter(memory=memory).exists()


def test_a_change_that_changes_nothing_writes_nothing(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "Likes jasmine tea")
        store.change(memory, Draft(content="Likes jasmine tea"), by=SYSTEM)
        assert memory.version == 1
        assert Event.objects.count() == MemoryVersion.objects.count() == 1


def test_close_and_restore_are_versions_too(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
        said = memory.as_draft
        store.close(memory, because=Memory.Closed.DELETED, by=SYSTEM)
        assert not Memory.objects.live().exists()
        store.restore(memory, to=said, by=SYSTEM)
        assert Memory.objects.live().get().closed_because == ""
        versions = MemoryVersion.objects.order_by("version")
        assert [version.because for version in versions] == ["added", "closed", "restored"]


def test_erase_leaves_nothing_but_the_event_that_it_went(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, vector=HERE)
        assert store.erase([memory]) == 1
        for model in (Memory, MemoryVector, MemoryVersion, Posting, Unembedded):
            assert not model._default_manager.exists(), model
        assert Event.objects.order_by("id").last().kind == "memory.deleted"  # type: ignore[union-attr]


def test_a_key_is_unique_among_the_living_of_one_scope_only(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, key="/drinks")
        make_memory(world.agent, None, key="/drinks")
        make_memory(world.agent, make_visitor(), key="/drinks")
        for visitor in (world.visitor, None):
            with pytest.raises(IntegrityError), transaction.atomic():
                make_memory(world.agent, visitor, key="/drinks")
        store.close(memory, because=Memory.Closed.DELETED, by=SYSTEM)
        make_memory(world.agent, world.visitor, key="/drinks")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Favourite café is Zoë's", "Favourite cafe\u0301 is Zoe\u0308's"),
        ("I like tea", " i LIKE\u00a0tea \u200b"),
    ],
)
def test_one_text_in_two_unicode_forms_is_one(world: World, first: str, second: str) -> None:
    tenant = world.tenant.pk
    assert store.hash_of(first, tenant) == store.hash_of(second, tenant)
    assert store.hash_of(first, tenant) != store.hash_of(first, tenant + 1)


def test_joiners_come_back_byte_for_byte(world: World) -> None:
    text = "می\u200cروم 👩\u200d🚀"
    with world.inside():
        make_memory(world.agent, world.visitor, text)
        assert Memory.objects.get().content == text
