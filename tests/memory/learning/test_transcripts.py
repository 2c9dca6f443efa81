"""Reading a file's values: every layout, broken ones, and the same whatever the read size."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.learning import transcripts
from memory.learning.transcripts import Element, Unread, elements


def read(data: str | bytes) -> list[Element | Unread]:
    return list(elements(io.BytesIO(data.encode() if isinstance(data, str) else data)))


def values(data: str | bytes) -> list[Any]:
    found = read(data)
    assert all(isinstance(each, Element) for each in found), found
    return [each.value for each in found if isinstance(each, Element)]


OBJECTS = st.lists(
    st.dictionaries(st.text(max_size=4), st.text() | st.integers() | st.booleans(), max_size=3),
    max_size=6,
)


@given(OBJECTS, st.sampled_from([None, 1, 4]), st.booleans(), st.integers(3, 40))
def test_a_list_reads_as_its_elements_whatever_the_read_size(
    objects: list[Any], indent: int | None, ascii_only: bool, size: int
) -> None:
    data = json.dumps(objects, indent=indent, ensure_ascii=ascii_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcripts, "READ", size)
        patch.setattr(transcripts, "PEEK", size)
        assert values(data) == objects


@given(OBJECTS.filter(len), st.integers(3, 40), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_lines_read_as_their_values_whatever_the_read_size(
    objects: list[Any], size: int, ends: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcripts, "READ", size)
        patch.setattr(transcripts, "PEEK", size)
        assert values(ends.join(map(json.dumps, objects))) == objects


def test_lines_of_lists_are_lines_not_a_list() -> None:
    assert values('[{"a": 1}]\n[{"b": 2}]\n') == [[{"a": 1}], [{"b": 2}]]


def test_one_object_over_many_lines_is_one_value() -> None:
    assert values(json.dumps({"messages": [1, 2]}, indent=2)) == [{"messages": [1, 2]}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("data", ['[{"a": "é"}]', '{"a": "é"}\n'])
def test_marks_of_an_encoding_are_understood(encoding: str, data: str) -> None:
    assert values(data.encode(encoding)) == [{"a": "é"}]


@pytest.mark.parametrize("data", ["", "  \n\n", "[]", "[ \n]"])
def test_nothing_in_it_is_nothing(data: str) -> None:
    assert read(data) == []


def test_broken_lines_are_named_and_the_rest_is_read() -> None:
    data = b'{"a": 1}\n{"a": \n\n{"b": "\xff"}\noops\n{"c": 3}'
    found = read(data)
    assert [each.line for each in found] == [1, 2, 4, 5, 6]
    assert [each.line for each in found if isinstance(each, Unread)] == [2, 4, 5]
    assert "not UTF-8" in str(found[2])


@pytest.mark.parametrize("first", ["oops", "{", '{"a": 1', "\x00"])
def test_lines_whose_first_is_broken_are_lines_still(first: str) -> None:
    found = read(f'{first}\n{{"b": 2}}\n{{"c": 3}}\n')
    assert isinstance(found[0], Unread)
    assert found[0].line == 1
    assert [e.value for e in found if isinstance(e, Element)] == [{"b": 2}, {"c": 3}]


@pytest.mark.parametrize("size", [20, 1 << 16])
def test_a_broken_element_of_a_list_is_named_and_the_rest_is_read(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(transcripts, "READ", size)
    monkeypatch.setattr(transcripts, "PEEK", size)
    found = read('[\n  {"a": 1},\n  {"a": oops,\n   "b": 2},\n  {"c": "' + "x" * 500 + '"}\n]')
    assert [type(each).__name__ for each in found] == ["Element", "Unread", "Element"]
    assert [each.line for each in found] == [2, 3, 5]


def test_a_list_that_was_cut_off_gives_what_is_whole() -> None:
    whole = json.dumps([{"n": n, "text": "x" * 50} for n in range(10)])
    found = read(whole[:-30])
    assert [e.value["n"] for e in found if isinstance(e, Element)] == list(range(9))
    assert "no JSON" in str(found[9])
    assert "cut off" in str(read(whole[:-1])[-1])


def test_text_after_a_list_is_said() -> None:
    assert "after the end" in str(read('[{"a": 1}] {"b": 2}')[-1])


@pytest.mark.parametrize("data", ["[" * 100_000, '{"a":' * 100_000, "9" * 5_000 + "\n1"])
def test_what_python_refuses_to_read_is_unread(data: str) -> None:
    assert isinstance(read(data)[0], Unread)


def test_the_callers_file_stays_open() -> None:
    file = io.BytesIO(b'[{"a": 1}]')
    list(elements(file))
    assert not file.closed
