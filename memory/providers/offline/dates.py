"""Put the calendar in place of "yesterday": relative times, read on the day the words were said.

The only clock is the turn's own `at`, in the sender's calendar. What has two readings in English
("next Friday" on a Tuesday) keeps its words and names both days; what is vague ("a few years
ago") keeps its words and says when they were said.
"""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_SHORT = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3,
    "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
_MONTHS = (
    "January February March April May June July August September October November December"
).split()
_NUMBER = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "couple": 2, "a couple": 2}
_SEASONS = {"spring", "summer", "autumn", "fall", "winter"}

_WEEKDAY = (
    r"(?P<day>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?"
    r"|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
_COUNT = (
    r"(?P<count>\d{1,3}|a couple of|couple of|a couple|couple|an?|one|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve)"
)


def _day(value: date, weekday: bool = False) -> str:
    name = f"{_DAYS[value.weekday()].capitalize()} " if weekday else ""
    return f"{name}{value.day} {_MONTHS[value.month - 1]} {value.year}"


def _shift_month(value: date, months: int) -> tuple[int, int]:
    index = value.year * 12 + value.month - 1 + months
    return index // 12, index % 12


def _weekday(name: str) -> int:
    low = name.casefold()
    return _DAYS.index(low) if low in _DAYS else _SHORT[low]


def _month(value: date, months: int) -> str:
    year, month = _shift_month(value, months)
    return f"in {_MONTHS[month]} {year}"


def _week_of(value: date) -> str:
    return f"in the week of {_day(value - timedelta(days=value.weekday()))}"


def _weekend(value: date, weeks: int) -> str:
    saturday = value - timedelta(days=value.weekday()) + timedelta(days=5, weeks=weeks)
    return f"on the weekend of {_day(saturday)}"


def _last_day(match: re.Match[str], said: date) -> str:
    back = (said.weekday() - _weekday(match["day"]) - 1) % 7 + 1
    return f"on {_day(said - timedelta(days=back), True)}"


def _this_day(match: re.Match[str], said: date) -> str:
    ahead = (_weekday(match["day"]) - said.weekday()) % 7
    return f"on {_day(said + timedelta(days=ahead), True)}"


def _next_day(match: re.Match[str], said: date) -> str:
    wanted = _weekday(match["day"])
    ahead = (wanted - said.weekday() - 1) % 7 + 1
    first = said + timedelta(days=ahead)
    if wanted <= said.weekday():
        return f"on {_day(first, True)}"
    second = first + timedelta(days=7)
    return f"next {_DAYS[wanted].capitalize()} ({_day(first)} or {_day(second)})"


def _counted(match: re.Match[str], said: date, sign: int) -> str:
    word = match["count"].casefold()
    count = int(word) if word.isdigit() else _NUMBER[word]
    unit = match["unit"].casefold().rstrip("s")
    try:
        if unit == "day":
            return f"on {_day(said + timedelta(days=sign * count))}"
        if unit == "week":
            return f"around {_day(said + timedelta(weeks=sign * count))}"
        if unit == "month":
            year, month = _shift_month(said, sign * count)
            return f"around {_MONTHS[month]} {year}"
        return (
            f"around {said.year + sign * count}"
            if 0 < said.year + sign * count < 9999
            else match[0]
        )
    except (OverflowError, ValueError):
        return match[0]


def _season(match: re.Match[str], said: date) -> str:
    return f"{match[0]} (said on {_day(said)})"


def _anchored(match: re.Match[str], said: date) -> str:
    return f"{match[0]} (said on {_day(said)})"


def _following(match: re.Match[str], said: date) -> str:
    """The first such weekday after that day."""
    ahead = (_weekday(match["day"]) - said.weekday() - 1) % 7 + 1
    return _day(said + timedelta(days=ahead), True)


def _so_far(match: re.Match[str], said: date) -> str:
    """ "Not yet" holds of that day only."""
    denied = re.search(r"n't\b|\bnot\b|\bnever\b", match.string)
    return f"yet (said on {_day(said)})" if denied else "yet"


# "in two weeks" is a date only of something to come: "I built it in two weeks" is not
_AHEAD = re.compile(
    r"\b(?:will|gonna|going to|plan\w*|due|starts?|leav\w+|moving|from now|time|hope|want)\b"
    r"|'ll\b|\b(?:i'm|we're|is|are|has|have) ",
    re.IGNORECASE,
)

_Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], str]]


def _rule(pattern: str, make: Callable[[re.Match[str], date], str]) -> _Rule:
    return re.compile(rf"\b(?:{pattern})\b(?!')", re.IGNORECASE), make


