"""Whom a question names: what a conversation's two sides are called, and which of them is meant.

A name says who a text is about and nothing of what it is about. The words of a search keep it; the
vector is made without it (names alone make texts alike that share no subject), and a question that
names one side only is about that side.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import regex

Side = Literal["user", "assistant"]

_LEAST = 2  # letters: an initial is no name
# What a memory calls the person it is about when it does not say the name.
_CALLED = ("the user", "user")


@dataclass(frozen=True)
class Names:
    """The names of the visitor and of the agent, as they stand in their rows; "" for unknown."""

    visitor: str = ""
    agent: str = ""

    def named(self, text: str) -> Side | None:
        """The only side that the text names; None when it names none or both."""
        sides: list[Side] = []
        for side, pattern in self._patterns.items():
            if pattern.search(text):
                sides.append(side)
        return sides[0] if len(sides) == 1 else None

    def without(self, text: str) -> str:
        """The text without the names, or as it is when nothing else stands in it."""
        rest = text
        for pattern in self._patterns.values():
            rest = pattern.sub(" ", rest)
        return " ".join(rest.split()) if regex.search(r"[\p{L}\p{N}]", rest) else text

    def beginnings(self, side: Side) -> tuple[str, ...]:
        """What a memory about this side begins with, case folded."""
        name = self.visitor if side == "user" else self.agent
        called = _CALLED if side == "user" else ()
        return (*(part.casefold() for part in _parts(name)), *called)

    @cached_property
    def _patterns(self) -> dict[Side, "regex.Pattern[str]"]:
        sides: tuple[tuple[Side, str], ...] = (("user", self.visitor), ("assistant", self.agent))
        patterns: dict[Side, regex.Pattern[str]] = {}
        for side, name in sides:
            if parts := _parts(name):
                every = "|".join(map(regex.escape, parts))
                patterns[side] = regex.compile(rf"(?i)(?<!\w)(?:{every})(?:['’]s)?(?!\w)")
        return patterns


def _parts(name: str) -> list[str]:
    """The whole name first, then the first name by itself: "Mira Holt" is also "Mira"."""
    words = [word for word in name.split() if len(word) >= _LEAST]
    return list(dict.fromkeys([" ".join(name.split()), *words[:1]])) if words else []
