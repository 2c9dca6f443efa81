"""Raw JSON becomes typed arguments, or an error that names the field; nothing is converted."""

from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models.draft import CONTENT_LIMIT
from memory.tools import ToolError
from memory.tools.arguments import typed

TEXT = "Lives in Porto."
ID = str(uuid4())


@pytest.mark.parametrize("text", ["12345", '{"a": 1}', "null", "true", "[]", "0", "1e5"])
def test_a_text_that_looks_like_something_else_stays_a_text(text: str) -> None:
    assert typed("remember", {"content": text})["content"] == text


@pytest.mark.parametrize(
    ("name", "raw", "field"),
    [
        ("remember", {}, "content"),
        ("remember", {"content": None}, "content"),
        ("remember", {"content": 12345}, "content"),
        ("remember", {"content": {"a": 1}}, "content"),
        ("remember", {"content": ["a"]}, "content"),
        ("remember", {"content": " \n\t"}, "content"),
        ("remember", {"content": "\x00"}, "content"),
        ("remember", {"content": "x" * (CONTENT_LIMIT + 1)}, "content"),
        ("remember", {"content": TEXT, "key": "home city"}, "key"),
        ("remember", {"content": TEXT, "key": "k" * 1_000}, "key"),
        ("remember", {"content": TEXT, "key": ""}, "key"),
        ("remember", {"content": TEXT, "key": "home-city\n"}, "key"),
        ("remember", {"content": TEXT, "key": 7}, "key"),
        ("remember", {"content": TEXT, "category": ""}, "category"),
        ("remember", {"content": TEXT, "category": "c" * 101}, "category"),
        ("remember", {"content": TEXT, "pinned": "true"}, "pinned"),
        ("remember", {"content": TEXT, "pinned": 1}, "pinned"),
        ("remember", {"content": TEXT, "user_id": "somebody"}, "user_id"),
        ("list_memories", {"limit": 0}, "limit"),
        ("list_memories", {"limit": -1}, "limit"),
        ("list_memories", {"limit": 201}, "limit"),
        ("list_memories", {"limit": 100_000}, "limit"),
        ("list_memories", {"limit": "10"}, "limit"),
        ("list_memories", {"limit": 10.0}, "limit"),
        ("list_memories", {"limit": True}, "limit"),
        ("list_memories", {"query": 5}, "query"),
        ("list_memories", {"query": "q" * 201}, "query"),
        ("list_memories", {"filters": {}}, "filters"),
        ("update_memory", {"content": TEXT}, "id"),
        ("update_memory", {"id": ID, "key": "home-city", "content": TEXT}, "id"),
        ("update_memory", {"id": ID}, "content"),
        ("update_memory", {"id": 5, "content": TEXT}, "id"),
        ("forget", {}, "id"),
        ("forget", {"id": ID, "key": "home-city"}, "id"),
        ("forget", {"key": "home city"}, "key"),
        ("status", {}, "id"),
        ("status", {"id": 7}, "id"),
    ],
)
def test_what_cannot_be_served_names_the_argument(
    name: str, raw: dict[str, Any], field: str
) -> None:
    with pytest.raises(ToolError) as refused:
        typed(name, raw)
    assert refused.value.field == field
    assert refused.value.status == 400


@pytest.mark.parametrize("name", ["update_memory", "forget", "status"])
@pytest.mark.parametrize("wrong", ["not-a-uuid", "' OR 1=1 --", "", "１２", "\ud800"])
def test_what_is_no_id_answers_like_one_that_nobody_has(name: str, wrong: str) -> None:
    raw = {"id": wrong} | ({"content": TEXT} if name == "update_memory" else {})
    with pytest.raises(ToolError) as refused:
        typed(name, raw)
    assert (refused.value.field, refused.value.status) == ("id", 404)


def test_null_is_an_optional_argument_left_out() -> None:
    raw = {"content": TEXT, "key": None, "category": None, "pinned": None}
    assert typed("remember", raw) == typed("remember", {"content": TEXT})
    assert typed("list_memories", {"limit": None, "query": None})["limit"] == 50


def test_the_limits_themselves_are_taken() -> None:
    raw = {"content": "é" * CONTENT_LIMIT, "key": "k" * 200, "category": "c" * 100}
    assert typed("remember", raw)["content"] == raw["content"]
    assert typed("list_memories", {"limit": 200})["limit"] == 200
    assert typed("list_memories", {"limit": 1})["limit"] == 1


@pytest.mark.parametrize("raw", [None, [], "text", 5])
def test_arguments_are_an_object(raw: Any) -> None:
    with pytest.raises(ToolError):
        typed("remember", raw)


def test_a_tool_there_is_not() -> None:
    with pytest.raises(ToolError, match="there is no tool"):
        typed("drop_tables", {})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["remember", "list_memories", "update_memory", "forget", "status"])
FIELDS = st.sampled_from(["id", "key", "content", "category", "pinned", "query", "limit", "x"])


@given(NAMES, st.dictionaries(FIELDS, JSON, max_size=5) | JSON)
def test_whatever_comes_is_taken_or_refused_by_name(name: str, raw: Any) -> None:
    try:
        arguments = typed(name, raw)
    except ToolError:
        return
    for field in ("content", "key", "category", "query"):
        assert arguments.get(field) is None or isinstance(arguments[field], str)
