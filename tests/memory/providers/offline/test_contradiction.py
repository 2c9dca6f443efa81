"""Pairs of statements and how they stand to each other, both ways round."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.providers.offline.contradiction import compare

CONTRADICTIONS = [
    ("Loves live jazz", "The user can't bear jazz these days."),
    ("The user is allergic to peanuts.", "The user is not allergic to peanuts."),
    ("The user isn't allergic to peanuts.", "The user is allergic to peanuts."),
    ("The deadline is Friday", "The deadline is Monday"),
    ("The deadline is Friday.", "The project deadline is on Monday."),
    ("The user lives in Porto.", "The user moved to Lisbon."),
    ("The user works as a nurse.", "The user works as a teacher."),
    ("The user likes tea.", "The user hates tea."),
    ("The user likes tea.", "The user doesn't like tea."),
    ("The user has a dog.", "The user no longer has a dog."),
    ("The user has two cats.", "The user has three cats."),
    ("The user's cat is called Pixel.", "The user's cat is called Dot."),
    ("The user is vegetarian.", "The user is not vegetarian."),
    ("The meeting starts at 9am.", "The meeting starts at 10am."),
    ("The office is open.", "The office is closed."),
    ("The user prefers window seats.", "The user prefers aisle seats."),
    ("The user prefers tea over coffee.", "The user prefers coffee over tea."),
    ("The server is online.", "The server is offline."),
    ("The user's favourite colour is blue.", "The user's favourite colour is green."),
    ("The user is married.", "The user is single."),
    ("The budget is 5000 euros.", "The budget is 7000 euros."),
    ("The user was born in 1990.", "The user was born in 1985."),
    ("The user smokes.", "The user does not smoke."),
    ("The user smokes.", "The user quit smoking."),
    ("The user can swim.", "The user can't swim."),
    ("The user drinks coffee every morning.", "The user never drinks coffee."),
    ("The user wakes up early.", "The user wakes up late."),
    ("The database is Postgres.", "The database is MySQL."),
    ("The user's manager is Anna.", "The user's manager is Tom."),
    ("The user is 34 years old.", "The user is 35 years old."),
    ("The feature is enabled.", "The feature is disabled."),
    ("Deploys happen on Tuesday.", "Deploys happen on Thursday."),
    ("The user wants short answers.", "The user wants detailed answers."),
    ("The user eats meat.", "The user does not eat meat."),
    ("The build passed.", "The build failed."),
    ("The invoice is paid.", "The invoice is unpaid."),
    ("The user supports Arsenal.", "The user does not support Arsenal anymore."),
    ("Ana likes opera.", "Ana hates opera."),
    ("Rent costs 900 euros.", "Rent costs 1100 euros."),
    ("The user moved to Berlin in 2020.", "The user lives in Munich."),
    ("The user's flight is on 4 May 2026.", "The user's flight is on 6 May 2026."),
    ("The user's flight is at 9:30.", "The user's flight is at 11:45."),
    ("The user takes the bus to work.", "The user does not take the bus to work."),
    ("Shipping is free.", "Shipping is not free."),
    ("The user was promoted.", "The user wasn't promoted."),
]
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
    *((a, b, "contradiction") for a, b in CONTRADICTIONS),
    *((a, b, "restatement") for a, b in RESTATEMENTS),
    *((a, b, "refinement") for a, b in REFINEMENTS),
    *((a, b, "unrelated") for a, b in UNRELATED),
]


@pytest.mark.parametrize(("a", "b", "kind"), LABELLED)
def test_kind_both_ways(a: str, b: str, kind: str) -> None:
    assert [compare(a, b).kind, compare(b, a).kind] == [kind, kind]


@pytest.mark.parametrize(("a", "b"), CONTRADICTIONS)
def test_only_a_contradiction_has_a_severity_and_it_says_why(a: str, b: str) -> None:
    relation = compare(a, b)
    assert relation.severity in {"high", "medium", "low"}
    assert relation.because
    assert compare(a, a).severity is None


@pytest.mark.parametrize("text", sorted({text for a, b, _ in LABELLED for text in (a, b)}))
def test_nothing_contradicts_itself(text: str) -> None:
    assert compare(text, text).kind == "restatement"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_compared_and_the_alarm_is_symmetric(a: str, b: str) -> None:
    assert compare(a, b).contradicts == compare(b, a).contradicts
    assert not compare(a, a).contradicts
