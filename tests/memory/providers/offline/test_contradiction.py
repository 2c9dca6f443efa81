"""Pairs of statements and how they stand to each other, both ways round."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.providers.offline.contradiction import compare
from tests.memory.providers.offline.pairs import CONSISTENT, CONTRADICTIONS

RESTATEMENTS = [
    ("Loves live jazz", "The user loves live jazz."),
    ("The user enjoys hiking.", "The user loves hiking."),
    ("The user enjoys cooking Italian food.", "The user is fond of cooking Italian food."),
    ("The user does not like crowded places.", "The user dislikes crowded places."),
    ("The user can't stand sailing.", "The user hates sailing."),
]
UNRELATED = [
    ("The user lives in Porto.", "The user's sister lives in Lisbon."),
    ("The user works as a nurse.", "The user works at Acme."),
    ("The user likes tea.", "The user likes coffee."),
    ("The user has a dog.", "The user has a cat."),
    ("The user has two cats.", "The user has three dogs."),
    ("The user's cat is called Pixel.", "The user's dog is called Dot."),
    ("The user plays the violin.", "The user plays the piano."),
    ("The user's favorite colour is blue.", "The user's favourite food is sushi."),
    ("The user ran a marathon on 2 March 2026.", "The user ran a marathon on 5 May 2025."),
    ("The user went to Paris in 2024.", "The user went to Paris in 2025."),
    ("The user speaks Spanish.", "The user speaks French."),
    ("The user's brother smokes.", "The user doesn't smoke."),
    ("The cat is fluffy.", "The cat is old."),
    ("The user goes to yoga on Mondays.", "The user goes to yoga on Fridays."),
    ("The user is from Iowa.", "The user is 34 years old."),
    ("The user is a nurse.", "The user is a father."),
    ("The user has a sister named Ana.", "The user has a brother named Leo."),
    ("The user is learning Spanish.", "The user is learning to cook."),
    ("The user is allergic to nuts.", "The user is allergic to shellfish."),
    ("The user hates mornings.", "The user is not a morning person."),
    ("The user's wife is a doctor.", "The user is a doctor."),
    ("Ana likes opera.", "Ben hates opera."),
    ("The user loves dogs.", "The user has two dogs."),
    ("The user uses vim.", "The user uses emacs."),
    ("The user is looking for a job.", "The user has found a job."),
]
REFINEMENTS = [
    ("The user likes jazz.", "The user likes live jazz in small clubs."),
    ("The user likes jazz.", "The user doesn't like loud jazz."),
    ("The user lives in Porto.", "The user lives in Porto with two cats."),
    ("The user plays guitar in a band.", "The user plays guitar."),
]
LABELLED = [
    *((a, b, "restatement") for a, b in RESTATEMENTS),
    *((a, b, "refinement") for a, b in REFINEMENTS),
    *((a, b, "unrelated") for a, b in UNRELATED),
]


@pytest.mark.parametrize(("a", "b", "kind"), LABELLED)
def test_kind_both_ways(a: str, b: str, kind: str) -> None:
    assert [compare(a, b).kind, compare(b, a).kind] == [kind, kind]


def test_precision_and_recall_on_all_labelled_pairs() -> None:
    consistent = [*CONSISTENT, *((a, b) for a, b, _ in LABELLED)]
    hits = sum(compare(a, b).contradicts for a, b in CONTRADICTIONS)
    alarms = sum(compare(a, b).contradicts for a, b in consistent)
    assert hits / (hits + alarms) >= 0.98
    assert hits / len(CONTRADICTIONS) >= 0.95


@pytest.mark.parametrize(("a", "b"), CONSISTENT)
def test_no_false_alarm(a: str, b: str) -> None:
    assert not compare(a, b).contradicts


@pytest.mark.parametrize(("a", "b"), CONTRADICTIONS)
def test_a_contradiction_has_a_severity_and_says_why(a: str, b: str) -> None:
    relation = compare(a, b)
    if relation.contradicts:
        assert relation.severity in {"high", "medium", "low"}
        assert relation.because
    assert compare(b, a).kind == relation.kind


@pytest.mark.parametrize("text", sorted({text for pair in CONTRADICTIONS for text in pair}))
def test_nothing_contradicts_itself(text: str) -> None:
    assert compare(text, text).kind == "restatement"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_compared_and_the_alarm_is_symmetric(a: str, b: str) -> None:
    assert compare(a, b).contradicts == compare(b, a).contradicts
    assert not compare(a, a).contradicts


DENIALS = [
    "The user stopped being vegetarian.",
    "The user is not vegetarian.",
    "The user quit smoking.",
    "The user is no longer married.",
    "The user does not drive.",
    "The user never drinks coffee.",
    "The user has no pets.",
    "The user is not religious.",
    "The user gave up dairy.",
    "The user can't swim.",
    "The user no longer works nights.",
]
ELSEWHERE = [
    "The user has a daughter, she is 4 years old.",
    "The user owns a small bakery.",
    "The user is a nurse.",
    "The user speaks Portuguese.",
    "The user's name is Tomas.",
    "The user moved to Porto in October 2026.",
    "The user prefers short answers.",
    "The user's partner Amara signs off every invoice above 500 euros.",
]


@pytest.mark.parametrize("denial", DENIALS)
@pytest.mark.parametrize("other", ELSEWHERE)
def test_a_denial_contradicts_nothing_that_is_about_something_else(denial: str, other: str) -> None:
    assert not compare(denial, other).contradicts
    assert not compare(other, denial).contradicts
