"""The offline model calls `remember` when it is asked to in so many words, and never else."""

import json

import pytest

from memory.providers.offline import OfflineLanguage
from memory.providers.offline.tooling import wish
from memory.providers.types import Call, ChatMessage, Function

REMEMBER = Function("remember", "Save.", {"type": "object"})


def said(*messages: ChatMessage, may_call: bool = True) -> list[str | Call]:
    return list(
        OfflineLanguage().converse(messages, functions=[REMEMBER], may_call=may_call, timeout=1)
    )


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ("Remember that I am allergic to nuts.", "I am allergic to nuts"),
        ("please remember: my cat is called Pixel", "my cat is called Pixel"),
        ("Don't forget that I live in Porto!", "I live in Porto"),
        ("Remember to buy milk", None),
        ("Do you remember my cat?", None),
        ("Remember when we met?", None),
        ("I remember the sea.", None),
        ("I live in Porto.", None),
    ],
)
def test_what_counts_as_asked(message: str, what: str | None) -> None:
    assert wish(message) == what


def test_it_calls_and_then_says_what_became_of_it() -> None:
    asked = ChatMessage("user", "Remember that I live in Porto.")
    (call,) = said(asked)
    assert isinstance(call, Call)
    assert json.loads(call.arguments) == {"content": "The user said: I live in Porto."}
    for status, told in (("saved", "I will remember that."), ("pending", "a person has to agree")):
        answer = ChatMessage("tool", json.dumps({"status": status}), answers=call.id)
        assert told in "".join(map(str, said(asked, answer)))
    refused = ChatMessage("tool", json.dumps({"error": "it looks like a key"}), answers=call.id)
    assert "it looks like a key" in "".join(map(str, said(asked, refused)))
    broken = ChatMessage("tool", "[", answers=call.id)
    assert "could not keep" in "".join(map(str, said(asked, broken)))


def test_otherwise_it_answers_as_ever() -> None:
    asked = ChatMessage("user", "I live in Porto.")
    assert all(isinstance(each, str) for each in said(asked))
    wished = ChatMessage("user", "Remember that I live in Porto.")
    assert all(isinstance(each, str) for each in said(wished, may_call=False))
