"""A crontab's five fields and the next minute that fits them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.schedule import BadCrontab, Crontab


def after(text: str, moment: str) -> str:
    found = Crontab.parse(text).after(datetime.fromisoformat(moment).replace(tzinfo=UTC))
    return "" if found is None else found.strftime("%Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("text", "moment", "wanted"),
    [
        ("* * * * *", "2026-03-03 12:00:59", "2026-03-03 12:01"),
        ("0 7 * * *", "2026-03-03 07:00:00", "2026-03-04 07:00"),
        ("0 7 * * 1-5", "2026-03-06 07:00:00", "2026-03-09 07:00"),
        ("30 2 * * 0", "2026-03-03 00:00:00", "2026-03-08 02:30"),
        ("30 2 * * 7", "2026-03-03 00:00:00", "2026-03-08 02:30"),
        ("*/20 9-10 * * *", "2026-03-03 09:41:00", "2026-03-03 10:00"),
        ("5/30 * * * *", "2026-03-03 09:06:00", "2026-03-03 09:35"),
        ("0 0 1,15 * *", "2026-03-03 00:00:00", "2026-03-15 00:00"),
        ("0 0 29 2 *", "2026-03-03 00:00:00", "2028-02-29 00:00"),
        ("59 23 31 12 *", "2026-12-31 23:59:00", "2027-12-31 23:59"),
    ],
)
def test_the_next_minute(text: str, moment: str, wanted: str) -> None:
    assert after(text, moment) == wanted


@pytest.mark.parametrize(
    "text",
    ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
     "5-1 * * * *", "*/0 * * * *", "a * * * *", "0 0 30 2 *", "1,,2 * * * *", "@daily"],
)  # fmt: skip
def test_what_is_no_crontab_says_so(text: str) -> None:
    with pytest.raises(BadCrontab):
        Crontab.parse(text)


@given(
    st.integers(0, 59), st.integers(0, 23), st.datetimes(datetime(2000, 1, 1), datetime(2090, 1, 1))
)
def test_it_is_later_than_the_moment_and_within_a_day(
    minute: int, hour: int, moment: datetime
) -> None:
    moment = moment.replace(tzinfo=UTC)
    found = Crontab.parse(f"{minute} {hour} * * *").after(moment)
    assert found is not None
    assert (found.hour, found.minute, found.second) == (hour, minute, 0)
    assert 0 < (found - moment).total_seconds() <= 86_400
