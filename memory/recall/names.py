"""Whom a question names: what a conversation's two sides are called, and which of them is meant.

A name says who a text is about and nothing of what it is about. The words of a search keep it; the
vector is made without it (names alone make texts alike that share no subject), and a question that
names one side only is about that side.

A name of one word counts as it is written in the row: Will is a person, "will" is not, and an agent
called Support does not take the word out of every question. A visitor is also called by the first
word of the name; an agent, which may be called Shop help, is not.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from unicodedata import normalize

import regex

from agents.models import Agent, Visitor

Side = Literal["user", "assistant"]

_LEAST = 2  # letters: an initial is no name
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}]")
# What a memory calls the person it is about when it does not say the name.
_CALLED = ("the user", "user")


@dataclass(frozen=True)
class Names:
    """The names of the visitor and of the agent, as they stand in their rows; "" for unknown."""

    visitor: str = ""
    agent: str = ""

    @classmethod
    def of(cls, agent: Agent, visitor: Visitor | None) -> "Names":
        """What the rows call them; of nobody known there is no name."""
        return cls(visitor.name if visitor is not None else "", agent.name)

    def named(self, text: str) -> Side | None:
        """The only side that the text names; None when it names none or both."""
        text = normalize("NFC", text)
        sides = [side for side, pattern in self._patterns.items() if pattern.search(text)]
        return sides[0] if len(sides) == 1 else None

    def without(self, text: str) -> str:
        """The text without the names; as it is when it has none, or nothing else stands in it."""
        whole = rest = normalize("NFC", text)
        for pattern in self._patterns.values():
            rest = pattern.sub(" ", rest)
        if rest == whole or not regex.search(r"[\p{L}\p{N}]", rest):
            return text
        return " ".join(rest.split())

    def beginnings(self, side: Side) -> tuple[str, ...]:
        """What a memory about this side begins with, case folded."""
        called = _CALLED if side == "user" else ()
        return (*(part.casefold() for part in self._parts[side]), *called)

    @cached_property
    def _parts(self) -> dict[Side, list[str]]:
        """The whole name first, then the visitor's first by itself: "Mira Holt" is also "Mira"."""
        return {"user": _parts(self.visitor, 1), "assistant": _parts(self.agent, 0)}

    @cached_property
    def _patterns(self) -> dict[Side, "regex.Pattern[str]"]:
        return {
            side: regex.compile("|".join(map(_pattern, parts)))
            for side, parts in self._parts.items()
            if parts
        }


def _parts(name: str, first: int) -> list[str]:
    words = normalize("NFC", name).split()
    names = [word for word in words if len(regex.findall(r"\p{L}", word)) >= _LEAST]
    return list(dict.fromkeys([" ".join(words), *names[:first]])) if names else []


def _pattern(part: str) -> str:
    """Several words in a row are a name however they are written. Where words are not spaced, or
    take endings as Korean does, a name may stand anywhere."""
    words = part.split()
    found = r"\s+".join(map(regex.escape, words))
    found = f"(?i:{found})" if len(words) > 1 else found
    return found if _UNSPACED.search(part) else rf"(?<!\w){found}(?:['’]s)?(?!\w)"
