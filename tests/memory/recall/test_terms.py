"""Terms: one form for what is stored and what is asked, in any script, whatever comes in."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.recall.terms import TERM_LIMIT, asked, is_pleasantry, terms


@pytest.mark.parametrize(
    ("stored", "question"),
    [
        ("我对花生过敏", "花生"),
        ("我对花生过敏", "花"),
        ("私はピーナッツアレルギーがあります", "ピーナッツ"),
        ("أنا أسكن في الرياض", "رياض"),
        ("땅콩을 먹어요", "땅콩"),
        ("ฉันแพ้ถั่วลิสง", "ถั่วลิสง"),
        ("Favourite caf\u00e9 is Zo\u00eb's", "cafe\u0301 zoe\u0308"),
        ("Favourite café", "cafe"),
        ("Ｆｕｌｌ width", "full"),
        ("likes 🍣", "🍣"),
        ("writes C++ at work", "c++"),
        ("He was running", "runs"),
        ("любит собак", "собака"),
        ("می\u200cروم", "می\u200cروم"),
        ("Ανδρέας", "ΑΝΔΡΈΑΣ"),
    ],
)
def test_a_question_finds_what_was_stored(stored: str, question: str) -> None:
    assert asked(question)
    assert set(asked(question)) <= set(terms(stored))


@pytest.mark.parametrize(
    ("one", "other"), [("writes C++", "c#"), ("a cat", "category"), ("花生", "生花")]
)
def test_different_words_stay_different(one: str, other: str) -> None:
    assert not set(asked(other)) & set(terms(one))


@pytest.mark.parametrize("text", ["", "   ", "''", "%", "?!", "to be or not to be", "\x00"])
def test_nothing_to_look_for(text: str) -> None:
    assert asked(text) == []
    assert not terms(text)


def test_a_contraction_is_its_word() -> None:
    assert asked("Zoë's don't I'm they've won't") == ["zoe"]


@given(st.text())
@example("\ud800")
@example("ʼn'n't's")
def test_any_text_has_terms_that_fit_the_column(text: str) -> None:
    for found in (terms(text), asked(text)):
        assert all(0 < len(term) <= TERM_LIMIT for term in found)
    assert all(count > 0 for count in terms(text).values())


@given(st.text())
def test_what_is_asked_with_a_text_is_stored_of_it(text: str) -> None:
    assert set(asked(text)) <= set(terms(text))


@given(st.text(alphabet=st.characters(categories=["L", "M", "N", "P", "Z"])))
def test_the_form_of_unicode_makes_no_difference(text: str) -> None:
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert terms(composed) == terms(apart)
    assert asked(composed) == asked(apart)


@pytest.mark.parametrize("text", ["hi", "Thanks!", "ok, thank you", "Hello there, how are you?"])
def test_pleasantries(text: str) -> None:
    assert is_pleasantry(text)


@pytest.mark.parametrize(
    "text", ["who am I?", "", "🍣", "good restaurants", "hello, is my order on its way?", "花生"]
)
def test_not_only_pleasantries(text: str) -> None:
    assert not is_pleasantry(text)
