"""A turn: recall, answer, capture; and what is left of it when a part breaks."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from agents.chat import APOLOGY, CUT_OFF, Asked, turn
from agents.models import Agent, Conversation, Message, Visitor
from memory.learning import capture, embed
from memory.models import MemoryVector, Presence, RecallTrace, Unembedded
from memory.providers.door import using
from memory.providers.errors import Empty, Misconfigured, Refused, Unavailable
from memory.providers.types import ChatMessage
from memory.recall import context
from tests.factories import World, make_memory
from tests.fakes import ScriptedLanguage, StubEmbedder

pytestmark = pytest.mark.django_db
ME = UUID(int=7)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def language() -> Iterator[ScriptedLanguage]:
    language = ScriptedLanguage()
    with using(language=language, embedder=StubEmbedder()):
        yield language


def ask(world: World, *contents: str, who: UUID = ME, conversation: UUID | None = None) -> Asked:
    """Messages by turns, the last one the visitor's."""
    with world.inside():
        agent = Agent.objects.select_related("tenant").get(pk=world.agent.pk)
    roles: Sequence[Any] = ["user", "assistant"]
    first = (len(contents) + 1) % 2
    messages = [ChatMessage(roles[(first + n) % 2], each) for n, each in enumerate(contents)]
    return Asked(agent, {"cookie": who}, messages, "chat", conversation)


def said(world: World) -> list[tuple[str, str, bool]]:
    with world.inside():
        rows = Message.objects.order_by("conversation_id", "position")
        return [(m.role, m.content, m.complete) for m in rows]


def test_the_reply_comes_in_pieces_after_memory_has_done_its_part(
    world: World, language: ScriptedLanguage
) -> None:
    language.say(["Green ", "tea."])
    asked = ask(world, "which tea")
    reply = turn(asked)
    assert next(reply) == ""
    assert said(world) == [("user", "which tea", True)]
    with world.inside():
        assert asked.conversation == Conversation.objects.get().uid
        assert Visitor.objects.get(cookie=ME).host_id is None
    assert list(reply) == ["Green ", "tea."]
    assert said(world)[1:] == [("assistant", "Green tea.", True)]


def test_the_prompt_is_instructions_then_the_block_then_what_was_said(
    world: World, language: ScriptedLanguage
) -> None:
    with world.inside():
        Agent.objects.update(instructions="You sell tea.")
        memory = make_memory(
            world.agent, None, "Closes at six.", presence=Presence.OMNIPRESENT, key="/hours"
        )
    language.say("At six.")
    list(turn(ask(world, "hello", "Hi!", "when do you close")))
    (request,) = language.transport.requests
    assert [(m.role, m.content) for m in request.messages] == [
        ("system", "You sell tea."),
        ("system", "## Relevant Memory\n[/hours] Closes at six."),
        ("user", "hello"),
        ("assistant", "Hi!"),
        ("user", "when do you close"),
    ]
    with world.inside():
        reply = Message.objects.get(role="assistant")
        assert reply.recalled == [memory.pk]
        trace = RecallTrace.objects.get()
        assert (trace.message_id, trace.memories[0]["id"]) == (reply.pk, memory.pk)


def test_without_anything_to_say_there_is_no_system_message(
    world: World, language: ScriptedLanguage
) -> None:
    language.say("Hi!")
    list(turn(ask(world, "hello")))
    assert [m.role for m in language.transport.requests[0].messages] == ["user"]


def test_a_visitor_recalls_their_own_and_not_anothers(
    world: World, language: ScriptedLanguage
) -> None:
    language.say("ok", "ok")
    list(turn(ask(world, "hello")))
    with world.inside():
        make_memory(world.agent, Visitor.objects.get(cookie=ME), "Likes green tea.")
    for who in (ME, uuid4()):
        language.say("ok")
        list(turn(ask(world, "what tea", who=who)))
    texts = [request.text for request in language.transport.requests]
    assert ["Likes green tea." in text for text in texts] == [False, True, False]


