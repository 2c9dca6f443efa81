"""The estimate is on the high side of ordinary text and grows with it."""

from hypothesis import given
from hypothesis import strategies as st

from memory.recall.tokens import estimate


def test_known_texts() -> None:
    assert estimate("") == 0
    assert estimate("Prefers short, bulleted answers.") == 10  # a real tokenizer: 7
    assert estimate("我对花生过敏") == 6
    assert estimate("2026-03-14") == 6
    assert estimate("🍣🍣") == 4
    assert estimate("Привет") == 3


@given(st.text(), st.text())
def test_never_less_for_more_text(one: str, other: str) -> None:
    assert max(estimate(one), estimate(other)) <= estimate(one + other)
    assert estimate(one + other) <= estimate(one) + estimate(other)
