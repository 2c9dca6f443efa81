"""Five fields of a crontab, and the next minute that fits them. Pure; times are UTC.

`*`, numbers, lists, ranges and steps. A day has to fit both day fields. Sunday is 0 and 7.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_PART = re.compile(r"(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:/(\d{1,2}))?")
YEARS = 8  # a 29 February is at most that far


class BadCrontab(ValueError):
    """The message says which field and what is expected."""


@dataclass(frozen=True)
class Crontab:
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # Monday is 0, as Python has it

    @classmethod
    def parse(cls, text: str) -> "Crontab":
        parts = text.split()
        if len(parts) != len(_FIELDS):
            raise BadCrontab(f"expected 5 fields, got {len(parts)}: minute hour day month weekday")
        fields = [_values(part, *field) for part, field in zip(parts, _FIELDS, strict=True)]
        weekdays = frozenset((number - 1) % 7 for number in fields[4])
        made = cls(fields[0], fields[1], fields[2], fields[3], weekdays)
        if made.after(datetime(2000, 1, 1, tzinfo=UTC)) is None:
            raise BadCrontab("no day fits: look at the day and the month")
        return made

    def after(self, moment: datetime) -> datetime | None:
        """The first minute later than `moment` that fits; None when there is none for years."""
        start = moment.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        day = start.replace(hour=0, minute=0)
        for _ in range(366 * YEARS):
            if self._fits(day):
                for hour in sorted(self.hours):
                    for minute in sorted(self.minutes):
                        found = day.replace(hour=hour, minute=minute)
                        if found >= start:
                            return found
            day += timedelta(days=1)
        return None

    def _fits(self, day: datetime) -> bool:
        return day.month in self.months and day.day in self.days and day.weekday() in self.weekdays


def _values(text: str, name: str, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise BadCrontab(f"{name}: expected *, numbers, ranges or steps")
        first = low if match[1] is None else int(match[1])
        last = high if match[1] is None else int(match[2] or match[1])
        if match[1] is not None and match[2] is None and match[3]:
            last = high  # 5/10 is from 5 on
        step = int(match[3] or 1)
        if not low <= first <= last <= high or step < 1:
            raise BadCrontab(f"{name}: expected numbers from {low} to {high}")
        found.update(range(first, last + 1, step))
    return frozenset(found)
