"""Whom a question names, and the question without the names."""

import pytest

from memory.recall.names import Names

BOTH = Names(visitor="Mira Holt", agent="Tutor")


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Where does Mira live?", "user"),
        ("Where does mira holt live?", "user"),
        ("What is Mira's sister called?", "user"),
        ("What is Mira’s sister called?", "user"),
        ("What did Tutor say?", "assistant"),
        ("What did the tutor say?", None),  # a word like any other
        ("where does mira live?", None),
        ("What did Mira ask Tutor?", None),
        ("Where is the admiral?", None),  # a name inside a word is no name
        ("Miranda lives here", None),
        ("", None),
    ],
)
def test_one_named_side_counts(text: str, side: str | None) -> None:
    assert BOTH.named(text) == side


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Where does Mira Holt live?", "Where does live?"),
        ("What is Mira's sister called?", "What is sister called?"),
        ("Mira!", "Mira!"),  # nothing else stands in it
        ("Where is the admiral?", "Where is the admiral?"),
        ("🍣 for Mira", "🍣 for"),
    ],
)
def test_names_are_left_out_of_what_is_embedded(text: str, rest: str) -> None:
    assert BOTH.without(text) == rest


@pytest.mark.parametrize("name", ["", " ", "X", "(", "a.*", "Zo\u00eb", "花子", "[a-"])
def test_any_name_can_be_known(name: str) -> None:
    names = Names(visitor=name)
    assert names.without("What is on?") == "What is on?"
    said = f"Where is {name} now?"
    if len(name.strip()) >= 2:
        assert names.named(said) == "user" or not name.isalpha()
    else:
        assert names.named(said) is None


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("When will it come?", None),
        ("What does Will like?", "user"),
        ("Which shop is near?", None),
        ("Shop is closed on Monday", None),  # an agent is called by its whole name
        ("What did Shop help say?", "assistant"),
        ("what did shop help say?", "assistant"),
    ],
)
def test_a_name_that_is_a_word_as_well_counts_as_a_name_only(text: str, side: str | None) -> None:
    names = Names(visitor="Will Stone", agent="Shop help")
    assert names.named(text) == side
    if side is None:
        assert names.without(text) == text


@pytest.mark.parametrize(
    ("name", "text", "rest"),
    [
        ("李明", "李明喜欢什么", "喜欢什么"),  # words without spaces between
        ("민수", "민수는 뭘 좋아해?", "는 뭘 좋아해?"),
        ("Jose\u0301", "Where is Jos\u00e9?", "Where is ?"),  # one letter, written in two ways
        ("Mira Holt", "Where is Mira  Holt?", "Where is ?"),
        ("...", "wait ... what", "wait ... what"),  # signs are no name
        ("M. 4", "M. 4 is open", "M. 4 is open"),
    ],
)
def test_a_name_is_found_as_it_is_written_there(name: str, text: str, rest: str) -> None:
    names = Names(visitor=name)
    assert names.without(text) == rest
    assert names.named(text) == ("user" if rest != text else None)


def test_a_text_without_names_is_left_as_it_is() -> None:
    assert BOTH.without("  two  spaces ") == "  two  spaces "


def test_a_person_without_a_name_is_still_the_user() -> None:
    assert Names(visitor="Mira Holt").beginnings("user") == (
        "mira holt", "mira", "the user", "user",
    )  # fmt: skip
    assert Names(agent="Tutor").beginnings("assistant") == ("tutor",)
