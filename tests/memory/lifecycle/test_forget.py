"""A memory taken back by its person: gone with all that carried it, and never learned again."""

import json
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from agents.models import Mode
from memory import review, store
from memory.learning import extract, reconcile
from memory.lifecycle.forget import NoSuchMemory, forget
from memory.models import (
    Draft,
    Event,
    Memory,
    MemoryVector,
    MemoryVersion,
    Mutation,
    Observation,
    Posting,
    Tombstone,
)
from memory.providers import using
from memory.store import AtHand
from tenants.actor import SYSTEM, Actor
from tenants.models import AuditEntry
from tests.factories import (
    World,
    make_conversation,
    make_draft,
    make_memory,
    make_mutation,
    make_observation,
    make_visitor,
)
from tests.fakes import ScriptedLanguage, StubEmbedder, decided

pytestmark = pytest.mark.django_db
ME = Actor.person()
TEA = "The user likes tea."


@pytest.fixture
def world() -> World:
    return World()


def at_hand(text: str) -> AtHand:
    return AtHand("stub-64", StubEmbedder().embed([text], timeout=1)[0])


def approved(world: World, content: str = TEA, key: str = "/drinks") -> Memory:
    """A memory as the loop makes it: observed, proposed, approved."""
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor, draft=make_draft(content, key))
    decided_on = review.approve(mutation_id=mutation.pk, by=world.admin)
    assert decided_on.memory is not None
    return decided_on.memory


def global_memory(world: World, content: str = TEA) -> Memory:
    return store.add(
        tenant_id=world.tenant.pk,
        kind=Memory.Kind.PERSON,
        agent_id=None,
        visitor_id=world.visitor.pk,
        draft=Draft(content=content, label="general"),
        by=SYSTEM,
    )


def test_nothing_of_it_stays_but_hashes(world: World) -> None:
    memory = approved(world)
    with world.inside():
        store.change(
            memory, Draft(content="The user likes green tea."), by=SYSTEM, vector=at_hand(TEA)
        )
        pending = make_mutation(
            world.agent, world.visitor, operation="modify", target=memory,
            draft=Draft(content="The user likes white tea."), space="stub-64",
            vector=at_hand("The user likes white tea.").vector.tolist(),
        )  # fmt: skip
        assert pending.vector is not None
        told = forget(memory_id=memory.pk, by=ME, visitor_id=world.visitor.pk)
        assert (told.mutations, told.observations, told.texts) == (2, 2, 3)
        for model in (Memory, MemoryVersion, MemoryVector, Posting, Mutation, Observation):
            assert not model.objects.exists(), model
        graves = list(Tombstone.objects.all())
        assert {grave.hash for grave in graves} == {
            store.hash_of(text, world.tenant.pk)
            for text in (TEA, "The user likes green tea.", "The user likes white tea.")
        }
        assert all(grave.vector is None and grave.mutation_id is None for grave in graves)
        assert not Event.objects.exclude(key="", category="").exists()
        assert Event.objects.filter(kind="memory.deleted", memory_id=memory.pk).count() == 1
        entry = AuditEntry.objects.get(verb="memory.forgotten")
        assert (entry.actor, entry.subject_id) == ("person", memory.pk)


def test_other_memories_and_what_they_rest_on_stay(world: World) -> None:
    kept = approved(world, "The user lives in Porto.", "/home")
    gone = approved(world)
    with world.inside():
        forget(memory_id=gone.pk, by=ME)
        assert list(Memory.objects.all()) == [kept]
        assert Mutation.objects.get().memory_id == kept.pk
        assert Observation.objects.count() == 1
        assert MemoryVersion.objects.filter(memory=kept).exists()


def test_a_proposal_and_an_observation_that_say_the_same_go_too(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, TEA)
        make_mutation(world.agent, world.visitor, draft=make_draft(TEA.upper()))
        make_observation(world.agent, world.visitor, "the user  likes TEA.")
        other = make_visitor()
        theirs = make_mutation(world.agent, other, draft=make_draft(TEA))
        forget(memory_id=memory.pk, by=ME)
        assert list(Mutation.objects.all()) == [theirs]
        assert {each.visitor_id for each in Observation.objects.all()} == {other.pk}


