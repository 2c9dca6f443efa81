"""Relative times become calendar dates of the day the words were said."""

from datetime import datetime

import pytest

from memory.providers.offline.dates import resolve

LATE = datetime.fromisoformat("2026-03-03T23:30:00-08:00")  # a Tuesday; in UTC already the 4th


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("broke it yesterday", "broke it on 2 March 2026"),
        ("yesterday evening", "on the evening of 2 March 2026"),
        ("the day before yesterday", "on 1 March 2026"),
        ("tomorrow", "on 4 March 2026"),
        ("tonight", "on the evening of 3 March 2026"),
        ("last Friday", "on Friday 27 February 2026"),
        ("last Tuesday", "on Tuesday 24 February 2026"),
        ("on this Saturday", "on Saturday 7 March 2026"),
        ("next Monday", "on Monday 9 March 2026"),
        ("last week", "in the week of 23 February 2026"),
        ("last weekend", "on the weekend of 28 February 2026"),
        ("next month", "in April 2026"),
        ("last month", "in February 2026"),
        ("last year", "in 2025"),
        ("since last year", "since 2025"),
        ("two weeks ago", "around 17 February 2026"),
        ("3 years ago", "around 2023"),
        ("will start in two days", "will start on 5 March 2026"),
        ("a few years ago", "a few years ago (said on 3 March 2026)"),
    ],
)
def test_read_in_the_senders_calendar(text: str, expected: str) -> None:
    assert resolve(text, LATE) == expected


def test_two_readings_name_both_days() -> None:
    assert resolve("next Friday", LATE) == "next Friday (6 March 2026 or 13 March 2026)"


@pytest.mark.parametrize("said_at", ["2026-01-05T09:00:00+13:00", "2024-01-31T00:10:00-11:00"])
def test_month_and_year_turn_over(said_at: str) -> None:
    at = datetime.fromisoformat(said_at)
    month = {2026: "in December 2025", 2024: "in December 2023"}[at.year]
    assert resolve("last month", at) == month


@pytest.mark.parametrize(
    "text", ["I built it in two weeks", "the yesterdays", "a lasting memory", "tomorrow's world"]
)
def test_what_is_no_date_stays(text: str) -> None:
    assert resolve(text, LATE) == text


@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_the_calendar_do_not_raise(year: int) -> None:
    at = datetime(year, 1 if year == 1 else 12, 1 if year == 1 else 31, tzinfo=LATE.tzinfo)
    assert resolve("yesterday, tomorrow, 900 years ago, next year, next month", at)
