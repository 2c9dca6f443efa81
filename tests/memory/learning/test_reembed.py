"""Another embedding model: the old space answers until the new one is complete (fault 9)."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command

from memory import providers, store
from memory.learning import embed, reembed
from memory.models import Draft, Memory, MemoryVector, Mutation, Observation, Reader, Unembedded
from memory.providers.errors import Misconfigured, Unavailable
from memory.recall.query import prepare
from memory.recall.search import Hit, search
from tenants.actor import SYSTEM
from tests.factories import World, make_conversation, make_memory, make_mutation, make_observation
from tests.fakes import StubEmbedder
from tests.sealed import make_shared, put_key, remove_key

pytestmark = pytest.mark.django_db

TEXTS = ["saffron rice", "green tea", "a red bicycle", "the harbour at night", "sardines"]
OLD, NEW = StubEmbedder(space="stub-64"), StubEmbedder(space="other-128", dims=128)


@contextmanager
def both(*, new: StubEmbedder = NEW) -> Iterator[None]:
    """Both models are there; the settings ask for the new one."""
    with providers.using(embedder=OLD), providers.using(embedder=new):
        yield


@pytest.fixture
def world(db: None) -> World:
    world = World()
    with providers.using(embedder=OLD), world.inside():
        for text in TEXTS:
            vector = store.AtHand(OLD.space, OLD.embed([text], timeout=1)[0])
            make_memory(world.agent, world.visitor, text, vector=vector)
    return world


def find(world: World, question: str) -> tuple[str, list[Hit]]:
    with world.inside():
        world.tenant.refresh_from_db()
        space = providers.space_of(world.tenant)
    query = prepare(question, space=space, timeout=1)
    with world.inside():
        return space, search(
            Reader.for_chat(world.agent.pk, world.visitor.pk), query, limit=5, floored=False
        )


def spaces(world: World) -> set[str]:
    with world.inside():
        return set(MemoryVector.objects.values_list("space", flat=True))


def test_the_old_space_answers_until_the_new_one_is_complete(world: World) -> None:
    with both():
        assert reembed.begin(world.tenant.pk) == len(TEXTS)
        space, hits = find(world, "saffron rice")
        assert space == "stub-64"
        assert len(hits) == len(TEXTS)
        assert not reembed.settle(world.tenant.pk)
        while embed.step(world.tenant.pk).taken:
            assert find(world, "saffron rice")[1]
        space, hits = find(world, "saffron rice")
        assert space == "other-128"
        assert {leg.name for leg in hits[0].legs} == {"semantic", "keyword"}
        assert len(hits) == len(TEXTS)
    assert spaces(world) == {"other-128"}


def test_stopped_half_way_it_goes_on_where_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "BATCH", 2)
    with both():
        reembed.begin(world.tenant.pk)
        embed.step(world.tenant.pk)
        state = reembed.state_of(world.tenant.pk)
        assert (state.space, state.moving_to, state.lacking) == ("stub-64", "other-128", 3)
        assert reembed.begin(world.tenant.pk) == 0  # what is noted is not noted twice
        call_command("reembed", tenant=world.tenant.slug, stdout=StringIO())
        assert reembed.state_of(world.tenant.pk) == reembed.State("other-128", "", 0, 0, 0)


def test_what_is_written_meanwhile_is_not_lost(world: World) -> None:
    with both():
        reembed.begin(world.tenant.pk)
        embed.step(world.tenant.pk)
        with world.inside():  # as a writer does that embedded in the space that answers
            vector = store.AtHand(OLD.space, OLD.embed(["late"], timeout=1)[0])
            late = make_memory(world.agent, world.visitor, "late", vector=vector)
        assert not reembed.settle(world.tenant.pk)
        while embed.step(world.tenant.pk).taken:
            pass
    with world.inside():
        assert MemoryVector.objects.get(memory=late).space == "other-128"


def test_a_text_that_changed_meanwhile_gets_the_vector_of_what_it_says(world: World) -> None:
    with both():
        reembed.begin(world.tenant.pk)
        with world.inside():
            memory = Memory.objects.get(content="green tea")
            store.change(memory, Draft(content="black coffee"), by=SYSTEM)
        while embed.step(world.tenant.pk).taken:
            pass
        with world.inside():
            stored = MemoryVector.objects.get(memory=memory).vector
        assert stored == pytest.approx(NEW.embed(["black coffee"], timeout=1)[0].tolist())


def test_what_waits_for_a_decision_follows(world: World) -> None:
    with world.inside():
        observation = make_observation(world.agent, world.visitor)
        mutation = make_mutation(world.agent, world.visitor)
        Observation.objects.update(space="stub-64")
        Mutation.objects.update(space="stub-64", vector=[1.0] * 64)
    with both():
        call_command("reembed", tenant=world.tenant.slug, stdout=StringIO())
        while embed.step(world.tenant.pk).taken:
            pass
    with world.inside():
        observation.refresh_from_db()
        mutation.refresh_from_db()
        assert (observation.space, mutation.space) == ("other-128", "other-128")


def test_a_new_model_that_is_away_leaves_the_old_one_answering(world: World) -> None:
    away = StubEmbedder(space="other-128", dims=128, fail=Unavailable("away"))
    with both(new=away):
        with pytest.raises(CommandError, match=r"5 texts could not be embedded"):
            call_command("reembed", tenant=world.tenant.slug, stdout=StringIO())
        space, hits = find(world, "saffron rice")
        assert (space, len(hits)) == ("stub-64", len(TEXTS))


def test_a_space_nobody_embeds_is_refused_before_anything_changes(world: World) -> None:
    with providers.using(embedder=OLD):
        for space in ("nobody-5000", "nobody-12", "nonsense"):
            with pytest.raises(Misconfigured):
                reembed.begin(world.tenant.pk, space)
    with world.inside():
        world.tenant.refresh_from_db()
        assert (world.tenant.space, world.tenant.space_wanted) == ("", "")
        assert not Unembedded.objects.exists()


@pytest.mark.parametrize(("other", "dims"), [("turned-64", 64), ("solid-3072", 3_072)])
def test_vectors_of_another_model_are_left_out_and_told(
    world: World, other: str, dims: int
) -> None:
    """Same size or another: they are never compared, and the check says how to move them."""
    changed = StubEmbedder(space=other, dims=dims)
    with both(new=changed):
        _, hits = find(world, "saffron rice")
        assert {leg.name for hit in hits for leg in hit.legs} == {"keyword"}
        (warning,) = [each for each in run_checks(databases=["default"]) if "W001" in str(each.id)]
        assert "stub-64" in warning.msg
        assert "reembed" in str(warning.hint)
        call_command("reembed", tenant=world.tenant.slug, stdout=StringIO())
        assert not [each for each in run_checks(databases=["default"]) if each.id == "memory.W001"]
        _, hits = find(world, "saffron rice")
        assert "semantic" in {leg.name for hit in hits for leg in hit.legs}


def test_messages_move_too_and_the_state_is_told(world: World) -> None:
    from memory.learning.capture import Said, prepare, write

    with both(new=OLD):
        ready = prepare([Said("user", "hello harbour")], space=OLD.space, timeout=1)
        with world.inside():
            conversation = make_conversation(world.agent, world.visitor)
            write(ready, conversation=conversation)
    said = StringIO()
    with both():
        call_command("reembed", tenant=world.tenant.slug, later=True, stdout=said)
        call_command("reembed", tenant=world.tenant.slug, state=True, stdout=said)
        assert "6 texts noted" in said.getvalue()
        assert "stub-64 answers, other-128 is being filled, 6 texts without" in said.getvalue()
        while embed.step(world.tenant.pk).taken:
            pass
    with world.inside():
        assert set(MemoryVector.objects.filter(chunk__isnull=False).values_list("space")) == {
            ("other-128",)
        }


def test_sealed_memories_move_and_what_nothing_opens_holds_nobody_up(world: World) -> None:
    with world.inside():
        shut = make_shared("of a key that is gone", put_key(world.tenant))
        remove_key()
        sealed = make_shared("a sealed harbour", put_key(world.tenant))
        vectors = [
            MemoryVector(memory=memory, space=OLD.space, vector=[1.0] * 64)
            for memory in (shut, sealed)
        ]
        Unembedded.objects.filter(memory__in=[shut, sealed]).delete()
        MemoryVector.objects.bulk_create(vectors)
    with both():
        assert reembed.begin(world.tenant.pk, NEW.space) == len(TEXTS) + 1
        embed.step(world.tenant.pk)
        assert reembed.settle(world.tenant.pk)
    with world.inside():
        assert MemoryVector.objects.filter(memory=sealed, space=NEW.space).exists()
        assert not MemoryVector.objects.filter(memory=shut).exists()
