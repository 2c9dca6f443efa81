"""The quote is marked where it stands, and long messages are cut around it."""

from hypothesis import given
from hypothesis import strategies as st

from memory.interfaces.pages.quotes import AROUND, mark, shortened


@given(
    before=st.text(max_size=50), quote=st.text(min_size=1, max_size=20), after=st.text(max_size=50)
)
def test_the_parts_are_the_message(before: str, quote: str, after: str) -> None:
    marked = mark(before + quote + after, quote)
    assert marked.found
    assert marked.before + marked.quote + marked.after == before + quote + after


def test_white_space_and_case_are_taken_loosely() -> None:
    marked = mark("Well, I  love\nLive jazz!", "i love live jazz")
    assert (marked.before, marked.quote, marked.after) == ("Well, ", "I  love\nLive jazz", "!")


def test_a_pattern_in_the_quote_is_only_text() -> None:
    assert not mark("aaaa", "a+").found
    assert mark("cost (a+b)* today", "COST (A+B)*").quote == "cost (a+b)*"


def test_a_long_message_is_cut_around_the_quote() -> None:
    marked = mark("x" * 5000 + "PIXEL" + "y" * 5000, "PIXEL")
    assert marked.before == "…" + "x" * AROUND
    assert marked.after == "y" * AROUND + "…"


def test_without_its_message_the_copied_quote_stands_alone() -> None:
    assert mark(None, "I moved to Porto") == mark("something else", "I moved to Porto")
    assert mark(None, "I moved to Porto").quote == "I moved to Porto"


def test_context_is_shortened() -> None:
    assert shortened("word " * 200, 10) == "word word…"
    assert shortened("short") == "short"
