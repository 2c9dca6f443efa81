"""Two sentences against each other: what contradicts, how surely, and what only looks like it."""

import pytest

from memory.providers.offline.notes import judge
from tests.memory.providers.offline.notes.judged import APART, HIGH, WEAKER


@pytest.mark.parametrize(("a", "b"), HIGH)
def test_both_cannot_be_true(a: str, b: str) -> None:
    assert [judge(a, b).severity, judge(b, a).severity] == ["high", "high"]


@pytest.mark.parametrize(("a", "b"), WEAKER)
def test_a_probable_conflict_is_not_high(a: str, b: str) -> None:
    assert judge(a, b).severity in {"medium", "low"}


@pytest.mark.parametrize(("a", "b"), APART)
def test_no_alarm(a: str, b: str) -> None:
    assert [judge(a, b).severity, judge(b, a).severity] == [None, None]


@pytest.mark.parametrize(("a", "b"), HIGH)
def test_it_says_what_each_says(a: str, b: str) -> None:
    one, other = judge(a, b).says
    assert one
    assert other
    assert one != other
    assert judge(b, a).says in {(other, one), (one, other)}


def test_values_are_named_in_the_order_of_the_sentences() -> None:
    assert judge("Deadline is Friday.", "Deadline is Monday.").says == ("friday", "monday")
    assert judge("Deadline is Monday.", "Deadline is Friday.").says == ("monday", "friday")
