"""Bare answers to plain questions, and everything that is not one."""

import pytest

from tests.memory.providers.offline.helpers import observe


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Where do you live?", "Porto", "The user lives in Porto."),
        ("Nice! And where are you from?", "from Iowa.", "The user is from Iowa."),
        ("What's your name?", "Ana", "The user is called Ana."),
        ("What do you do for a living?", "a nurse", "The user works as a nurse."),
        ("How old are you?", "34", "The user is 34 years old."),
        (
            "What are you allergic to?",
            "Peanuts and shellfish",
            "The user is allergic to Peanuts and shellfish.",
        ),
        ("What is your favourite colour?", "Blue!", "The user's favourite colour is Blue."),
        ("What is your cat's name?", "Pixel", "The user's cat is called Pixel."),
    ],
)
def test_a_bare_answer(question: str, answer: str, expected: str) -> None:
    (finding,) = observe(("assistant", question), ("user", answer))
    assert (finding.statement, finding.turn, finding.quote) == (expected, 2, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do you live?", "why do you ask?"),
        ("Where do you live?", "I don't know"),
        ("Where do you live?", "not telling"),
        ("How old are you?", "old enough"),
        ("I live in Porto.", "Lisbon"),
        ("Where do you live? Just kidding.", "Porto"),
        ("How can I help?", "Porto"),
        ("What is your name?", "no"),
    ],
)
def test_what_is_no_bare_answer_gives_nothing(question: str, answer: str) -> None:
    assert not observe(("assistant", question), ("user", answer))


def test_the_users_own_question_is_not_answered_by_the_assistant() -> None:
    assert not observe(("user", "Where do you live?"), ("assistant", "Porto"))


@pytest.mark.parametrize(
    ("before", "answer", "expected"),
    [
        ("You have a dog, right? I see you live in Porto.", "That's not true any more.",
         "It is no longer true that the user lives in Porto."),
        ("I remember: The user has a dog. I am a model.", "That's no longer true",
         "It is no longer true that the user has a dog."),
        ("I know that you work as a nurse.", "No, that's wrong.",
         "It is no longer true that the user works as a nurse."),
        ("Your cat is called Pixel.", "Sorry, this is outdated.",
         "It is no longer true that the user's cat is called Pixel."),
        ("You are vegan.", "That has changed", "It is no longer true that the user is vegan."),
        ("You live in Porto. You have a dog.", "That's not true any more.", None),
        ("You live in Porto.", "That's true.", None),
        ("The weather is nice.", "That's not true.", None),
    ],
)  # fmt: skip
def test_a_denial_is_of_the_one_thing_that_was_just_said(
    before: str, answer: str, expected: str | None
) -> None:
    found = observe(("assistant", before), ("user", answer))
    assert [f.statement for f in found] == ([expected] if expected else [])
    assert all(f.quote == answer and f.turn == 2 for f in found)
