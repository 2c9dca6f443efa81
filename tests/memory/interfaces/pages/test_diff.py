"""The marked change loses nothing, marks whole words, and stays quick on hostile text."""

from hypothesis import given
from hypothesis import strategies as st

from memory.interfaces.pages.diff import Piece, after_of, before_of, compare

words = st.lists(
    st.sampled_from(["tea", "Tea", " ", "  ", "\n", "花", "生", "’", "\u202e", "a" * 40, "é", ""])
).map("".join)
texts = st.one_of(words, st.text(max_size=60))


@given(before=texts, after=texts)
def test_both_sides_can_be_read_back_from_the_pieces(before: str, after: str) -> None:
    pieces = compare(before, after)
    assert "".join(p.text for p in before_of(pieces)) == before
    assert "".join(p.text for p in after_of(pieces)) == after
    assert all(p.text for p in pieces)


@given(text=texts)
def test_equal_texts_have_nothing_marked(text: str) -> None:
    assert {p.kind for p in compare(text, text)} <= {"same"}


def test_a_changed_word_is_marked_as_a_whole_word() -> None:
    assert compare("Likes Friday meetings.", "Likes Monday meetings.") == [
        Piece("same", "Likes "),
        Piece("gone", "Friday"),
        Piece("new", "Monday"),
        Piece("same", " meetings."),
    ]


def test_neighbouring_changed_words_are_one_mark() -> None:
    pieces = compare("prefers long formal letters", "prefers short casual letters")
    assert [p.text for p in pieces if p.kind == "gone"] == ["long formal"]
    assert [p.text for p in pieces if p.kind == "new"] == ["short casual"]


def test_a_script_without_spaces_is_compared_by_the_character() -> None:
    assert [p.text for p in compare("我对花生过敏", "我对牛奶过敏") if p.kind == "gone"] == ["花生"]


def test_two_thousand_characters_without_a_space_are_one_word() -> None:
    assert [p.kind for p in compare("a" * 2000, "b" * 2000)] == ["gone", "new"]


def test_text_too_long_to_compare_counts_as_replaced_in_the_middle() -> None:
    before, after = "同" + "花生" * 900, "同" + "生火" * 900
    assert [p.kind for p in compare(before, after)] == ["same", "gone", "new"]
