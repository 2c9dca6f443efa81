"""What memory itself said is no evidence; what a person says again in their own words is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.echo import is_recalled_text
from memory.recall.formats import Entry, render

JAZZ = "The user loves live jazz and goes to a concert every month."


@pytest.mark.parametrize(
    "quote",
    [
        JAZZ,
        "the user LOVES live jazz, and goes to a concert every month",
        "The user loves live jazz and goes to concerts every month.",
        "You told me: The user loves live jazz and goes to a concert every month. Right?",
        "loves live jazz and goes to a concert",
        "## Relevant Memory\nanything",
        "[/music/taste] Something that is not among the memories.",
        "look:\n- [/music] Loves jazz",
    ],
)
def test_an_echo(quote: str) -> None:
    assert is_recalled_text(quote, ["The user likes tea.", JAZZ])


@pytest.mark.parametrize(
    "quote",
    [
        "I love live jazz",
        "I go to a jazz concert every week now",
        "To be honest I can't bear jazz these days.",
        "live jazz",
        "The user loves live jazz and goes to a concert every week.",
        "The user no longer loves live jazz",
        "see [1] and [/] please",
        "",
        "...",
    ],
)
def test_ones_own_words(quote: str) -> None:
    assert not is_recalled_text(quote, ["The user likes tea.", JAZZ, "", "?!"])


def test_a_short_memory_is_an_echo_only_as_a_whole() -> None:
    assert is_recalled_text("Likes tea!", ["likes tea"])
    assert not is_recalled_text("My sister likes tea", ["likes tea"])


def test_scripts_without_spaces() -> None:
    assert is_recalled_text("我对花生过敏。", ["我对花生过敏"])
    assert is_recalled_text("你说我对花生过敏", ["我对花生过敏"])
    assert not is_recalled_text("我喜欢花生", ["我对花生过敏"])


@given(st.text(min_size=1), st.lists(st.text()))
def test_every_line_of_a_block_is_an_echo(content: str, others: list[str]) -> None:
    entry = Entry(1, "/notes/one", "a note", content, "searched")
    block = render([entry], budget=100_000, omnipresent=0).block
    for line in block.splitlines():
        assert is_recalled_text(line, others)
