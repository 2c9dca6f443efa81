"""How a sentence becomes an assertion: about what, which relation, yes or no, since when."""

import pytest

from memory.providers.offline.notes.reading import Assertion, read


def one(text: str) -> Assertion:
    (assertion,) = read(text)
    return assertion


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Alice owns the billing migration.", "The billing migration is owned by Alice."),
        ("Alice owns the billing migration.", "Alice is responsible for the billing migration."),
        ("Bob is the project manager.", "The project manager is Bob."),
        ("Deadline: Friday", "The deadline is on Friday."),
        ("Launch date = 2026-03-03", "The launch date is 2026-03-03."),
        ("There are 6 engineers on the team.", "The team has 6 engineers."),
        ("Node 18 is required for the build.", "The build requires Node 18."),
        ("The launch is scheduled for 3 May.", "The launch is on 3 May."),
        ("The kickoff takes place in Berlin.", "The kickoff is in Berlin."),
        ("We chose Postgres.", "We decided to use Postgres."),
    ],
)
def test_different_wordings_of_one_shape(text: str, same: str) -> None:
    a, b = one(text), one(same)
    assert a.subject == b.subject
    assert a.relation == b.relation
    assert [c.stems for c in a.chunks] == [c.stems for c in b.chunks]


@pytest.mark.parametrize(
    "text",
    [
        "The API does not support pagination.",
        "The API doesn't support pagination.",
        "The API never supports pagination.",
        "The API no longer supports pagination.",
        "No API supports pagination.",
    ],
)
def test_a_denial_is_negative(text: str) -> None:
    assertion = one(text)
    assert not assertion.positive
    assert (assertion.subject, assertion.relation) == (frozenset({"api"}), "support")


@pytest.mark.parametrize(
    "text",
    [
        "Is the deadline Monday?",
        "The deadline might be Monday.",
        "Perhaps the deadline is Monday.",
        "If the tests fail, the deadline is Monday.",
        "Sam suggested Monday as the deadline.",
        "We plan to move the deadline to Monday.",
    ],
)
def test_what_is_asked_or_supposed_is_open(text: str) -> None:
    assert all(assertion.open for assertion in read(text))


@pytest.mark.parametrize(
    "text",
    ["The build was red.", "Alice used to own it.", "Previously the build was red."],
)
def test_what_looks_back_is_past(text: str) -> None:
    assert all(assertion.past for assertion in read(text))


@pytest.mark.parametrize("text", ["The design was approved.", "The build is red."])
def test_what_lasts_is_not_past(text: str) -> None:
    assert not one(text).past


def test_clauses_are_assertions_of_their_own() -> None:
    disks, state = read("The server has 2 disks and is down.")
    assert disks.subject == state.subject == frozenset({"server"})
    api, queue = read("The API is up and the queue is empty.")
    assert (api.subject, queue.subject) == (frozenset({"api"}), frozenset({"queue"}))


def test_what_stands_before_the_subject_is_its_scope() -> None:
    assertion = one("In 2023 the team had 5 people.")
    assert assertion.subject == frozenset({"team"})
    assert [chunk.dated for chunk in assertion.scope] == [True]


@pytest.mark.parametrize("text", ["", " ", "...", "?", "🚀", "Да.", "是", "\u0000", "a" * 5_000])
def test_anything_is_read(text: str) -> None:
    assert isinstance(read(text), tuple)
