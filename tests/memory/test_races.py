"""Stages, reviewers and an erase at the same rows, on real connections: nobody waits for ever,
nothing is refused with a fault, no index keeps what the text no longer says."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest import mock

import numpy as np
import pytest
from django.db import connection
from django.test import Client

from agents.models import Conversation, Visitor
from memory import review, store
from memory.learning import capture, embed, reconcile
from memory.learning.capture import Said
from memory.models import Draft, Memory, MemoryVector, Mutation, Observation, Unembedded
from memory.providers import using
from memory.providers.types import Vector
from memory.review import apply as applying
from memory.review import decide as deciding
from memory.review import take_back
from tenants.actor import SYSTEM
from tests.factories import (
    World,
    make_draft,
    make_key,
    make_memory,
    make_mutation,
    make_observation,
)
from tests.fakes import ScriptedLanguage, StubEmbedder, decided
from tests.race import at_once

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5


@pytest.fixture
def world() -> World:
    return World()


def elsewhere(act: Callable[[], object]) -> None:
    """Do it on another connection and wait until it is committed."""

    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(timeout=10)
    assert not thread.is_alive()


def leave(world: World) -> None:
    """The visitor goes, with everything that hangs on them."""

    def act() -> None:
        with world.inside():
            Visitor.objects.filter(pk=world.visitor.pk).delete()

    elsewhere(act)


def after(name: str, act: Callable[[], object], *, of: Any) -> Any:
    """A module's function, with `act` once it has returned."""
    real = getattr(of, name)

    def slow(*args: Any, **kwargs: Any) -> Any:
        result = real(*args, **kwargs)
        act()
        return result

    return mock.patch.object(of, name, slow)


def before(name: str, act: Callable[[], object], *, of: Any) -> Any:
    real = getattr(of, name)

    def late(*args: Any, **kwargs: Any) -> Any:
        act()
        return real(*args, **kwargs)

    return mock.patch.object(of, name, late)


def vector_of(text: str) -> list[float]:
    return [float(x) for x in StubEmbedder().embed([text], timeout=1)[0]]


# --- capture -----------------------------------------------------------------------------------


def test_one_conversation_captured_from_everywhere_is_numbered_without_gap_or_repeat(
    world: World,
) -> None:
    def send(first: int, thread: str) -> Callable[[], Any]:
        said = [Said("user", f"line {n}", id=f"m{n}") for n in range(first, first + 6)]

        def act() -> Any:
            prepared = capture.prepare(said, space="stub-64", timeout=1)
            with world.inside():
                visitor = Visitor.objects.meet(host_id="everywhere")
                conversation = capture.conversation_of(
                    agent_id=world.agent.pk, visitor_id=visitor.pk, external_id=thread,
                    channel="api",
                )  # fmt: skip
                return capture.write(prepared, conversation=conversation)

        return act

    with using(embedder=StubEmbedder()):
        for thread in "abc":
            results = at_once(*(send(first, thread) for first in range(6)))
            assert not [r for r in results if isinstance(r, Exception)], results
            assert sum(r.accepted for r in results) == 11
            assert sum(r.duplicates for r in results) == 6 * 6 - 11
            with world.inside():
                conversation = Conversation.objects.get(external_id=thread)
                found = conversation.messages.order_by("position").values_list(
                    "position", "content"
                )
                assert [number for number, _ in found] == list(range(1, 12))
                assert len({content for _, content in found}) == conversation.last_position == 11
    with world.inside():
        assert Visitor.objects.filter(host_id="everywhere").count() == 1


@pytest.mark.parametrize("meanwhile", ["erased", "off"])
def test_who_leaves_in_the_middle_of_a_capture_is_not_made_again(
    world: World, meanwhile: str
) -> None:
    with world.inside():
        headers = {"Authorization": f"Bearer {make_key()}"}

    def off() -> None:
        def act() -> None:
            with world.inside():
                Visitor.objects.update(auto_capture_enabled=False)

        elsewhere(act)

    act = off if meanwhile == "off" else lambda: leave(world)
    body = {
        "visitor": world.visitor.host_id,
        "conversation": "c",
        "messages": [{"role": "user", "content": "I like tea"}],
    }
    with using(embedder=StubEmbedder()), before("conversation_of", act, of=capture):
        answer = Client().post(
            f"/api/agents/{world.agent.slug}/capture", json.dumps(body), "application/json",
            headers=headers,
        )  # fmt: skip
    assert (answer.status_code, answer.json()["accepted"]) == (200, 0)
    with world.inside():
        assert not Conversation.objects.exists()
        assert Visitor.objects.exists() == (meanwhile == "off")


# --- reviewers ---------------------------------------------------------------------------------


def test_two_changes_to_one_key_have_one_winner_and_one_stale_proposal() -> None:
    for _ in range(ROUNDS):
        world = World()
        with world.inside():
            pair = [
                make_mutation(
                    world.agent, world.visitor, operation="modify", draft=Draft(key="/wanted"),
                    target=make_memory(world.agent, world.visitor, f"About {key}.", key=f"/{key}"),
                )
                for key in "ab"
            ]  # fmt: skip
        results = at_once(
            *(lambda n=each.pk, w=world: review.approve(mutation_id=n, by=w.admin) for each in pair)
        )
        kinds = sorted(type(each).__name__ for each in results)
        assert kinds == ["Decided", "Stale"], results
        with world.inside():
            assert Memory.objects.live().filter(key="/wanted").count() == 1


