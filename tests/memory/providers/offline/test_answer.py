"""The offline reply shows what memory reached the prompt and says what it is."""

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


def test_nothing_related_is_said_plainly() -> None:
    text = reply(ChatMessage("system", BLOCK), ChatMessage("user", "velvet submarine lottery"))
    assert "Pixel" not in text
    assert "Nothing I remember relates" in text


def test_it_comes_in_pieces_and_never_empty() -> None:
    pieces = list(OfflineLanguage().answer([], timeout=5))
    assert len(pieces) > 3
    assert all(pieces)
