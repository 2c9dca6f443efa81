"""Capture and recall for chat systems of others: answers, limits, who sees what."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import Conversation, Message, Visitor
from memory.models import MemoryVector, MessageChunk, RecallTrace, Unembedded
from memory.providers.door import using
from memory.providers.errors import Unavailable
from tenants.models import Role
from tests.factories import (
    World,
    make_agent,
    make_key,
    make_member,
    make_memory,
    make_user,
    make_visitor,
)
from tests.fakes import StubEmbedder

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder() -> Any:
    embedder = StubEmbedder()
    with using(embedder=embedder):
        yield embedder


@pytest.fixture
def world() -> World:
    return World()


def call(world: World, verb: str, body: Any, *, agent: Any = None, **key: Any) -> Any:
    with world.inside():
        token = make_key(**key)
    raw = body if isinstance(body, str) else json.dumps(body)
    return Client().post(
        f"/api/agents/{agent or world.agent.slug}/{verb}",
        raw,
        "application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def said(*contents: str, **more: Any) -> dict[str, Any]:
    messages = [{"id": f"m{n}", "role": "user", "content": each} for n, each in enumerate(contents)]
    return {"visitor": "user_1", "conversation": "c1", "messages": messages, **more}


def messages(world: World) -> list[Message]:
    with world.inside():
        return list(Message.objects.order_by("conversation_id", "position"))


# --- capture ----------------------------------------------------------------------------------


def test_messages_are_taken_numbered_and_embedded(world: World) -> None:
    answer = call(world, "capture", said("I moved to Porto", "I like tea"))
    assert (answer.status_code, answer.json()) == (
        200,
        {"accepted": 2, "duplicates": 0, "refused": []},
    )
    assert [(m.position, m.content) for m in messages(world)] == [
        (1, "I moved to Porto"),
        (2, "I like tea"),
    ]
    with world.inside():
        assert MemoryVector.objects.filter(chunk__isnull=False).count() == 2
        assert Visitor.objects.get(host_id="user_1").cookie is None


@pytest.mark.parametrize("by", ["slug", "uid"])
def test_the_agent_goes_by_slug_or_uuid(world: World, by: str) -> None:
    answer = call(world, "capture", said("hello there"), agent=getattr(world.agent, by))
    assert answer.json()["accepted"] == 1


def test_a_message_id_is_taken_once_in_its_conversation(world: World) -> None:
    call(world, "capture", said("one"))
    again = call(world, "capture", said("one", "two"))
    assert again.json() == {"accepted": 1, "duplicates": 1, "refused": []}
    other = call(world, "capture", said("one", conversation="c2"))
    assert other.json()["accepted"] == 1
    assert [m.content for m in messages(world)] == ["one", "two", "one"]


def test_the_same_conversation_id_of_another_visitor_is_another_conversation(world: World) -> None:
    call(world, "capture", said("mine"))
    assert call(world, "capture", said("theirs", visitor="user_2")).json()["accepted"] == 1
    with world.inside():
        assert Conversation.objects.count() == 2


def test_visitors_ids_are_compared_composed_and_trimmed_and_nothing_else(world: World) -> None:
    names = ["zo\u00eb", "zoe\u0308", " zo\u00eb ", "Zo\u00eb", "user_1", "userA1", "%"]
    for name in names:
        call(world, "capture", said("x y", visitor=name, conversation=f"c {name}"))
    with world.inside():
        found = set(Visitor.objects.exclude(pk=world.visitor.pk).values_list("host_id", flat=True))
    assert found == {"zo\u00eb", "Zo\u00eb", "user_1", "userA1", "%"}


def test_text_comes_back_byte_for_byte(world: World) -> None:
    text = "می\u200cروم 👩\u200d🚀 <b>&amp;</b> 'q\" \u202b"
    call(world, "capture", said(text))
    assert messages(world)[0].content == text


def test_secrets_are_masked_and_the_sentence_kept(world: World, embedder: StubEmbedder) -> None:
    key = "sk-test-51Zq0000EXAMPLE0000"
    call(world, "capture", said(f"My key is {key} and the docs mention the word password."))
    assert key not in messages(world)[0].content
    assert "the word password" in messages(world)[0].content
    assert not any(key in text for call_ in embedder.calls for text in call_)


def test_each_bad_message_is_refused_by_itself(world: World) -> None:
    bad: list[Any] = [
        {"id": "role", "role": "system", "content": "x"},
        {"id": "tool", "role": 5, "content": "x"},
        {"id": "null", "role": "user", "content": None},
        {"id": "number", "role": "user", "content": 12345},
        {"id": "blank", "role": "user", "content": " \n"},
        {"id": "long", "role": "user", "content": "x" * 100_001},
        {"id": "junk", "role": "user", "content": "x", "occurred_at": "next Friday"},
        {"id": "day", "role": "user", "content": "x", "occurred_at": "2026-03-03"},
        {"id": "epoch", "role": "user", "content": "x", "occurred_at": 1772000000},
        {"id": "edge", "role": "user", "content": "x", "occurred_at": "0001-01-01T00:00:00+14:00"},
        {"id": 7, "role": "user", "content": "x"},
        {"id": "", "role": "user", "content": "x"},
        "text",
        None,
    ]
    good = {"id": "good", "role": "user", "content": "I like tea"}
    answer = call(world, "capture", said(messages=[*bad, good])).json()
    assert (answer["accepted"], answer["duplicates"]) == (1, 0)
    named = {each["id"]: each["reason"] for each in answer["refused"] if each["id"]}
    assert len(answer["refused"]) == len(bad)
    assert set(named) == {
        "role", "tool", "null", "number", "blank", "long", "junk", "day", "epoch", "edge",
    }  # fmt: skip
    assert "100000" in named["long"]
    assert all(
        reason.split(":")[0] in ("role", "content", "occurred_at") for reason in named.values()
    )
    nameless = [each["reason"] for each in answer["refused"] if not each["id"]]
    assert [reason.split()[0] for reason in nameless] == [
        "messages[10]", "messages[11]", "messages[12]", "messages[13]",
    ]  # fmt: skip
    assert [m.content for m in messages(world)] == ["I like tea"]


def test_texts_that_look_like_json_stay_texts(world: World) -> None:
    texts = ["12345", '{"a": 1}', "null", "[]"]
    call(world, "capture", said(*texts))
    assert [m.content for m in messages(world)] == texts


@pytest.mark.parametrize(
    ("given", "at", "offset"),
    [
        ("2026-03-03T23:30:00-08:00", datetime(2026, 3, 4, 7, 30, tzinfo=UTC), -480),
        ("2026-03-03T23:30:00+05:30", datetime(2026, 3, 3, 18, 0, tzinfo=UTC), 330),
        ("2026-03-03T23:30:00Z", datetime(2026, 3, 3, 23, 30, tzinfo=UTC), 0),
        ("2026-03-03 23:30", datetime(2026, 3, 3, 23, 30, tzinfo=UTC), 0),  # no zone: UTC
    ],
)
def test_the_senders_time_keeps_its_zone(
    world: World, given: str, at: datetime, offset: int
) -> None:
    message = {"id": "m", "role": "user", "content": "I broke my ankle", "occurred_at": given}
    call(world, "capture", said(messages=[message]))
    (stored,) = messages(world)
    assert (stored.occurred_at, stored.occurred_offset) == (at, offset)


def test_a_long_message_is_cut_into_pieces_and_its_neighbours_are_taken(world: World) -> None:
    long = "花" * 60_000 + "my cat is called Pixel"
    with using(embedder=StubEmbedder(limit_tokens=8_192)):
        answer = call(world, "capture", said("I moved to Porto", long, "I like tea"))
    assert answer.json()["accepted"] == 3
    with world.inside():
        chunks = MessageChunk.objects.filter(message__position=2).order_by("piece")
        assert chunks.count() > 7
        last = chunks.last()
        assert last is not None
        assert "Pixel" in long[last.start : last.end]


def test_without_an_embedder_the_text_is_taken_and_waits_for_its_vector(
    world: World, embedder: StubEmbedder
) -> None:
    embedder.fail = Unavailable("away")
    assert call(world, "capture", said("I like tea")).json()["accepted"] == 1
    with world.inside():
        assert Unembedded.objects.count() == 1


@pytest.mark.parametrize("off", ["agent", "tenant", "person"])
def test_switched_off_takes_nothing_and_says_so(world: World, off: str) -> None:
    with world.inside():
        make_visitor("user_1")
        if off == "agent":
            type(world.agent).objects.update(memory_enabled=False)
        elif off == "tenant":
            type(world.tenant).objects.update(memory_enabled=False)
        else:
            Visitor.objects.filter(host_id="user_1").update(auto_capture_enabled=False)
    answer = call(world, "capture", said("I like tea"))
    why = "the person switched memory off" if off == "person" else "memory is off"
    assert (answer.status_code, answer.json()) == (200, {"accepted": 0, "reason": why})
    with world.inside():
        assert not Conversation.objects.exists()


def test_nobody_in_particular_is_said_by_null_and_only_by_null(world: World) -> None:
    assert call(world, "capture", said("we close at six", visitor=None)).json()["accepted"] == 1
    with world.inside():
        assert Conversation.objects.get().visitor_id is None
    body = said("x")
    del body["visitor"]
    for visitor in (body, said("x", visitor=""), said("x", visitor="  ")):
        answer = call(world, "capture", visitor)
        assert (answer.status_code, answer.json()["field"]) == (400, "visitor")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (said("x", visitor=5), "visitor"),
        (said("x", visitor=["a"]), "visitor"),
        (said("x", visitor="a" * 201), "visitor"),
        (said("x", visitor="a\x00b"), "visitor"),
        (said("x", visitor="\ud800"), "visitor"),
        (said("x", conversation=None), "conversation"),
        (said("x", conversation=""), "conversation"),
        (said("x", messages={}), "messages"),
        (said("x", messages=None), "messages"),
        (said(*["x"] * 1001), "messages"),
        ([], None),
        ("[1]", None),
        ('"text"', None),
        ("{", None),
        ("null", "visitor"),
        ("", "visitor"),
        ("[" * 100_000, None),
    ],
)  # fmt: skip
def test_a_body_of_the_wrong_kind_is_400_and_names_the_field(
    world: World, body: Any, field: str | None
) -> None:
    answer = call(world, "capture", body)
    assert (answer.status_code, answer.json().get("field")) == (400, field)
    assert messages(world) == []


def test_a_body_over_the_stated_size_is_413(world: World) -> None:
    answer = call(world, "capture", said("x" * (8 * 1024 * 1024)))
    assert answer.status_code == 413
    assert str(8 * 1024 * 1024) in answer.json()["error"]


# --- who may ----------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["capture", "recall"])
def test_foreign_unknown_and_other_agents_are_the_same_404(world: World, verb: str) -> None:
    other = World()
    with world.inside():
        second = make_agent("second")
    body = said("x y") | {"message": "tea"}
    answers = [
        call(world, verb, body, agent=other.agent.uid),
        call(world, verb, body, agent=other.agent.slug),
        call(world, verb, body, agent="no-such"),
        call(world, verb, body, agent="%00"),
        call(world, verb, body, agent=second.uid, agent_id=world.agent.pk),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert messages(world) == messages(other) == []


@pytest.mark.parametrize(
    ("role", "capture", "recall"),
    [(Role.OWNER, 200, 200), (Role.EDITOR, 200, 200), (Role.VIEWER, 403, 200), (None, 403, 403)],
)
def test_members_and_persons_by_their_rights(
    world: World, role: Role | None, capture: int, recall: int
) -> None:
    user = make_user()
    if role is None:
        key: dict[str, Any] = {"kind": "person", "visitor_id": world.visitor.pk}
    else:
        with world.inside():
            make_member(role, user=user)
        key = {
            "kind": "member",
            "user": user,
            "expires_at": timezone.now() + timedelta(hours=1),
        }
    body = said("I like tea") | {"message": "tea"}
    assert call(world, "capture", body, **key).status_code == capture
    assert call(world, "recall", body, **key).status_code == recall


@pytest.mark.parametrize("verb", ["capture", "recall"])
def test_only_post_and_only_json(world: World, verb: str) -> None:
    with world.inside():
        headers = {"Authorization": f"Bearer {make_key()}"}
    path = f"/api/agents/{world.agent.slug}/{verb}"
    assert Client().get(path, headers=headers).status_code == 405
    assert Client().post(path, {"visitor": "v"}, headers=headers).status_code == 415
    assert Client().post(path, "{}", "application/json").status_code == 401


# --- recall -----------------------------------------------------------------------------------


def recall(world: World, message: Any, visitor: Any = None, **key: Any) -> Any:
    return call(world, "recall", {"visitor": visitor, "message": message}, **key).json()


def test_a_visitor_gets_their_own_and_the_agents_and_nobody_elses(world: World) -> None:
    with world.inside():
        mine = make_memory(world.agent, make_visitor("user_1"), "My tea is green.")
        make_memory(world.agent, make_visitor("userA1"), "Their tea is black.")
        everyones = make_memory(world.agent, None, "Tea is served at four.")
        make_memory(make_agent(), None, "Another agent's tea.")
    answer = recall(world, "which tea", "user_1")
    assert {each["id"] for each in answer["memories"]} == {mine.pk, everyones.pk}
    assert set(answer["memories"][0]) == {"id", "key", "text", "reason", "score"}
    assert "My tea is green." in answer["block"]
    assert answer["failed"] is None
    for unknown in ("user_2", "%", "user%", None):
        found = recall(world, "which tea", unknown)
        assert {each["id"] for each in found["memories"]} == {everyones.pk}
    with world.inside():
        assert not Visitor.objects.filter(host_id__in=["user_2", "%", "user%"]).exists()


def test_who_is_named_is_left_out_of_the_question(world: World, embedder: StubEmbedder) -> None:
    with world.inside():
        Visitor.objects.filter(pk=world.visitor.pk).update(name="Mira Holt")
    question = {"message": "Which tea does Mira like?"}
    call(world, "recall", {"visitor": world.visitor.host_id, **question})
    call(world, "recall", {"visitor": None, **question})
    assert embedder.calls == [("Which tea does like?",), ("Which tea does Mira like?",)]


def test_the_trace_is_stored_and_holds_no_text(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, None, "Tea is served at four.")
    recall(world, "when is tea served")
    with world.inside():
        trace = RecallTrace.objects.get()
        assert [each["id"] for each in trace.memories] == [memory.pk]
        assert trace.channel == "api"
        assert "served" not in json.dumps(trace.memories)


def test_a_fault_of_the_embedder_is_named_and_the_words_still_find(
    world: World, embedder: StubEmbedder
) -> None:
    with world.inside():
        memory = make_memory(world.agent, None, "Tea is served at four.")
    embedder.fail = Unavailable("away")
    answer = recall(world, "when is tea served")
    assert "unavailable" in answer["failed"]
    assert [each["id"] for each in answer["memories"]] == [memory.pk]


def test_with_memory_off_the_block_is_empty(world: World) -> None:
    with world.inside():
        make_memory(world.agent, None, "Tea is served at four.")
        type(world.agent).objects.update(memory_enabled=False)
    assert recall(world, "tea served") == {"block": "", "memories": [], "failed": None}


@pytest.mark.parametrize("message", [None, 5, "", "  ", "\x00", "x" * 10_001, ["a"]])
def test_a_bad_question_is_400(world: World, message: Any) -> None:
    answer = call(world, "recall", {"visitor": None, "message": message})
    assert (answer.status_code, answer.json()["field"]) == (400, "message")