@pytest.mark.parametrize("whose", ["another", "nobody", "unknown", "wide"])
def test_only_a_persons_own_memory_is_forgotten(world: World, whose: str) -> None:
    with world.inside():
        other = make_visitor()
        memory = make_memory(world.agent, None if whose == "wide" else other, TEA)
        number = memory.pk + (1_000 if whose == "unknown" else 0)
        person = {"another": world.visitor.pk, "nobody": 0}.get(whose)
        with pytest.raises(NoSuchMemory):
            forget(memory_id=number, by=ME, visitor_id=person)
        assert Memory.objects.get() == memory
        assert not Tombstone.objects.exists()


def test_another_tenants_memory_is_unknown(world: World) -> None:
    there = World()
    with there.inside():
        memory = make_memory(there.agent, there.visitor, TEA)
    with world.inside(), pytest.raises(NoSuchMemory):
        forget(memory_id=memory.pk, by=ME)
    with there.inside():
        assert Memory.objects.exists()


def run_reconcile(world: World, *replies: str) -> ScriptedLanguage:
    language = ScriptedLanguage(*replies)
    with using(language=language, embedder=StubEmbedder()):
        reconcile.step(world.tenant.pk)
    return language


def test_reconcile_does_not_ask_about_an_exact_restatement(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, TEA)
        forget(memory_id=memory.pk, by=ME)
        seen = make_observation(world.agent, world.visitor, TEA)
    run_reconcile(world)  # a question would fail the script
    with world.inside():
        seen.refresh_from_db()
        assert seen.status == "discarded"
        assert not Mutation.objects.exists()


@pytest.mark.parametrize("for_all", [False, True])
def test_reconcile_drops_a_proposal_of_what_was_forgotten(world: World, for_all: bool) -> None:
    with world.inside():
        memory = global_memory(world) if for_all else make_memory(world.agent, world.visitor, TEA)
        forget(memory_id=memory.pk, by=ME)
        seen = make_observation(world.agent, world.visitor, "They enjoy a cup of it.")
    add = {
        "operation": "add", "key": "/drinks", "description": "d", "content": TEA,
        "presence": "on-demand",
    }  # fmt: skip
    run_reconcile(world, decided("mutate", add))
    with world.inside():
        assert not Mutation.objects.exists()
        seen.refresh_from_db()
        assert seen.status == "discarded"


def test_another_persons_same_words_are_still_proposed(world: World) -> None:
    with world.inside():
        forget(memory_id=global_memory(world).pk, by=ME)
        make_observation(world.agent, make_visitor(), TEA)
    add = {
        "operation": "add", "key": "/drinks", "description": "d", "content": TEA,
        "presence": "on-demand",
    }  # fmt: skip
    run_reconcile(world, decided("mutate", add))
    with world.inside():
        assert Mutation.objects.get().draft["content"] == TEA


def facts(*everyone: str, **by_category: Any) -> str:
    return json.dumps(
        {"has_memories": True, "global_memories": list(everyone), "mentor_memories": by_category}
    )


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        (facts(TEA), set()),
        (facts("the user LIKES  tea."), set()),
        (facts(preferences=[TEA]), set()),
        (facts(TEA, "The user likes jazz."), {"The user likes jazz."}),
    ],
)
def test_extraction_does_not_store_what_was_forgotten(
    world: World, told: str, kept: set[str]
) -> None:
    with world.inside():
        world.agent.mode = Mode.AUTOMATIC
        world.agent.save()
        forget(memory_id=global_memory(world).pk, by=ME)
        make_conversation(world.agent, world.visitor, "user: I like tea and I like jazz")
    with using(language=ScriptedLanguage(told), embedder=StubEmbedder()):
        extract.step(world.tenant.pk)
    with world.inside():
        assert set(Memory.objects.values_list("content", flat=True)) == kept


def test_extraction_respects_a_rejection_until_it_is_lifted(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor, draft=make_draft(TEA))
    review.reject(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        world.agent.mode = Mode.AUTOMATIC
        world.agent.save()
    for stored in (0, 1):
        with world.inside():
            if stored:
                Tombstone.objects.update(lifted_at=Now())
            make_conversation(world.agent, world.visitor, "user: I like tea")
        with using(language=ScriptedLanguage(*[facts(TEA)] * 3), embedder=StubEmbedder()):
            while extract.step(world.tenant.pk).taken:
                pass
        with world.inside():
            assert Memory.objects.count() == stored


def test_what_was_forgotten_stays_so_for_good(world: World) -> None:
    with world.inside():
        forget(memory_id=make_memory(world.agent, world.visitor, TEA).pk, by=ME)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM memory_tombstone "
                "WHERE expires_at > now() + interval '50 years'"
            )
            assert cursor.fetchone() == (1,)
