"""The offline reply shows what memory reached the prompt and says what it is."""

import pytest

from memory.providers.offline import OfflineLanguage
from memory.providers.types import ChatMessage

BLOCK = """## Relevant Memory
[/home/residence] The user lives in Porto.
[/pets/pixel] The user's cat is called Pixel.
[... 4 more here]
"""


def reply(*messages: ChatMessage) -> str:
    return "".join(OfflineLanguage().answer(messages, timeout=5))


def test_lines_that_relate_are_in_the_reply() -> None:
    text = reply(ChatMessage("system", BLOCK), ChatMessage("user", "What is my cat called?"))
    assert "I remember: The user's cat is called Pixel." in text
    assert "Porto" not in text
    assert "offline model" in text


def test_other_system_text_is_not_taken_for_memory() -> None:
    prompt = "## Rules\nCats are banned.\n"
    assert "banned" not in reply(ChatMessage("system", prompt), ChatMessage("user", "Any cats?"))


def test_a_statement_that_relates_to_nothing_is_only_noted() -> None:
    text = reply(ChatMessage("system", BLOCK), ChatMessage("user", "velvet submarine lottery"))
    assert "Pixel" not in text
    assert text.startswith("Thank you, I have noted your message.")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where do I live?", "Porto"),
        ("What's my address?", "Porto"),
        ("What should I avoid eating?", "peanuts"),
        ("What may I not eat, and where is my home?", "peanuts"),
        ("What is my job?", "carpenter"),
        ("Do I have any pets?", "Pixel"),
    ],
)
def test_a_question_is_answered_by_its_topic(question: str, told: str) -> None:
    block = (
        "## Relevant Memory\n[/health/allergies/peanuts] The user is allergic to peanuts.\n"
        "[/home/city] The user moved to Porto in October 2026.\n"
        "[/work/job] The user works as a carpenter.\n[/pets/cat] The user's cat is called Pixel."
    )
    text = reply(ChatMessage("system", block), ChatMessage("user", question))
    assert text.startswith("I remember: ")
    assert told in text


def test_it_never_denies_what_its_prompt_carries() -> None:
    text = reply(ChatMessage("system", BLOCK), ChatMessage("user", "Who won the cup?"))
    assert text.startswith("I cannot answer that.")
    assert "Porto" in text
    assert "Pixel" in text


def test_it_says_what_it_is_once_in_a_conversation() -> None:
    first = reply(ChatMessage("user", "Hello"))
    assert "offline model" in first
    again = reply(
        ChatMessage("user", "Hello"), ChatMessage("assistant", first), ChatMessage("user", "I see")
    )
    assert "offline model" not in again


def test_it_comes_in_pieces_and_never_empty() -> None:
    pieces = list(OfflineLanguage().answer([], timeout=5))
    assert len(pieces) > 3
    assert all(pieces)


LIFE = """## Relevant Memory
[/home/city] The user moved to Porto.
[/work/job] The user is a carpenter.
[/health/allergies/nuts] The user is allergic to nuts.
[/pets/cat/name] The user's cat is called Pixel.
[/family/daughter] The user has a daughter called Mia.
[/contact/email] The user can be reached at liz@example.test.
[/plans/rome-trip-2026-05] The user is flying to Rome in May 2026.
[/hobbies/violin] The user plays the violin.
[/identity/birthday] The user was born on 4 May 1990.
[/possessions/car] The user drives a red Volvo.
"""


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Where do I live?", "Porto"),
        ("What's my address?", "Porto"),
        ("Which city do I live in?", "Porto"),
        ("What is my job?", "carpenter"),
        ("What do I do for a living?", "carpenter"),
        ("What can't I eat?", "nuts"),
        ("Which foods should I avoid?", "nuts"),
        ("What should I cook for dinner?", "nuts"),
        ("Do I have any pets?", "Pixel"),
        ("Do I have kids?", "Mia"),
        ("How can you contact me?", "liz@example.test"),
        ("Am I travelling soon?", "Rome"),
        ("What are my hobbies?", "violin"),
        ("How old am I?", "1990"),
        ("What do I drive?", "Volvo"),
    ],
)
def test_an_everyday_question_finds_its_line_first(question: str, word: str) -> None:
    text = reply(ChatMessage("system", LIFE), ChatMessage("user", question))
    first = text.split(" I remember:")[0]
    assert word in first


def test_two_questions_have_two_answers() -> None:
    text = reply(
        ChatMessage("system", LIFE),
        ChatMessage("user", "Where do I live, and what am I allergic to?"),
    )
    assert "Porto" in text
    assert "nuts" in text
    assert "carpenter" not in text


def test_lines_without_keys_are_found_by_topic_too() -> None:
    block = "## User Information\n- The user moved to Porto.\n- The user likes tea.\n"
    text = reply(ChatMessage("system", block), ChatMessage("user", "Where do I live?"))
    assert "Porto" in text
    assert "tea" not in text


@pytest.mark.parametrize("question", ["What is the capital of Peru?", "How do I boil an egg?"])
def test_a_question_of_the_world_is_not_answered_from_memory(question: str) -> None:
    text = reply(ChatMessage("system", LIFE), ChatMessage("user", question))
    assert text.startswith("I cannot answer that.")
