"""Capture: numbered once, cut and embedded where possible, never twice, never past a switch."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from agents.models import Conversation, Message
from memory.learning.capture import MESSAGE_LIMIT, Captured, Said, conversation_of, prepare, write
from memory.models import MemoryVector, MessageChunk, Posting, Unembedded
from memory.providers import using
from memory.providers.errors import Unavailable
from tests.factories import World, make_conversation, make_visitor
from tests.fakes import StubEmbedder

pytestmark = pytest.mark.django_db
SPACE = "stub-64"


@pytest.fixture
def world() -> World:
    return World()


def capture(world: World, *said: Said, external_id: str = "c-1", **kw: object) -> Captured:
    with using(embedder=kw.pop("embedder", StubEmbedder())):  # type: ignore[arg-type]
        prepared = prepare(said, space=SPACE, timeout=5)
    with world.inside():
        conversation = conversation_of(
            agent_id=world.agent.pk, visitor_id=world.visitor.pk, external_id=external_id,
            channel="api",
        )  # fmt: skip
        return write(prepared, conversation=conversation)


def test_messages_are_numbered_and_found_by_words_and_vectors(world: World) -> None:
    captured = capture(world, Said("user", "I moved to Porto"), Said("assistant", "Nice."))
    with world.inside():
        assert captured.accepted == 2
        assert list(Message.objects.values_list("position", "role")) == [
            (1, "user"), (2, "assistant"),
        ]  # fmt: skip
        assert Conversation.objects.get().last_position == 2
        assert set(MemoryVector.objects.values_list("space", flat=True)) == {SPACE}
        assert MemoryVector.objects.count() == 2
        assert Posting.objects.filter(term="porto", chunk__message__position=1).count() == 1
        assert not Unembedded.objects.exists()


def test_the_callers_id_is_taken_once_in_one_batch_and_over_several(world: World) -> None:
    twice = capture(world, Said("user", "I like tea", id="m1"), Said("user", "I like tea", id="m1"))
    assert (twice.accepted, twice.duplicates) == (1, 1)
    again = capture(world, Said("user", "I like tea", id="m1"), Said("user", "And mate", id="m2"))
    assert (again.accepted, again.duplicates) == (1, 1)
    elsewhere = capture(world, Said("user", "I like tea", id="m1"), external_id="c-2")
    assert (elsewhere.accepted, elsewhere.duplicates) == (1, 0)
    with world.inside():
        first = Conversation.objects.get(external_id="c-1")
        assert list(first.messages.order_by("position").values_list("position", "external_id")) == [
            (1, "m1"), (2, "m2"),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (Said("system", "You are Ava", id="x"), "role"),
        (Said("tool", "42", id="x"), "role"),
        (Said("user", "   ", id="x"), "content"),
        (Said("user", "\x00", id="x"), "content"),
        (Said("user", "a" * (MESSAGE_LIMIT + 1), id="x"), str(MESSAGE_LIMIT)),
        (Said("user", "hi", id="x", occurred_at=datetime(2026, 3, 3)), "occurred_at"),
    ],
)
def test_one_bad_message_is_refused_by_name_and_the_others_go_on(
    world: World, said: Said, named: str
) -> None:
    captured = capture(world, Said("user", "I moved to Porto"), said, Said("user", "I like tea"))
    assert captured.accepted == 2
    (refused,) = captured.refused
    assert refused.id == "x"
    assert named in refused.reason


def test_a_long_message_is_cut_and_its_end_is_found(world: World) -> None:
    long = "花" * 60_000 + " my cat is called Pixel"
    capture(
        world, Said("user", "I moved to Porto"), Said("user", long), Said("user", "I like tea"),
        embedder=StubEmbedder(limit_tokens=8_192),
    )  # fmt: skip
    with world.inside():
        found = MessageChunk.objects.get(postings__term="pixel")
        assert found.message.content == long
        assert found.message.content[found.start : found.end].endswith("called Pixel")
        pieces = list(found.message.chunks.order_by("piece").values_list("start", "end"))
        assert "".join(long[a:b] for a, b in pieces) == long


def test_without_an_embedder_everything_is_kept_and_queued(world: World) -> None:
    broken = StubEmbedder(fail=Unavailable("down"))
    captured = capture(world, Said("user", "I moved to Porto"), embedder=broken)
    with world.inside():
        assert captured.accepted == 1
        assert Unembedded.objects.get().chunk is not None
        assert Posting.objects.filter(term="porto").exists()


def test_the_senders_own_clock_is_kept(world: World) -> None:
    late = datetime(2026, 3, 3, 23, 30, tzinfo=timezone(timedelta(hours=-8)))
    capture(world, Said("user", "I broke my ankle yesterday", occurred_at=late))
    with world.inside():
        message = Message.objects.get()
        assert message.occurred_at == late
        assert message.occurred_offset == -480
        assert message.received_at > datetime(2026, 11, 1, tzinfo=UTC)


def test_a_secret_is_masked_before_anything_is_stored(world: World) -> None:
    capture(world, Said("user", "My key is sk-test-51Zq0000EXAMPLE0000, keep it."))
    with world.inside():
        message = Message.objects.get()
        assert "51Zq" not in message.content
        assert message.content.startswith("My key is")
        assert message.masked
        assert not Posting.objects.filter(term__contains="51zq").exists()


@pytest.mark.parametrize("off", ["tenant", "agent", "person"])
def test_a_switch_that_is_off_captures_nothing_and_says_so(world: World, off: str) -> None:
    with world.inside():
        if off == "tenant":
            type(world.tenant).objects.filter(pk=world.tenant.pk).update(memory_enabled=False)
        elif off == "agent":
            type(world.agent).objects.update(memory_enabled=False)
        else:
            type(world.visitor).objects.update(auto_capture_enabled=False)
    captured = capture(world, Said("user", "I moved to Porto"))
    assert captured.accepted == 0
    assert captured.reason is not None
    assert "off" in captured.reason
    with world.inside():
        assert not Message.objects.exists()


def test_somebody_elses_conversation_is_not_continued(world: World) -> None:
    with world.inside():
        theirs = make_conversation(world.agent, make_visitor(), "user: hello")
        mine = conversation_of(
            agent_id=world.agent.pk, visitor_id=world.visitor.pk, uid=theirs.uid, channel="chat"
        )
        assert mine.pk != theirs.pk
        again = conversation_of(
            agent_id=world.agent.pk, visitor_id=world.visitor.pk, uid=mine.uid, channel="chat"
        )
        assert again.pk == mine.pk


def test_new_words_unpark_a_conversation_once(world: World) -> None:
    with world.inside():
        conversation = make_conversation(
            world.agent, world.visitor, "user: hello", external_id="c-1",
            parked_at=datetime.now(UTC), attempts=5, failed_because="refused",
        )  # fmt: skip
    capture(world, Said("user", "I moved to Porto"))
    with world.inside():
        conversation.refresh_from_db()
        assert (conversation.parked_at, conversation.attempts) == (None, 0)
        Conversation.objects.update(parked_at=datetime.now(UTC))
    capture(world, Said("user", "I like tea"))
    with world.inside():
        conversation.refresh_from_db()
        assert conversation.parked_at is not None


@pytest.mark.parametrize("own", ["x" * 201, "a\0b"])
def test_an_id_that_cannot_be_kept_is_refused_beside_what_can(world: World, own: str) -> None:
    captured = capture(world, Said("user", "I like tea", id=own), Said("user", "And mate", id="m2"))
    assert captured.accepted == 1
    assert [refused.reason for refused in captured.refused] == [
        "id: expected at most 200 characters, none of them NUL"
    ]
