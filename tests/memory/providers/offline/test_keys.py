"""Keys and labels: a topic and the distinguishing thing, and a line of a table of contents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models.draft import Presence, normal_key
from memory.providers.offline.keys import place
from tests.memory.providers.offline.places import ROWS


@pytest.mark.parametrize(("key", "label", "statement"), ROWS, ids=[row[2][:50] for row in ROWS])
def test_a_fact_has_its_place_and_a_label_that_a_person_reads(
    key: str, label: str, statement: str
) -> None:
    found = place(statement)
    assert (found.key, found.description) == (key, label)


@pytest.mark.parametrize("statement", [row[2] for row in ROWS])
def test_a_label_is_short_and_does_not_repeat_the_statement(statement: str) -> None:
    label = place(statement).description
    assert 1 <= len(label.split()) <= 8
    assert label[0].isupper() or not label[0].isalpha()
    assert label.count("(") == label.count(")")


@pytest.mark.parametrize(
    ("statement", "always"),
    [
        ("The user is allergic to bee stings.", True),
        ("The user wants to be called Liz.", True),
        ("The user prefers long answers.", True),
        ("The user's son is allergic to eggs.", False),
        ("The user's cat is called Pixel.", False),
        ("The user lives in Porto.", False),
    ],
)
def test_what_every_reply_needs_is_always_there_and_nothing_else(
    statement: str, always: bool
) -> None:
    assert (place(statement).presence is Presence.OMNIPRESENT) is always


@pytest.mark.parametrize(
    ("statement", "not_under"),
    [
        ("The user runs a small bakery.", "/hobbies"),
        ("The user wants to buy a birthday present.", "/identity"),
        ("The user is allergic to cats.", "/pets"),
        ("The user's favourite dog breed is the corgi.", "/pets"),
        ("The user is a big fan of the home team.", "/home"),
        ("The user has a company car.", "/work/business"),
        ("The user likes to run in the morning.", "/work"),
        ("The user is a morning person.", "/identity/age"),
        ("The user's brother is a nurse.", "/work"),
    ],
)
def test_a_word_alone_does_not_make_a_topic(statement: str, not_under: str) -> None:
    assert not place(statement).key.startswith(not_under)


def test_facts_of_one_kind_share_a_branch_and_other_things_have_other_keys() -> None:
    keys = [place(f"The user is allergic to {x}.").key for x in ("peanuts", "eggs", "pollen")]
    assert keys == [
        "/health/allergies/peanuts",
        "/health/allergies/eggs",
        "/health/allergies/pollen",
    ]


def test_another_wording_of_a_fact_has_the_same_key() -> None:
    for wordings in (
        ("The user lives in Porto.", "Ana lives in Porto.", "The user is based in Porto."),
        ("The user has two cats.", "The user's household has two cats."),
        ("The user works as a nurse.", "The user is a nurse.", "The user's job is nursing."),
    ):
        assert len({place(wording).key for wording in wordings}) == 1


@given(st.text(max_size=200), st.frozensets(st.sampled_from(["/home/city", "/notes", "/work/job"])))
def test_any_text_has_a_free_key_and_a_label(text: str, taken: frozenset[str]) -> None:
    for statement in (text, f"The user lives in {text}", f"The user's {text} is called Dot."):
        found = place(statement, taken)
        assert found.key == normal_key(found.key)
        assert found.key not in taken
        assert 0 < len(found.description) <= 200
        assert len(found.description.split()) <= 8
