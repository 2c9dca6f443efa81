"""Typed values of a note, and whether two of them can both be true.

`clash` answers for two values: True, they exclude each other; False, they agree or one is more
exact; None, they are of different kinds and say nothing about each other.
"""

from dataclasses import dataclass, fields
from math import inf

ROUGH = 0.2  # share that "about", "roughly" leave open to both sides
CALENDAR = 0.02  # a month is 30 or 31 days
_LONG = 27 * 86_400  # seconds from which a time may be counted in months


@dataclass(frozen=True)
class Quantity:
    """A number or a range in a unit: "kg", "$/month", or the stems of what is counted."""

    low: float
    high: float
    unit: str
    shown: str

    @property
    def sort(self) -> str:
        return "quantity"

    def clash(self, other: object) -> bool | None:
        if not isinstance(other, Quantity) or self.unit != other.unit:
            return None
        if (self.low == -inf and other.low == -inf) or (self.high == inf and other.high == inf):
            return None  # two lower or two upper bounds
        largest = max(abs(v) for v in (self.low, self.high, other.low, other.high) if abs(v) < inf)
        loose = CALENDAR if self.unit == "time" and largest >= _LONG else 1e-9
        room = loose * largest
        return self.low > other.high + room or other.low > self.high + room


@dataclass(frozen=True)
class Date:
    """A date of which any part may be missing; what both have must be the same."""

    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    shown: str = ""

    @property
    def sort(self) -> str:
        return "date"

    def clash(self, other: object) -> bool | None:
        if not isinstance(other, Date):
            return None
        parts = [f.name for f in fields(self) if f.name != "shown"]
        both = [(getattr(self, p), getattr(other, p)) for p in parts]
        shared = [(mine, theirs) for mine, theirs in both if None not in (mine, theirs)]
        return any(mine != theirs for mine, theirs in shared) if shared else None


@dataclass(frozen=True)
class Clock:
    """A time of day in minutes, `half` if it may mean the morning or the evening ("at 8")."""

    minutes: int
    half: bool = False
    zone: int | None = None  # minutes ahead of UTC
    shown: str = ""

    @property
    def sort(self) -> str:
        return "clock"

    def clash(self, other: object) -> bool | None:
        if not isinstance(other, Clock):
            return None
        turn = 12 * 60 if self.half or other.half else 24 * 60
        one, two = self.minutes, other.minutes
        if self.zone is not None and other.zone is not None:
            one, two = one - self.zone, two - other.zone
        return one % turn != two % turn


@dataclass(frozen=True)
class Numbered:
    """Something with a number behind its name: Python 3.11, room 204, option B, version 2.4."""

    head: str
    parts: tuple[str, ...]
    shown: str

    @property
    def sort(self) -> str:
        return "numbered"

    def clash(self, other: object) -> bool | None:
        if not isinstance(other, Numbered) or self.head != other.head:
            return None
        size = min(len(self.parts), len(other.parts))  # 3 may be 3.11
        return self.parts[:size] != other.parts[:size]


Value = Quantity | Date | Clock | Numbered
