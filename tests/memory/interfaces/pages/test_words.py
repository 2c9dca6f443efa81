"""Times as a reviewer reads them: the sender's clock, and days rather than hours."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.interfaces.pages.words import ago, flag_in_words, local, said

NOW = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("past", "words"),
    [
        (timedelta(seconds=-30), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=2, hours=3), "2 days ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_age_is_told_in_its_largest_unit(past: timedelta, words: str) -> None:
    assert ago(NOW - past, NOW) == words


def test_a_message_is_dated_by_its_senders_clock() -> None:
    at = datetime.fromisoformat("2026-03-03T23:30:00-08:00")
    assert local(at, -480) == "Tue 3 Mar 2026, 23:30 (UTC−8)"
    assert local(at, 330) == "Wed 4 Mar 2026, 13:00 (UTC+5:30)"
    assert local(at, 0) == "Wed 4 Mar 2026, 07:30 (UTC)"


def test_repeats_are_counted_and_the_latest_is_named() -> None:
    assert said(4, NOW - timedelta(hours=10), NOW) == "said 4 times, latest yesterday"
    assert said(2, NOW, NOW) == "said twice, latest today"
    assert said(1, NOW - timedelta(days=40), NOW) == "said on 29 Jan 2026"
    assert said(1, None, NOW) == ""


def test_an_unknown_flag_is_still_told() -> None:
    assert flag_in_words("no-evidence").startswith("The quoted words are not")
    assert flag_in_words("odd-thing") == "Odd thing."