_RULES: list[_Rule] = [
    _rule(r"(?:on )?the day before yesterday", lambda m, d: f"on {_day(d - timedelta(days=2))}"),
    _rule(r"(?:on )?the day after tomorrow", lambda m, d: f"on {_day(d + timedelta(days=2))}"),
    _rule(
        r"yesterday (?P<part>morning|afternoon|evening|night)",
        lambda m, d: f"on the {m['part'].lower()} of {_day(d - timedelta(days=1))}",
    ),
    _rule(
        r"tomorrow (?P<part>morning|afternoon|evening|night)",
        lambda m, d: f"on the {m['part'].lower()} of {_day(d + timedelta(days=1))}",
    ),
    _rule(r"yesterday", lambda m, d: f"on {_day(d - timedelta(days=1))}"),
    _rule(r"tomorrow", lambda m, d: f"on {_day(d + timedelta(days=1))}"),
    _rule(r"last night", lambda m, d: f"on the night of {_day(d - timedelta(days=1))}"),
    _rule(
        r"this (?P<part>morning|afternoon|evening)",
        lambda m, d: f"on the {m['part'].lower()} of {_day(d)}",
    ),
    _rule(r"tonight", lambda m, d: f"on the evening of {_day(d)}"),
    _rule(r"(?:earlier )?today", lambda m, d: f"on {_day(d)}"),
    _rule(r"(?:on )?(?:this )?(?:past|last) weekend|over the weekend",
          lambda m, d: _weekend(d, -1)),
    _rule(r"(?:on )?this (?:coming )?weekend", lambda m, d: _weekend(d, 0)),
    _rule(r"(?:on )?next weekend", lambda m, d: _weekend(d, 1)),
    _rule(rf"(?:on )?(?:this )?(?:past|last) {_WEEKDAY}", _last_day),
    _rule(rf"(?:on )?this (?:coming )?{_WEEKDAY}", _this_day),
    _rule(rf"(?:on )?next {_WEEKDAY}", _next_day),
    _rule(
        r"(?P<lead>(?:moved|postponed|rescheduled|brought forward|shifted|changed|pushed back|due"
        rf"|put off)(?: back)?(?: to| by| on| until| till)?) {_WEEKDAY}",
        lambda m, d: f"{m['lead']} {_following(m, d)}",
    ),
    _rule(r"yet(?=[.!]?$)", _so_far),
    _rule(r"right now|at the moment|for the time being", _anchored),
    _rule(r"(?:in |during )?the week before last", lambda m, d: _week_of(d - timedelta(weeks=2))),
    _rule(r"(?:in |during )?(?:last|this past) week",
          lambda m, d: _week_of(d - timedelta(weeks=1))),
    _rule(r"(?:in |during )?this week", lambda m, d: _week_of(d)),
    _rule(r"(?:in |during )?next week", lambda m, d: _week_of(d + timedelta(weeks=1))),
    _rule(r"(?:in |during )?(?:last|this past) month", lambda m, d: _month(d, -1)),
    _rule(r"(?:in |during )?this month", lambda m, d: _month(d, 0)),
    _rule(r"(?:in |during )?next month", lambda m, d: _month(d, 1)),
    _rule(r"(?:in |during )?(?:last|this past) year", lambda m, d: f"in {d.year - 1}"),
    _rule(r"(?:in |during )?this year", lambda m, d: f"in {d.year}"),
    _rule(r"(?:in |during )?next year", lambda m, d: f"in {d.year + 1}"),
    _rule(rf"(?:about |around )?{_COUNT} (?P<unit>days?|weeks?|months?|years?) ago",
          lambda m, d: _counted(m, d, -1)),
    _rule(rf"in (?:about )?{_COUNT} (?P<unit>days?|weeks?|months?|years?)(?: from now| time)?",
          lambda m, d: _counted(m, d, 1) if _AHEAD.search(m.string) else m[0]),
    _rule(r"(?:last|next|this) (?:spring|summer|autumn|fall|winter)", _season),
    _rule(r"(?:a few|several|some|many) (?:days|weeks|months|years) ago|the other day", _anchored),
]  # fmt: skip
_ANY = re.compile(
    r"\b(?:yesterday|tomorrow|tonight|today|last|next|this|past|ago|in|day|weekend|week|to|yet|due"
    r"|right|moment|time|moved|postponed|by|until)\b",
    re.IGNORECASE,
)
_DOUBLED = re.compile(
    r"\b(since|by|until|till|from|for|before|after|of|on|in|around|about) (?:on|in|around) ",
    re.IGNORECASE,
)


def resolve(text: str, at: datetime) -> str:
    """`text` with its relative times as calendar dates of the day `at` (its own offset)."""
    if not _ANY.search(text):
        return text
    said = at.date()
    taken: list[tuple[int, int, str]] = []
    for pattern, make in _RULES:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end, _ in taken):
                continue
            try:
                taken.append((match.start(), match.end(), make(match, said)))
            except (OverflowError, ValueError):  # before year 1 or after 9999
                continue
    out, cursor = [], 0
    for start, end, new in sorted(taken):
        out += [text[cursor:start], new]
        cursor = end
    resolved = "".join([*out, text[cursor:]])
    return _DOUBLED.sub(lambda m: f"{m[1]} ", resolved) if taken else resolved
