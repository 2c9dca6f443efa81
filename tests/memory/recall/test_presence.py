"""Trigger patterns: plain text, where a word begins, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.presence import triggered


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("refund", "I want a REFUND!"),
        ("Refund", "refunds, please"),
        ("deploy", "the deployment failed"),
        ("art", "is this art?"),
        ("cat", "my cats"),
        ("C++", "help with c++ please"),
        (".*", "what does .* mean"),
        ("$100", "that is $100!"),
        ("free shipping", "is there free\n  shipping"),
        ("free shipping", "FREE\u00a0SHIPPING?"),
        ("caf\u00e9", "the cafe\u0301 is closed"),
        ("ｆｕｌｌ", "full"),
        ("STRASSE", "die Straße"),
        ("花生", "我对花生过敏"),
        ("رياض", "أنا أسكن في الرياض"),
        ("🍣", "let's get 🍣🍣"),
        ("order", "reorder my order"),  # the second place counts
        ("-v", "run it with -v"),
    ],
)
def test_it_appears(pattern: str, message: str) -> None:
    assert triggered([pattern], message)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("refund", "no money"),
        ("art", "start the engine"),
        ("art", "an article"),
        ("cat", "a category"),
        (".*", "anything"),
        ("a|b", "a"),
        ("[a-z]", "abc"),
        ("%", "100 percent"),
        ("   ", "   "),
        ("order", "border"),
    ],
)
def test_it_does_not(pattern: str, message: str) -> None:
    assert not triggered([pattern], message)


def test_any_of_several() -> None:
    assert triggered(["invoice", "refund"], "my refund")
    assert not triggered([], "my refund")


@given(st.text(), st.text(), st.text(min_size=1))
def test_a_pattern_between_spaces_is_found(before: str, after: str, pattern: str) -> None:
    found = triggered([pattern], f"{before} {pattern} {after}")
    assert found == bool("".join(pattern.split()))


@given(st.lists(st.text()), st.text())
def test_nothing_is_an_error(patterns: list[str], message: str) -> None:
    triggered(patterns, message)
