"""Time in a question and in a text: is a time asked for, which months and years are named?

Simple signs, no parser: they only move a message up or down among others.
"""

from dataclasses import dataclass
from datetime import datetime

import regex

_MONTHS = (
    "january|jan", "february|feb", "march", "april|apr", "may", "june|jun", "july|jul",
    "august|aug", "september|sept|sep", "october|oct", "november|nov", "december|dec",
)  # fmt: skip
_MONTH = regex.compile(r"(?i)\b(?:" + "|".join(f"({names})" for names in _MONTHS) + r")\b\.?")
_YEAR = regex.compile(r"\b(?:19|20)\d\d\b")
_DAY = regex.compile(r"\b([0-3]?\d)(?:st|nd|rd|th)?\b")
_ASKS_WHEN = regex.compile(
    r"(?i)^\W*(?:when|how long|since when|"
    r"(?:in |on |at )?(?:what|which) (?:date|day|week|month|year|time)|in which"
    r"|wann|quand|cuándo)\b"
)
# What a text says that tells of a time, by itself or from the day it was said on.
_TELLS_WHEN = regex.compile(
    r"(?i)\b(?:yesterday|today|tonight|tomorrow|ago|last|next"
    r"|this (?:week|month|year|morning|weekend)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weeks?|weekend|months?|years?|since|recently|just"
    r"|gestern|heute|morgen|hier|demain|ayer|hoy|mañana)\b"
)


@dataclass(frozen=True)
class AskedTime:
    """What a question says of time; all empty for most questions."""

    asks_when: bool = False
    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()

    @classmethod
    def of(cls, question: str) -> "AskedTime":
        found = [match.lastindex or 0 for match in _MONTH.finditer(question)]
        rest = _YEAR.sub(" ", question)
        return cls(
            asks_when=bool(_ASKS_WHEN.search(question)),
            months=frozenset(found),
            years=frozenset(int(year) for year in _YEAR.findall(question)),
            days=frozenset(int(day) for day in _DAY.findall(rest)) if found else frozenset(),
        )

    def near(self, moment: datetime) -> float:
        """How well a day fits a date that was named: 1 for its month, more or less for its day."""
        if moment.month not in self.months or (self.years and moment.year not in self.years):
            return 0.0
        if not self.days:
            return 1.0
        return 1.5 if moment.day in self.days else 0.5


NO_TIME = AskedTime()


def tells_when(text: str) -> bool:
    return bool(_TELLS_WHEN.search(text) or _MONTH.search(text) or _YEAR.search(text))
