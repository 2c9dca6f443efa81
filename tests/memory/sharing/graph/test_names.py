"""Names: one form for equal ones, in every script, and every name of a question is looked up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.sharing.graph.names import GRAMS, NAME_LIMIT, names_in, normal_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The Acme Corp.", "acme corp"),
        ("Acme’s", "acme"),
        ("the users'", "users"),
        ("  Bank\n of\tAmerica ", "bank of america"),
        ("“Project Phoenix”", "project phoenix"),
        ("C++", "c++"),
        ("#general", "#general"),
        ("@ana", "@ana"),
        ("node.js,", "node.js"),
        ("O’Neill", "o'neill"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Ａｃｍｅ", "acme"),
        ("「青い鳥」", "青い鳥"),
        ("Ａn apple", "apple"),
        ("ana@acme.example", "ana@acme.example"),
        ("--…--", ""),
        ("the", "the"),
        ("ze\u200bro", "zero"),
    ],
)
def test_equal_names_have_one_form(text: str, name: str) -> None:
    assert normal_name(text) == name


@given(st.text(max_size=60) | st.text(alphabet="the a's\"'“’ .-–İßſµΣςｱ\u0301\u0345", max_size=30))
def test_normalising_again_changes_nothing_and_fits(text: str) -> None:
    name = normal_name(text)
    assert normal_name(name) == name
    assert len(name) <= NAME_LIMIT
    assert "\0" not in name


@given(
    st.lists(st.sampled_from(["the", "Acme", "Corp.", "Ana's", "in", "C++", "?"]), max_size=5),
    st.text(max_size=40),
    st.text(max_size=40),
)
def test_a_name_of_some_words_is_found_wherever_it_stands(
    words: list[str], before: str, after: str
) -> None:
    question = f"{before} {' '.join(words)} {after}"
    name = normal_name(" ".join(words))
    assert not name or name in names_in(question)


@given(st.text())
def test_any_question_gives_names_in_their_form_and_not_too_many(question: str) -> None:
    names = names_in(question)
    assert len(names) == len(set(names)) <= GRAMS
    assert all(name and normal_name(name) == name for name in names)


def test_a_long_question_is_looked_up_in_part() -> None:
    assert len(names_in("word " * 10_000)) == 6
    assert len(names_in("".join(chr(0x4E00 + n) for n in range(9_000)))) == GRAMS
