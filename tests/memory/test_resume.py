"""Killed at any statement, a stage or a verb leaves work that the next run finishes, once."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from agents.chat import Asked, turn
from agents.models import Agent, Conversation, Mode
from memory import review, store
from memory.learning import capture, embed, extract, observe, reconcile
from memory.learning.capture import Said
from memory.models import Draft, Memory, Mutation, Unembedded
from memory.providers import using
from memory.providers.errors import Unavailable
from memory.providers.types import ChatMessage
from tenants.actor import SYSTEM
from tests.dying import MOST, Act, Dying, Hiccup, Killed, at_every_statement
from tests.factories import (
    World,
    make_conversation,
    make_draft,
    make_memory,
    make_mutation,
    make_observation,
)
from tests.fakes import ScriptedLanguage, StubEmbedder, decided, observed

pytestmark = pytest.mark.django_db
BOTH = pytest.mark.parametrize("kind", [Killed, Hiccup])
Build = Callable[[World], object]
ME = UUID(int=7)


def built(build: Build) -> Callable[[], World]:
    def prepare() -> World:
        world = World()
        with world.inside():
            build(world)
        return world

    return prepare


def asked(step: Callable[[int], object], reply: str, fail: Exception | None = None) -> Act:
    """The stage under a model that always says the same."""

    def act(world: World) -> object:
        language, embedder = ScriptedLanguage(reply), StubEmbedder(fail=fail)
        with using(language=language, embedder=embedder):
            return step(world.tenant.pk)

    return act


# --- stages ------------------------------------------------------------------------------------

FOUND = observed(
    ("The user likes tea.", "I like tea", 1), ("The user has a cat.", "I have a cat", 3)
)


def said_something(world: World) -> None:
    make_conversation(
        world.agent, world.visitor, "user: I like tea", "assistant: Noted.", "user: I have a cat"
    )


@BOTH
@pytest.mark.parametrize("fail", [None, Unavailable("away")])
def test_observe(kind: type[BaseException], fail: Exception | None) -> None:
    act = asked(observe.step, FOUND, fail)
    assert at_every_statement(built(said_something), act, kind) > 5


def observations(world: World) -> None:
    """Two things said, of which the older is decided; a memory and a proposal stand by."""
    make_memory(world.agent, world.visitor, "The user drinks coffee.", key="/drinks")
    make_mutation(world.agent, world.visitor, draft=make_draft("The user has a dog.", "/pets"))
    make_observation(world.agent, world.visitor, "The user drinks tea.")
    make_observation(world.agent, world.visitor, "The user moved to Porto.")


def proposal(operation: str, target: int | None = None) -> dict[str, Any]:
    rest = {} if operation == "delete" else {"content": "The user drinks tea."}
    if operation == "add":
        rest |= {"key": "/tea", "description": "tea", "presence": "on-demand"}
    return {"operation": operation, "target": target, **rest}


@BOTH
@pytest.mark.parametrize(
    "reply",
    [
        decided("mutate", proposal("add")),
        decided("mutate", proposal("modify", 1), proposal("add")),
        decided("mutate", proposal("delete", 1)),
        decided("repeat", about=1),
        decided("repeat", about=2),
        decided("defer"),
        decided("discard"),
        "no JSON at all",
    ],
    ids=["add", "modify-and-add", "delete", "confirm", "attach", "defer", "discard", "unreadable"],
)
def test_reconcile(kind: type[BaseException], reply: str) -> None:
    assert at_every_statement(built(observations), asked(reconcile.step, reply), kind) > 5


@BOTH
def test_extract_with_a_correction(kind: type[BaseException]) -> None:
    def automatic(world: World) -> None:
        world.agent.mode = Mode.AUTOMATIC
        world.agent.save()
        store.add(
            tenant_id=world.tenant.pk, kind=Memory.Kind.PERSON, agent_id=None,
            visitor_id=world.visitor.pk, draft=Draft(content="The user likes tea", label="general"),
            by=SYSTEM,
        )  # fmt: skip
        Memory.objects.update(is_auto_generated=True)
        make_conversation(
            world.agent, world.visitor, "user: I do not like tea and I have a cat", idle=False
        )

    reply = json.dumps(
        {
            "has_memories": True,
            "global_memories": ["The user does not like tea", "The user has a cat"],
            "mentor_memories": {},
        }
    )
    assert at_every_statement(built(automatic), asked(extract.step, reply), kind) > 5


@BOTH
def test_embed(kind: type[BaseException]) -> None:
    def without_vectors(world: World) -> None:
        said_something(world)
        make_memory(world.agent, world.visitor, "The user drinks coffee.")
        Unembedded.objects.create(observation=make_observation(world.agent, world.visitor))
        mutation = make_mutation(world.agent, world.visitor)
        Unembedded.objects.create(mutation=mutation)
        write("I like tea", "I have a cat")(world)

    assert at_every_statement(built(without_vectors), asked(embed.step, "never asked"), kind) > 5


def write(*lines: str) -> Act:
    """Capture under the caller's ids, without vectors, so that doing it again is a duplicate."""

    def act(world: World) -> object:
        said = [Said("user", line, id=f"m-{n}") for n, line in enumerate(lines)]
        with using(embedder=StubEmbedder(fail=Unavailable("away"))):
            prepared = capture.prepare(said, space="stub-64", timeout=1)
        with world.inside():
            conversation = capture.conversation_of(
                agent_id=world.agent.pk, visitor_id=world.visitor.pk, external_id="thread",
                channel="api",
            )  # fmt: skip
            return capture.write(prepared, conversation=conversation)

    return act