def test_an_undo_whose_old_key_is_taken_by_now_is_refused(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "The user likes tea.", key="/old")
        moved = make_mutation(
            world.agent, world.visitor, operation="modify", target=memory, draft=Draft(key="/new")
        )
    review.approve(mutation_id=moved.pk, by=world.admin)
    with world.inside():
        other = make_mutation(world.agent, world.visitor, draft=make_draft("Another.", "/old"))
    review.approve(mutation_id=other.pk, by=world.admin)
    with pytest.raises(review.CannotUndo, match="key"):
        review.undo(mutation_id=moved.pk, by=world.admin)
    with world.inside():
        memory.refresh_from_db()
        assert memory.key == "/new"


@pytest.mark.parametrize("verb", ["approve", "reject", "undo"])
def test_a_proposal_whose_person_leaves_meanwhile_is_not_found(world: World, verb: str) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    if verb == "undo":
        review.reject(mutation_id=mutation.pk, by=world.admin)
    act = getattr(review, verb)
    with (
        before("hold_scope", lambda: leave(world), of=take_back if verb == "undo" else deciding),
        pytest.raises(review.NoSuchMutation),
    ):
        act(mutation_id=mutation.pk, by=world.admin)


@pytest.mark.parametrize("repeats", ["the proposal", "the memory"])
def test_a_stale_approval_and_more_evidence_do_not_wait_for_each_other(
    world: World, repeats: str
) -> None:
    """An observation waits again while a proposal that rests on it is pending."""
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "The user likes tea.", key="/a")
        waiting = make_observation(world.agent, world.visitor, "The user has a dog.")
        mutation = make_mutation(
            world.agent, world.visitor, operation="modify", target=memory,
            draft=Draft(content="The user likes mate."), observation=waiting,
        )  # fmt: skip
        store.change(memory, Draft(content="The user likes milk."), by=SYSTEM)
    wanted = "pending" if repeats == "the proposal" else "memory"

    class Model(ScriptedLanguage):
        def reconcile(self, question: Any, *, timeout: float) -> Any:
            states = {n: row.state for n, row in seen[0].items()}
            about = next(n for n, state in states.items() if state == wanted)
            self.say(decided("repeat", about=about))
            return super().reconcile(question, timeout=timeout)

    seen: list[Any] = []
    real = reconcile._case

    def looked(*args: Any) -> Any:
        case = real(*args)
        seen.append(case.known)
        return case

    def decide() -> Any:
        with using(language=Model(), embedder=StubEmbedder()):
            return reconcile.step(world.tenant.pk)

    def approve() -> Any:
        time.sleep(0.1)
        return review.approve(mutation_id=mutation.pk, by=world.admin)

    pause = lambda: time.sleep(0.3)  # noqa: E731
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(reconcile, "_case", looked))
        stack.enter_context(after("still_mine", pause, of=reconcile))
        stack.enter_context(before("_locked_target", pause, of=applying))
        tally, told = at_once(decide, approve)
    assert isinstance(told, review.Stale), told
    assert (tally.taken, tally.failed) == (1, 0), tally
    with world.inside():
        assert Mutation.objects.get().resolution == "stale"
        assert Observation.objects.get().lease_token is None


# --- vectors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("at_hand", [True, False])
def test_a_change_while_the_old_text_is_embedded_leaves_only_the_new_vector(
    world: World, at_hand: bool
) -> None:
    vector: dict[str, Any] = (
        {"space": "stub-64", "vector": vector_of("new words")} if at_hand else {}
    )
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "old words")
        mutation = make_mutation(
            world.agent, world.visitor, operation="modify", target=memory,
            draft=Draft(content="new words"), **vector,
        )  # fmt: skip
    written = threading.Event()

    def embedding() -> Any:
        with using(embedder=StubEmbedder()):
            return embed.step(world.tenant.pk)

    def approving() -> Any:
        assert written.wait(5)
        return review.approve(mutation_id=mutation.pk, by=world.admin)

    def hold_on() -> None:
        written.set()
        time.sleep(0.5)

    with after("_write", hold_on, of=embed):
        results = at_once(embedding, approving)
    assert not [r for r in results if isinstance(r, Exception)], results
    with using(embedder=StubEmbedder()):
        while embed.step(world.tenant.pk).taken:
            pass
    with world.inside():
        found = MemoryVector.objects.get(memory=memory)
        assert np.allclose(found.vector, vector_of("new words"), atol=1e-3)


def test_an_edit_while_the_old_wording_is_embedded_never_gets_its_vector(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor, draft=make_draft("old words"))
        Unembedded.objects.create(mutation=mutation)

    class Slow(StubEmbedder):
        def embed(self, texts: Any, *, timeout: float) -> Vector:
            found = super().embed(texts, timeout=timeout)
            edited = {"content": "new words"}
            elsewhere(lambda: review.edit(mutation_id=mutation.pk, by=world.admin, changes=edited))
            return found

    with using(embedder=Slow()):
        embed.step(world.tenant.pk)
    fresh = review.undo(mutation_id=mutation.pk, by=world.admin).fresh
    assert fresh is not None
    with using(embedder=StubEmbedder()):
        while embed.step(world.tenant.pk).taken:
            pass
    with world.inside():
        fresh.refresh_from_db()
        assert fresh.draft["content"] == "new words"
        assert np.allclose(fresh.vector, vector_of("new words"), atol=1e-3)
    memory = review.approve(mutation_id=fresh.pk, by=world.admin).memory
    with world.inside():
        found = MemoryVector.objects.get(memory=memory)
        assert np.allclose(found.vector, vector_of("new words"), atol=1e-3)
