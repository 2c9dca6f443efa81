"""Typed values: what is read from a sentence, and which of them exclude each other."""

import pytest

from memory.providers.offline.notes.binding import scan
from memory.providers.offline.notes.values import Clock, Date, Numbered, Quantity, Value


def only(text: str) -> Value:
    values = [token.value for token in scan(text) if token.value is not None]
    assert len(values) == 1, values
    return values[0]


def quantity(text: str) -> tuple[float, float, str]:
    value = only(text)
    assert isinstance(value, Quantity)
    return value.low, value.high, value.unit


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("it costs $40k", 40_000, "$"),
        ("it costs 40,000 dollars", 40_000, "$"),
        ("it costs €1.5M", 1_500_000, "€"),
        ("it costs 1.2 million euros", 1_200_000, "€"),
        ("it is at 82%", 82, "%"),
        ("it is at 82 percent", 82, "%"),
        ("it takes 5 minutes", 300, "time"),
        ("it takes 2 weeks", 14 * 86_400, "time"),
        ("it weighs 3.5 kg", 3_500, "mass"),
        ("it has 2 TB", 2e12, "memory"),
        ("it is at -20 °C", -20, "°c"),
        ("it has six engineers", 6, "engin"),
        ("it has 14 open tickets", 14, "open ticket"),
        ("it allows 100 requests per minute", 100, "request /minut"),
        ("it has 1.2M rows", 1_200_000, "row"),
        ("it costs $10 per month", 10, "$ /month"),
    ],
)
def test_an_amount_has_its_unit_or_what_it_counts(text: str, number: float, unit: str) -> None:
    assert quantity(text) == (number, number, unit)


def test_bounds_are_ranges() -> None:
    assert quantity("it is at most 50 kg")[:2] == (float("-inf"), 50_000)
    assert quantity("it is at least 3 days")[:2] == (3 * 86_400, float("inf"))
    assert quantity("it is about 100 m")[:2] == (80, 120)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("it is 2026-04-01", Date(2026, 2, 4, 1)),
        ("it is on 3 March 2026", Date(2026, 1, 3, 3)),
        ("it is on March 3rd, 2026", Date(2026, 1, 3, 3)),
        ("it is in March 2026", Date(2026, 1, 3)),
        ("it is in Q3", Date(quarter=3)),
        ("it is on Friday", Date(weekday=4)),
        ("it is on the 5th", Date(day=5)),
        ("it was in 2019", Date(2019)),
        ("it is at 15:30", Clock(930)),
        ("it is at 3:30 pm", Clock(930)),
        ("it is at noon", Clock(720)),
        ("it opens at 8", Clock(480, half=True)),
        ("it is at 10:00 CEST", Clock(600, zone=120)),
        ("it uses Python 3.11", Numbered("python", ("3", "11"), "")),
        ("it is in room 204", Numbered("room", ("204",), "")),
        ("it is v2.4.0", Numbered("version", ("2", "4", "0"), "")),
        ("it leaves from gate B12", Numbered("gate", ("b12",), "")),
    ],
)
def test_dates_hours_and_numbered_things(text: str, value: Value) -> None:
    found = only(text)
    assert type(found) is type(value)
    assert {**vars(found), "shown": ""} == {**vars(value), "shown": ""}


@pytest.mark.parametrize("text", ["it may march on", "the sun sat there", "no one", "the one"])
def test_words_that_could_be_values_are_words(text: str) -> None:
    assert [token.value for token in scan(text) if token.value is not None] == []


AGREE = [
    ("it takes 60 seconds", "it takes 1 minute"),
    ("it has 2 TB", "it has 2000 GB"),
    ("it takes 1 month", "it takes 30 days"),
    ("it is on Friday", "it is on Fri"),
    ("it is in March", "it is on 14 March"),
    ("it is in Q2", "it is in May"),
    ("it is at 3 pm", "it is at 15:00"),
    ("it is at 10:00 UTC", "it is at 12:00 CEST"),
    ("it opens at 8", "it opens at 8 pm"),
    ("it uses Python 3", "it uses Python 3.11"),
    ("it is about 2 kg", "it is 2.1 kg"),
    ("it is at most 50 kg", "it is 42 kg"),
]
EXCLUDE = [
    ("it takes 30 seconds", "it takes 5 minutes"),
    ("it has 5432 rows", "it has 5433 rows"),
    ("it is on Friday", "it is on Monday"),
    ("it is on 3 March", "it is on 17 March 2026"),
    ("it is in Q2", "it is in July"),
    ("it is at 3 pm", "it is at 3 am"),
    ("it opens at 8", "it opens at 9 pm"),
    ("it is at 10:00 UTC", "it is at 10:00 CEST"),
    ("it uses Python 3.11", "it uses Python 3.12"),
    ("it is about 2 kg", "it is 3 kg"),
    ("it is at most 50 kg", "it is 62 kg"),
]
APART = [
    ("it takes 30 seconds", "it weighs 30 kg"),
    ("it has 12 nodes", "it has 48 cores"),
    ("it costs $10 per month", "it costs $100 per year"),
    ("it is on Friday", "it is on 3 March"),
    ("it uses Python 3.11", "it uses Postgres 16"),
    ("it is on Friday", "it is at 9:00"),
    ("it is at most 50 kg", "it is at most 60 kg"),
]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        *((a, b, False) for a, b in AGREE),
        *((a, b, True) for a, b in EXCLUDE),
        *((a, b, None) for a, b in APART),
    ],
)
def test_values_agree_exclude_each_other_or_say_nothing(
    a: str, b: str, expected: bool | None
) -> None:
    assert [only(a).clash(only(b)), only(b).clash(only(a))] == [expected, expected]
