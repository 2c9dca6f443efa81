"""What the values of a transcript mean: every shape, what is refused, ids and times."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.learning.transcript_shapes import Stretch, stretches
from memory.learning.transcripts import Element, Unread


def read(*values: Any, **options: Any) -> list[Stretch | Unread]:
    elements = [Element(line, value) for line, value in enumerate(values, start=1)]
    return list(stretches(elements, **options))


def one(*values: Any, **options: Any) -> Stretch:
    found = read(*values, **options)
    assert len(found) == 1, found
    assert isinstance(found[0], Stretch), found
    return found[0]


def lines(stretch: Stretch) -> list[str]:
    return [f"{each.role}: {each.content}" for each in stretch.said]


def reasons(stretch: Stretch) -> list[str]:
    return [each.reason for each in stretch.refused]


HELLO = {"role": "user", "content": "I live in Porto."}
REPLY = {"role": "assistant", "content": "Nice!"}
BOTH = ["user: I live in Porto.", "assistant: Nice!"]


# --- shapes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [HELLO, REPLY],
        [[HELLO, REPLY]],
        [{"messages": [HELLO, REPLY]}],
        [{"conversations": [{"messages": [HELLO, REPLY]}]}],
        [{"conversations": [[HELLO, REPLY]]}],
    ],
)
def test_every_shape_of_openai_messages_reads_the_same(values: Sequence[Any]) -> None:
    stretch = one(*values)
    assert lines(stretch) == BOTH
    assert stretch.conversation == one({"messages": [HELLO, REPLY]}).conversation


def test_content_in_parts_is_its_text() -> None:
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:…"}},
        {"type": "input_text", "text": "my dog."},
    ]
    assert lines(one([{"role": "user", "content": parts}])) == ["user: Look:\nmy dog."]


def test_what_has_no_text_is_refused_with_its_reason() -> None:
    call: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [{}], "id": "m1"}
    stretch = one([HELLO, call, {"content": "?"}, "hm", {"role": "user", "content": 7}])
    assert lines(stretch) == BOTH[:1]
    assert reasons(stretch) == [
        "a tool call, no text",
        "role: missing",
        "expected a message (role, content)",
        "content: expected text",
    ]
    assert stretch.refused[0].id == "m1"


@pytest.mark.parametrize("value", [7, "text", None, {}, {"text": "hi"}, {"messages": "hi"}])
def test_a_value_of_no_shape_is_unread(value: Any) -> None:
    found = read(value, HELLO)
    assert isinstance(found[0], Unread)
    assert isinstance(found[1], Stretch)


def test_loose_messages_go_to_the_conversations_they_name() -> None:
    found = read(
        HELLO | {"conversation_id": "a"},
        REPLY | {"conversation_id": "a"},
        HELLO | {"conversation_id": "b"},
        REPLY | {"conversation_id": "a"},
    )
    assert [(s.conversation, len(s.said)) for s in found if isinstance(s, Stretch)] == [
        ("a", 2),
        ("b", 1),
        ("a", 1),
    ]


def test_many_loose_messages_come_in_stretches_of_one_conversation() -> None:
    said = [{"role": "user", "content": f"number {n % 3}"} for n in range(1_201)]
    found = [each for each in read(*said) if isinstance(each, Stretch)]
    assert [len(each.said) for each in found] == [500, 500, 201]
    assert len({each.conversation for each in found}) == 1
    ids = [each.id for stretch in found for each in stretch.said]
    assert len(set(ids)) == len(ids)


# --- ChatGPT's export ------------------------------------------------------------------------


def node(
    name: str, parent: str | None, role: str = "user", *parts: Any, **fields: Any
) -> dict[str, Any]:
    message = {
        "id": name,
        "author": {"role": role},
        "content": {"content_type": fields.pop("sort", "text"), "parts": list(parts)},
        **fields,
    }
    return {"id": name, "parent": parent, "message": message}


def export(*nodes: dict[str, Any], current: str | None = None, **fields: Any) -> dict[str, Any]:
    mapping = {"root": {"id": "root", "parent": None, "message": None}}
    mapping |= {each["id"]: each for each in nodes}
    return {"mapping": mapping, "current_node": current or nodes[-1]["id"], **fields}


def test_an_export_reads_the_branch_that_was_shown() -> None:
    stretch = one(
        export(
            node("1", "root", "user", "Where do I live?", create_time=1_700_000_000.25),
            node("2a", "1", "assistant", "In Lisbon."),
            node("2b", "1", "assistant", "In Porto."),
            node("3", "2b", "user", "Right."),
            conversation_id="c1",
            id="other",
            title="Home",
        )
    )
    assert lines(stretch) == ["user: Where do I live?", "assistant: In Porto.", "user: Right."]
    assert (stretch.conversation, stretch.title) == ("c1", "Home")
    assert [each.id for each in stretch.said] == ["1", "2b", "3"]
    assert stretch.said[0].occurred_at == datetime(2023, 11, 14, 22, 13, 20, 250_000, tzinfo=UTC)


def test_an_export_leaves_out_what_nobody_said() -> None:
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    stretch = one(
        export(
            node("1", "root", "system", ""),
            node("2", "1", "user", "My custom instructions", **hidden),
            node("3", "2", "user", "Hi, I am Ana."),
            node("4", "3", "assistant", "search('Ana')", recipient="browser"),
            node("5", "4", "tool", "a page"),
            node("6", "5", "assistant", sort="thoughts"),
            node("7", "6", "assistant", ""),
            node("8", "7", "assistant", "Hello Ana.", recipient="all"),
        )
    )
    assert lines(stretch) == ["user: Hi, I am Ana.", "assistant: Hello Ana."]
    assert [each.id for each in stretch.refused] == ["1", "2", "4", "5", "6", "7"]


def test_an_export_keeps_the_words_beside_pictures_and_in_speech() -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
        {"content_type": "audio_transcription", "text": "Is this a fig?"},
        "From my garden.",
    ]
    stretch = one(export(node("1", "root", "user", *parts, sort="multimodal_text")))
    assert lines(stretch) == ["user: Is this a fig?\nFrom my garden."]


@pytest.mark.parametrize("current", ["gone", 7])
def test_without_a_current_node_the_newest_is_shown(current: Any) -> None:
    tree = export(
        node("new", "root", "user", "newest", create_time=2.0),
        node("old", "root", "user", "older", create_time=1.0),
        current=current,
    )
    assert lines(one(tree)) == ["user: newest"]


def test_a_tree_that_goes_round_ends() -> None:
    a, b = node("a", "b", "user", "one"), node("b", "a", "user", "two")
    assert lines(one(export(a, b))) == ["user: one", "user: two"]


@pytest.mark.parametrize(
    "tree",
    [
        {"mapping": {}},
        {"mapping": {"a": None}, "current_node": "a"},
        {"mapping": {"a": {"message": {"author": "me", "content": "x"}}}, "current_node": "a"},
        {"mapping": {"a": {"message": 1, "parent": ["x"]}}, "current_node": "a"},
    ],
)
def test_a_broken_tree_gives_no_message(tree: Any) -> None:
    assert one(tree).said == ()


# --- ids -------------------------------------------------------------------------------------

SAID = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": st.sampled_from("abc")}
    ),
    min_size=2,
    max_size=12,
)


@given(SAID, SAID)
def test_a_longer_file_gives_what_it_shares_the_same_ids(before: Any, more: Any) -> None:
    short, long = one(before), one(before + more)
    assert long.conversation == short.conversation
    assert long.said[: len(short.said)] == short.said
    ids = [each.id for each in long.said]
    assert len(set(ids)) == len(ids)


@given(SAID)
def test_two_conversations_that_begin_alike_stay_two(said: Any) -> None:
    found = [each for each in read(said, said, {"messages": said}) if isinstance(each, Stretch)]
    assert len({each.conversation for each in found}) == 3


def test_the_files_own_ids_are_kept() -> None:
    stretch = one({"id": 12, "messages": [HELLO | {"id": "m1"}, REPLY | {"id": 2}]})
    assert (stretch.conversation, [each.id for each in stretch.said]) == ("12", ["m1", "2"])


def test_an_id_that_two_messages_share_loses_neither() -> None:
    stretch = one([HELLO | {"id": "x"}, REPLY | {"id": "x"}, HELLO | {"id": "x"}])
    ids = [each.id for each in stretch.said]
    assert ids[0] == ids[2] == "x"
    assert ids[1] not in ("x", None)


@pytest.mark.parametrize("own", ["x" * 201, "a\0b", "a\nb", "\ud800"])
def test_an_id_that_cannot_be_kept_becomes_one_that_can(own: str) -> None:
    stretch = one({"id": own, "messages": [HELLO | {"id": own}]})
    for made in (stretch.conversation, str(stretch.said[0].id)):
        assert len(made) <= 200
        assert made.isprintable()
    assert stretch == one({"id": own, "messages": [HELLO | {"id": own}]})


@pytest.mark.parametrize("own", ["", True, None, ["x"], 1.5])
def test_what_is_no_id_is_as_none(own: Any) -> None:
    assert one({"id": own, "messages": [HELLO]}) == one({"messages": [HELLO]})


# --- times -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("occurred_at", "2026-03-03T23:30:00+02:00", "2026-03-03T23:30:00+02:00"),
        ("created_at", "2026-03-03T10:00:00Z", "2026-03-03T10:00:00+00:00"),
        ("create_time", 1_700_000_000, "2023-11-14T22:13:20+00:00"),
        ("timestamp", 1_700_000_000_000, "2023-11-14T22:13:20+00:00"),
    ],
)
def test_times_keep_their_zone(field: str, value: Any, expected: str) -> None:
    stretch = one([HELLO | {field: value}])
    assert stretch.said[0].occurred_at is not None
    assert stretch.said[0].occurred_at.isoformat() == expected
    assert stretch.untimed == 0


@pytest.mark.parametrize(
    "value",
    [
        *("yesterday", "2026-03-03T10:00:00", "2026-03-03", True, [], None),
        *(-5, 1e300, 10**400, float("nan"), "0001-01-01T00:00:00+14:00"),
    ],
)
def test_a_time_that_says_no_instant_is_stated(value: Any) -> None:
    stretch = one([HELLO | {"occurred_at": value}])
    assert stretch.said[0].occurred_at is None
    assert stretch.untimed == 1


def test_a_message_without_a_time_has_that_of_the_one_before() -> None:
    begun = datetime(2026, 1, 1, 8, 0, tzinfo=UTC)
    later = begun + timedelta(hours=1)
    timed = REPLY | {"time": later.isoformat()}
    stretch = one({"created_at": begun.isoformat(), "messages": [HELLO, timed, HELLO]})
    assert [each.occurred_at for each in stretch.said] == [begun, later, later]
    assert stretch.untimed == 2


# --- whose -----------------------------------------------------------------------------------


def test_the_visitor_is_read_from_a_field() -> None:
    def whose(value: Any) -> str | None:
        return one(value, visitor_from="user_id").visitor

    assert whose({"user_id": 7, "messages": [HELLO]}) == "7"
    assert whose({"metadata": {"user_id": "ana"}, "messages": [HELLO]}) == "ana"
    assert whose({"messages": [REPLY, HELLO | {"user_id": "ana"}]}) == "ana"
    assert whose(HELLO | {"user_id": "ana"}) == "ana"


def test_nobodys_conversation_is_unread() -> None:
    found = read({"messages": [HELLO]}, HELLO, visitor_from="user_id")
    assert all(isinstance(each, Unread) and "user_id" in each.reason for each in found)


def test_loose_messages_of_two_people_are_two_conversations() -> None:
    said = [HELLO | {"user_id": who} for who in ("ana", "bo", "ana")]
    found = [each for each in read(*said, visitor_from="user_id") if isinstance(each, Stretch)]
    assert [each.visitor for each in found] == ["ana", "bo", "ana"]
    assert found[0].conversation == found[2].conversation
    assert found[0].said[0].id != found[2].said[0].id
