"""Pieces lose nothing, fit, and end where the text does."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.providers.pieces import pieces, tokens


@given(st.text(), st.integers(min_value=8, max_value=60))
def test_pieces_join_to_the_text_and_fit(text: str, limit: int) -> None:
    cut = pieces(text, limit)
    assert "".join(cut) == (text if text.strip() else "")
    assert all(tokens(piece) <= limit for piece in cut)
    assert all(cut)


@given(st.text(alphabet="ab .\n花。é👩", min_size=30, max_size=200))
def test_long_texts_are_cut_into_few(text: str) -> None:
    """A border is taken only in the second half of the room, so pieces stay large."""
    cut = pieces(text, 20)
    assert len(cut) <= 4 * tokens(text) / 20 + 1


@given(st.text())
def test_no_character_outside_ascii_counts_less_than_its_bytes(text: str) -> None:
    wide = "".join(char for char in text if not char.isascii())
    assert tokens(wide) == len(wide.encode())
    assert tokens(text) >= len(wide.encode())


def test_short_blank_and_unlimited() -> None:
    assert pieces("I like tea", 100) == ["I like tea"]
    assert pieces("tea " * 10_000, None) == ["tea " * 10_000]
    assert pieces(" \n\u3000", 100) == []
    with pytest.raises(ValueError, match="limit_tokens"):
        pieces("a long enough text to be cut in two", 1)


def test_field_fault_15() -> None:
    text = "花" * 60_000 + "my cat is called Pixel"
    cut = pieces(text, 8_192)
    assert "".join(cut) == text
    assert sum("my cat is called Pixel" in piece for piece in cut) == 1
    assert all(len(piece) <= 8_192 for piece in cut)  # one token a character, as the fault counts


@pytest.mark.parametrize(
    ("text", "limit", "ends"),
    [
        ("One sentence here. Another one there. And a third.", 16, ". "),
        ("第一句话在这里。第二句话在那里。第三句。", 30, "。"),
        ("alpha beta gamma delta epsilon zeta eta theta", 12, " "),
        ("أنا أسكن في الرياض؟ أحب الشاي كثيرا؟ نعم", 45, "؟ "),
    ],
)
def test_pieces_end_at_sentences_or_spaces(text: str, limit: int, ends: str) -> None:
    cut = pieces(text, limit)
    assert len(cut) > 1
    assert all(piece.endswith(ends) for piece in cut[:-1])


def test_marks_and_joiners_stay_with_their_character() -> None:
    for cut in (
        pieces("👩\u200d🚀" * 40, 30),
        pieces("e\u0301" * 60, 20),
        pieces("کا\u200c" * 60, 25),
    ):
        assert len(cut) > 1
        for before, after in itertools.pairwise(cut):
            assert not before.endswith("\u200d")
            assert after[0] not in "\u200d\u0301\u200c"