def test_the_visitors_vector_is_computed_once(world: World) -> None:
    embedder = StubEmbedder()
    with using(language=ScriptedLanguage("Green."), embedder=embedder):
        reply = turn(ask(world, "which tea"))
        next(reply)
        assert embedder.calls == [("which tea",)]
        with world.inside():
            assert MemoryVector.objects.count() == 1
        list(reply)


def test_a_question_is_embedded_without_names_and_a_message_with_them(world: World) -> None:
    embedder = StubEmbedder()
    with using(language=ScriptedLanguage("Green.", "Black."), embedder=embedder):
        list(turn(ask(world, "hello")))
        with world.inside():
            Visitor.objects.update(name="Mira Holt")
            MemoryVector.objects.all().delete()
        embedder.calls.clear()
        next(turn(ask(world, "which tea does Mira like")))
        assert embedder.calls == [("which tea does like",)]
        with world.inside():
            assert not MemoryVector.objects.exists()
        embed.step(world.tenant.pk)
        assert ("which tea does Mira like",) in [call[-1:] for call in embedder.calls]


@pytest.mark.parametrize("injects", [True, False])
def test_a_person_of_whom_nothing_is_told_has_no_name(world: World, injects: bool) -> None:
    embedder = StubEmbedder()
    with using(language=ScriptedLanguage("Hello.", "Green."), embedder=embedder):
        list(turn(ask(world, "hello")))
        with world.inside():
            Visitor.objects.update(name="Mira Holt")
        embedder.calls.clear()
        next(turn(replace(ask(world, "which tea does Mira like"), injects=injects)))
    asked = "which tea does like" if injects else "which tea does Mira like"
    assert embedder.calls == [(asked,)]


def test_a_conversation_goes_on_only_for_its_visitor(
    world: World, language: ScriptedLanguage
) -> None:
    language.say("1", "2", "3", "4")
    first = ask(world, "hello")
    list(turn(first))
    again = ask(world, "more", conversation=first.conversation)
    list(turn(again))
    assert again.conversation == first.conversation
    for who, conversation in ((uuid4(), first.conversation), (ME, uuid4())):
        other = ask(world, "mine", who=who, conversation=conversation)
        list(turn(other))
        assert other.conversation not in (first.conversation, conversation)


# --- what breaks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [Unavailable("away"), Misconfigured("no key"), Refused("no"), Empty(""), ValueError("x")],
)
def test_a_broken_model_apologises_and_keeps_the_question(
    world: World, language: ScriptedLanguage, fault: Exception
) -> None:
    language.say(fault)
    assert list(turn(ask(world, "which tea"))) == ["", APOLOGY]
    assert said(world) == [("user", "which tea", True)]
    with world.inside():
        assert RecallTrace.objects.get().message_id is None


@pytest.mark.parametrize("nothing", ["", "  \n"])
def test_an_empty_reply_is_a_broken_model(
    world: World, language: ScriptedLanguage, nothing: str
) -> None:
    language.say([nothing])
    assert list(turn(ask(world, "which tea")))[-1] == APOLOGY
    assert len(said(world)) == 1


def test_a_model_that_breaks_half_way_says_so_and_what_it_said_is_kept(
    world: World, language: ScriptedLanguage
) -> None:
    language.say(["Green ", Unavailable("away")])
    assert list(turn(ask(world, "which tea"))) == ["", "Green ", CUT_OFF]
    assert said(world)[1] == ("assistant", "Green ", False)


def test_hanging_up_keeps_what_was_said_and_stops_the_model(
    world: World, language: ScriptedLanguage
) -> None:
    stopped = []

    def endless(*_: Any, **__: Any) -> Iterator[str]:
        try:
            while True:
                yield "tea "
        finally:
            stopped.append(True)

    language.answer = endless  # type: ignore[method-assign]
    reply = turn(ask(world, "which tea"))
    assert [next(reply) for _ in range(3)] == ["", "tea ", "tea "]
    reply.close()
    assert stopped == [True]
    role, content, complete = said(world)[1]
    assert (role, content.strip(), complete) == ("assistant", "tea tea", False)
    with world.inside():
        assert RecallTrace.objects.get().message_id is not None


