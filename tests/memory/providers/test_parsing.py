"""Whatever a model wraps around its JSON, the values come out, or a failure with its name."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.providers.errors import Empty, ProviderError, Refused, Truncated, Unparseable
from memory.providers.parsing import Parsed, content_of, json_of, parse_list, reply_text
from memory.providers.replies import (
    DecideReply,
    FindingReply,
    MutationReply,
    ObserveReply,
    strict_schema,
)

ONE = {"statement": "The user likes tea.", "quote": "I like tea", "turn": 1}


def read(text: str) -> Parsed[FindingReply]:
    return parse_list(text, frame="observations", others=("facts", "items"), item=FindingReply)


@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}```",
        "Here is what I found [see below]:\n\n{}\n\nLet me know {{if}} you need more!",
        "<think>Is {{this}} right? [1, 2]</think>\n{}",
        "the user said {{hello}}, so no.</think>{}",
        "\ufeff  {}",
        "Result: {}</s>",
    ],
)
@pytest.mark.parametrize(
    "shape",
    [
        {"observations": [ONE]},
        {"facts": [ONE]},
        [ONE],
        ONE,
        {"observations": ONE},
        {"Observations": [{"Statement": ONE["statement"], "evidence": "I like tea", "turn": "1"}]},
        {"observations": [{"fact": ONE["statement"], "quote": "I like tea", "turnNumber": "[1]"}]},
        {"observations": [{**ONE, "confidence": 0.9, "turn": 1.0}], "note": "fine"},
    ],
)
def test_one_value_however_it_is_wrapped(wrapped: str, shape: Any) -> None:
    text = wrapped.replace("{}", json.dumps(shape), 1).replace("{{", "{").replace("}}", "}")
    parsed = read(reply_text({"message": {"content": text}, "finish_reason": "stop"}))
    assert [item.model_dump() for item in parsed.items] == [ONE]
    assert not parsed.refused


def test_trailing_commas_and_raw_newlines_but_never_inside_a_text() -> None:
    text = '{"observations": [{"statement": "a,] b,}\nc", "quote": "x", "turn": 1,},],}'
    assert read(text).items[0].statement == "a,] b,}\nc"


@pytest.mark.parametrize("text", ['{"observations": []}', "[]", '```json\n{"facts": []}\n```'])
def test_nothing_found_is_said_by_an_empty_list(text: str) -> None:
    assert read(text) == Parsed([], [])


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "I found nothing to remember.",
        "null",
        '"observations"',
        '{"observations": null}',
        '{"observations": "none"}',
        '{"observations": [{"statement": "The user likes tea.", "quote": "I like',
        '{"observations": [{"statement": ""}]}',
        '{"observations": ["The user likes tea."]}',
        '{"error": "overloaded"}',
        "{" * 10_000,
        "[" * 10_000,
    ],
)
def test_what_is_not_an_answer_is_never_nothing_found(text: str) -> None:
    with pytest.raises(Unparseable):
        read(text)


def test_one_bad_item_does_not_lose_the_others() -> None:
    bad: list[Any] = [{"quote": "no statement"}, "text", {**ONE, "statement": "x" * 3_000}, None]
    text = json.dumps({"observations": [ONE, *bad[:1], {**ONE, "turn": 2}, bad[2]]})
    parsed = read(text)
    assert [item.turn for item in parsed.items] == [1, 2]
    assert [refusal.place for refusal in parsed.refused] == [2, 4]
    assert all("statement" in refusal.reason for refusal in parsed.refused)
    assert not any("xxx" in refusal.reason for refusal in parsed.refused)


@pytest.mark.parametrize(
    ("turn", "number"),
    [
        (3, 3), ("3", 3), ("turn 3", 3), ("[3]", 3), (3.0, 3), (None, None), (True, None),
        (3.5, None), ("<not in batch>", None), ("2f1c8e4a-1b2c-4d5e-8f90-1234567890ab", None),
        ("3 or 4", None), ([3], None), ({}, None),
    ],
)  # fmt: skip
def test_a_turn_is_a_small_number_or_none(turn: object, number: int | None) -> None:
    assert read(json.dumps([{**ONE, "turn": turn}])).items[0].turn == number


@given(st.text(), st.text())
def test_any_text_around_a_fenced_object_is_either_read_or_named(before: str, after: str) -> None:
    try:
        value = json_of(f"{before}\n{json.dumps({'observations': [ONE]})}\n{after}")
    except Unparseable:
        return
    assert isinstance(value, (dict, list))


# --- the reply around the text -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "error"),
    [
        ({"message": {"content": None, "refusal": "I can't help with that."}}, Refused),
        ({"message": {"content": [{"type": "refusal", "refusal": "No."}]}}, Refused),
        (
            {"message": {"content": "{", "refusal": None}, "finish_reason": "content_filter"},
            Refused,
        ),
        ({"message": {"content": '{"a'}, "finish_reason": "length"}, Truncated),
        ({"message": {"content": ""}, "finish_reason": "length"}, Truncated),
        ({"message": {"content": ""}}, Empty),
        ({"message": {"content": None}}, Empty),
        ({"message": {"content": " \n"}}, Empty),
        ({"message": {"content": []}}, Empty),
        ({"message": {"content": [{"type": "text", "text": ""}]}}, Empty),
        ({"message": {"content": "<think>hm</think>"}}, Empty),
        ({"message": {"content": "<think>hm, cut"}}, Empty),
        ({"message": {}}, Empty),
        ({"message": None}, Empty),
        ({}, Empty),
    ],
)
def test_a_reply_without_an_answer_has_a_name(
    choice: dict[str, Any], error: type[ProviderError]
) -> None:
    with pytest.raises(error):
        reply_text(choice)


@pytest.mark.parametrize(
    "content",
    [
        "ab",
        ["a", "b"],
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        [{"type": "output_text", "text": {"value": "ab"}}, {"type": "image_url"}],
        [{"type": "thinking", "thinking": "x", "text": "y"}, {"text": "ab"}],
    ],
)
def test_content_in_parts_is_joined(content: Any) -> None:
    assert content_of({"content": content}) == "ab"


# --- schemas -----------------------------------------------------------------------------------


def _objects(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [found for item in node for found in _objects(item)]
    if not isinstance(node, dict):
        return []
    below = [found for item in node.values() for found in _objects(item)]
    return [node, *below] if node.get("type") == "object" else below


@pytest.mark.parametrize("model", [ObserveReply, DecideReply])
def test_schemas_are_strict(model: type[ObserveReply | DecideReply]) -> None:
    schema = strict_schema("name", model)
    assert schema["name"] == "name"
    found = _objects(schema["schema"])
    assert len(found) == 2  # the frame and its item
    for node in found:
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])
    text = json.dumps(schema)
    for word in ('"default"', '"maxLength"', '"title"', "validation_alias"):
        assert word not in text


def test_schemas_ask_for_our_names() -> None:
    schema = strict_schema("decision", DecideReply)["schema"]
    assert list(schema["properties"]) == ["reasoning", "action", "about", "mutations"]
    assert set(schema["$defs"]["MutationReply"]["properties"]) == set(MutationReply.model_fields)
    assert schema["$defs"]["Presence"]["enum"] == ["omnipresent", "pattern", "on-demand"]
    assert schema["properties"]["action"]["enum"] == ["mutate", "defer", "discard", "repeat"]
