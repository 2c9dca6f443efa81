"""The embed stage: fills what is missing, one bad text never holds up the others."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from memory import stages, store
from memory.learning import embed
from memory.models import Memory, MemoryVector, Mutation, Observation, Unembedded
from memory.providers import using
from memory.providers.errors import ProviderError, RateLimited, Unavailable
from memory.providers.types import Vector
from memory.stages import Tally
from tenants.actor import SYSTEM
from tests.factories import World, make_draft, make_memory, make_mutation, make_observation
from tests.fakes import StubEmbedder
from tests.sealed import make_shared, put_key, remove_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def run(world: World, embedder: StubEmbedder | None = None) -> Tally:
    with using(embedder=embedder or StubEmbedder()):
        return embed.step(world.tenant.pk)


def test_memories_observations_and_mutations_get_their_vectors(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
        observation = make_observation(world.agent, world.visitor)
        mutation = make_mutation(world.agent, world.visitor, observation=observation)
        Unembedded.objects.create(observation=observation)
        Unembedded.objects.create(mutation=mutation)
    assert run(world).processed == 3
    with world.inside():
        assert MemoryVector.objects.get(memory=memory).space == "stub-64"
        observation.refresh_from_db()
        assert observation.space == "stub-64"
        assert observation.statement_vector is not None
        assert observation.evidence_vector is not None
        mutation.refresh_from_db()
        assert (mutation.space, mutation.vector is None) == ("stub-64", False)
        assert not Unembedded.objects.exists()


def test_one_text_that_cannot_be_embedded_does_not_hold_up_the_others(world: World) -> None:
    class Picky(StubEmbedder):
        def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
            if any("poison" in text for text in texts):
                raise ProviderError("cannot read it")
            return super().embed(texts, timeout=timeout)

    with world.inside():
        make_memory(world.agent, world.visitor, "The user likes tea.")
        bad = make_memory(world.agent, world.visitor, "The user likes poison.")
        make_memory(world.agent, world.visitor, "The user likes mate.")
    tally = run(world, Picky())
    assert (tally.processed, tally.failed) == (2, 1)
    with world.inside():
        left = Unembedded.objects.get()
        assert (left.memory_id, left.attempts) == (bad.pk, 1)
        for _ in range(stages.ATTEMPTS):
            Unembedded.objects.update(not_before=None)
    for _ in range(stages.ATTEMPTS - 1):
        run(world, Picky())
        with world.inside():
            Unembedded.objects.update(not_before=None)
    with world.inside():
        assert Unembedded.objects.get().parked_at is not None
    assert run(world, Picky()).taken == 0


@pytest.mark.parametrize("error", [Unavailable("down"), RateLimited("slow", 7.0)])
def test_a_provider_that_is_away_delays_and_parks_nothing(world: World, error: Exception) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor)
    assert run(world, StubEmbedder(fail=error)).stop
    with world.inside():
        row = Unembedded.objects.get()
        assert (row.attempts, row.parked_at) == (0, None)
        assert row.not_before is not None
        Unembedded.objects.update(not_before=None)
    assert run(world).processed == 1


def test_a_text_that_changes_during_the_call_is_embedded_as_it_is_now(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "The user likes tea.")

    class Slow(StubEmbedder):
        def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
            with world.inside():
                row = Memory.objects.get(pk=memory.pk)
                store.change(row, make_draft("The user likes mate.", key=row.key), by=SYSTEM)
            return super().embed(texts, timeout=timeout)

    run(world, Slow())
    with world.inside():
        assert not MemoryVector.objects.exists()
        assert Unembedded.objects.count() == 1
    run(world)
    with world.inside():
        found = MemoryVector.objects.get().vector
    expected = StubEmbedder().embed(["The user likes mate."], timeout=1)[0]
    assert list(found) == pytest.approx(list(expected), abs=1e-6)


def test_a_worker_that_dies_is_followed_by_one_that_finishes(world: World) -> None:
    class Killed(BaseException):
        pass

    with world.inside():
        make_memory(world.agent, world.visitor)
    with pytest.raises(Killed):
        run(world, StubEmbedder(fail=Killed()))
    assert run(world).taken == 0
    with world.inside():
        Unembedded.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert run(world).processed == 1


def test_a_text_nothing_is_known_of_has_no_vector_and_is_not_asked_again(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "?!")
    assert run(world).processed == 1
    with world.inside():
        assert not MemoryVector.objects.filter(memory=memory).exists()
        assert not Unembedded.objects.exists()
        assert Observation.objects.count() == Mutation.objects.count() == 0


def test_a_sealed_memory_gets_the_vector_of_its_text_and_a_shut_one_lets_go(world: World) -> None:
    stub = StubEmbedder()
    with world.inside():
        shut = make_shared("of a key that is gone", put_key(world.tenant))
        remove_key()
        sealed = make_shared("the harbour is closed", put_key(world.tenant))
    tally = run(world, stub)
    assert (tally.taken, tally.processed, tally.failed) == (2, 1, 0)
    with world.inside():
        vector = MemoryVector.objects.get()
        assert vector.memory_id == sealed.pk != shut.pk
        (wanted,) = stub.embed(["the harbour is closed"], timeout=1)
        assert list(vector.vector) == pytest.approx(list(wanted))
        assert not Unembedded.objects.exists()