def test_hanging_up_before_the_first_word_keeps_the_question(
    world: World, language: ScriptedLanguage
) -> None:
    reply = turn(ask(world, "which tea"))
    next(reply)
    reply.close()
    assert said(world) == [("user", "which tea", True)]
    assert language.transport.requests == []


def test_a_broken_embedder_leaves_the_words_and_is_traced(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, None, "Green tea is served.")
    language = ScriptedLanguage("Green.")
    with using(language=language, embedder=StubEmbedder(fail=Unavailable("away"))):
        assert list(turn(ask(world, "is tea served"))) == ["", "Green."]
    assert "Green tea is served." in language.transport.requests[0].text
    with world.inside():
        assert RecallTrace.objects.get().memories[0]["id"] == memory.pk
        assert "unavailable" in RecallTrace.objects.get().failed
        assert Unembedded.objects.filter(chunk__isnull=False).count() == 2


@contextmanager
def broken(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> Iterator[None]:
    def fails(*_: Any, **__: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")

    with monkeypatch.context() as patch:
        patch.setattr(module, name, fails)
        yield


@pytest.mark.parametrize(
    ("module", "name"),
    [(context, "prepare"), (context, "recall"), (capture, "prepare"), (capture, "write"),
     (capture, "conversation_of")],
)  # fmt: skip
def test_broken_memory_never_breaks_the_reply(
    world: World,
    language: ScriptedLanguage,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    module: Any,
    name: str,
) -> None:
    language.say("Green.")
    with broken(monkeypatch, module, name):
        assert list(turn(ask(world, "my private words"))) == ["", "Green."]
    assert f"agent={world.agent.pk}" in caplog.text
    assert "private" not in caplog.text


def test_a_fault_of_memory_is_there_to_be_seen(
    world: World, language: ScriptedLanguage, monkeypatch: pytest.MonkeyPatch
) -> None:
    language.say("Green.")
    with broken(monkeypatch, capture, "write"):
        reply = turn(ask(world, "which tea"))
        next(reply)
    list(reply)
    with world.inside():
        assert RecallTrace.objects.get().failed == "DataError"


@pytest.mark.parametrize("off", ["agent", "tenant"])
def test_with_memory_off_chat_works_and_leaves_nothing(
    world: World, language: ScriptedLanguage, off: str
) -> None:
    with world.inside():
        make_memory(world.agent, None, "Closes at six.", presence=Presence.OMNIPRESENT)
        row = world.agent if off == "agent" else world.tenant
        type(row).objects.filter(pk=row.pk).update(memory_enabled=False)
    language.say("Green.")
    asked = ask(world, "which tea")
    assert list(turn(asked)) == ["", "Green."]
    assert asked.conversation is not None
    assert "six" not in language.transport.requests[0].text
    with world.inside():
        for model in (Message, Conversation, RecallTrace):
            assert not model.objects.exists()
        assert not Visitor.objects.filter(cookie=ME).exists()


def test_a_person_who_switched_off_is_neither_captured_nor_recalled(
    world: World, language: ScriptedLanguage
) -> None:
    with world.inside():
        visitor = Visitor.objects.create(
            cookie=ME, auto_capture_enabled=False, use_memory_in_responses=False
        )
        make_memory(world.agent, visitor, "Likes tea.", presence=Presence.OMNIPRESENT)
    language.say("Green.")
    assert list(turn(ask(world, "which tea"))) == ["", "Green."]
    assert "Likes" not in language.transport.requests[0].text
    assert said(world) == []


def test_a_secret_reaches_neither_storage_nor_embedder_nor_model(world: World) -> None:
    key = "sk-test-51Zq0000EXAMPLE0000"
    embedder, language = StubEmbedder(), ScriptedLanguage(f"Keep {key} safe.")
    with using(language=language, embedder=embedder):
        list(turn(ask(world, f"my key is {key}")))
    stored = " ".join(content for _, content, _ in said(world))
    assert key not in stored + str(embedder.calls) + language.transport.requests[0].text