@BOTH
def test_capture(kind: type[BaseException]) -> None:
    assert at_every_statement(World, write("I like tea", "I have a cat"), kind) > 5


# --- the reviewer's verbs ----------------------------------------------------------------------


def pending(operation: str, *, stale: bool = False) -> Build:
    def build(world: World) -> None:
        target = None
        if operation != "add":
            target = make_memory(world.agent, world.visitor, "The user likes tea.", key="/tea")
        patch = Draft(content="The user likes green tea.") if operation == "modify" else None
        make_mutation(world.agent, world.visitor, operation=operation, target=target, draft=patch)
        if stale and target is not None:
            store.change(target, Draft(content="The user likes mate."), by=SYSTEM)

    return build


def verb(name: str, **more: Any) -> Act:
    def act(world: World) -> object:
        with world.inside():
            number = Mutation.objects.earliest("pk").pk
        with using(embedder=StubEmbedder()):
            try:
                return getattr(review, name)(mutation_id=number, by=world.admin, **more)
            except review.Stale as told:
                return told

    return act


@pytest.mark.parametrize("operation", ["add", "modify", "delete"])
@pytest.mark.parametrize("name", ["approve", "reject"])
def test_a_decision(name: str, operation: str) -> None:
    assert at_every_statement(built(pending(operation)), verb(name)) > 5


@pytest.mark.parametrize("operation", ["modify", "delete"])
def test_a_decision_about_what_changed_meanwhile(operation: str) -> None:
    assert at_every_statement(built(pending(operation, stale=True)), verb("approve")) > 5


@pytest.mark.parametrize("operation", ["add", "modify"])
def test_an_edit(operation: str) -> None:
    act = verb("edit", changes={"content": "The user likes mate."})
    assert at_every_statement(built(pending(operation)), act) > 5


@pytest.mark.parametrize("operation", ["add", "modify", "delete"])
@pytest.mark.parametrize("first", ["approve", "reject"])
def test_an_undo(first: str, operation: str) -> None:
    def prepare() -> World:
        world = built(pending(operation))()
        verb(first)(world)
        return world

    assert at_every_statement(prepare, verb("undo")) > 5


# --- the writer's verbs ------------------------------------------------------------------------


def in_block(change: Callable[[Memory], object]) -> Act:
    def act(world: World) -> object:
        with world.inside():
            return change(Memory.objects.get())

    return act


@pytest.mark.parametrize(
    "change",
    [
        lambda m: store.change(m, Draft(content="The user likes mate."), by=SYSTEM),
        lambda m: store.close(m, because=Memory.Closed.DELETED, by=SYSTEM),
        lambda m: store.restore(m, to=make_draft("The user likes mate."), by=SYSTEM),
        store.confirm,
    ],
    ids=["change", "close", "restore", "confirm"],
)
def test_a_verb_of_the_store(change: Callable[[Memory], object]) -> None:
    def build(world: World) -> None:
        make_memory(world.agent, world.visitor)

    assert at_every_statement(built(build), in_block(change)) >= 3


# --- a turn of the chat ------------------------------------------------------------------------


def talk(world: World) -> str:
    with world.inside():
        agent = Agent.objects.select_related("tenant").get()
    with using(language=ScriptedLanguage(["Green ", "tea."]), embedder=StubEmbedder()):
        said = [ChatMessage("user", "which tea")]
        return "".join(turn(Asked(agent, {"cookie": ME}, said, "chat")))


def talked(world: World) -> list[list[tuple[int, str]]]:
    """Every conversation as its numbered messages, checked against its own counter."""
    with world.inside():
        found = []
        for row in Conversation.objects.order_by("pk"):
            lines = list(row.messages.order_by("position").values_list("position", "content"))
            assert [number for number, _ in lines] == list(range(1, row.last_position + 1))
            found.append(lines)
        return found


def test_a_turn_that_is_killed_leaves_what_was_said_whole_and_the_next_one_is_new() -> None:
    asked_only, answered = [(1, "which tea")], [(1, "which tea"), (2, "Green tea.")]
    seen = []
    for after in range(MOST):
        world = World()
        dying = Dying(after, Killed)
        with world.inside():
            Agent.objects.get()
        with connection.execute_wrapper(dying), suppress(Killed):
            talk(world)
        if not dying.died:
            break
        seen.append(talked(world))
        assert talk(world) == "Green tea."
        assert talked(world) == [*seen[-1], answered]
    assert [each for n, each in enumerate(seen) if each not in seen[:n]] == [[], [asked_only]]


def test_a_turn_answers_whatever_statement_fails() -> None:
    """Memory's faults are memory's own; the reply is whole and nothing is half captured."""
    for after in range(3, MOST):  # the first three read the agent, before the turn
        world = World()
        dying = Dying(after, Hiccup)
        with connection.execute_wrapper(dying):
            assert talk(world) == "Green tea."
        assert talked(world) in ([], [[(1, "which tea")]], [[(1, "which tea"), (2, "Green tea.")]])
        if not dying.died:
            return


# --- the harness itself ------------------------------------------------------------------------


def test_what_is_half_written_is_noticed() -> None:
    def in_two_blocks(world: World) -> None:
        for text in ("The user likes tea.", "The user has a cat."):
            with world.inside():
                make_memory(world.agent, world.visitor, text)

    with pytest.raises(AssertionError, match="after a death"):
        at_every_statement(World, in_two_blocks)
