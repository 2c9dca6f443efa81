"""Signs of time in a question and in a text."""

from datetime import UTC, datetime

import pytest

from memory.recall.asked_time import AskedTime, tells_when


@pytest.mark.parametrize(
    ("question", "asks", "months", "years", "days"),
    [
        ("When did she move?", True, set(), set(), set()),
        ("What year did she move?", True, set(), set(), set()),
        ("How long has she lived there?", True, set(), set(), set()),
        ("Where was she in May 2023?", False, {5}, {2023}, set()),
        ("Who did she meet on May 3, 2023?", False, {5}, {2023}, {3}),
        ("Who came on 21st of Sept.?", False, {9}, set(), {21}),
        ("June or july?", False, {6, 7}, set(), set()),
        ("What are the 3 rules?", False, set(), set(), set()),  # a number alone is no day
        ("Maybe a march hare", False, {3}, set(), set()),  # a sign, no parser
        ("", False, set(), set(), set()),
    ],
)
def test_what_a_question_says_of_time(
    question: str, asks: bool, months: set[int], years: set[int], days: set[int]
) -> None:
    asked = AskedTime.of(question)
    assert asked.asks_when is asks
    assert (set(asked.months), set(asked.years), set(asked.days)) == (months, years, days)


def test_a_named_day_counts_for_more_than_its_month_and_another_year_for_nothing() -> None:
    asked = AskedTime.of("Who did she meet on May 3, 2023?")
    noon = datetime(2023, 5, 3, 12, tzinfo=UTC)
    assert asked.near(noon) > asked.near(noon.replace(day=4)) > 0
    assert asked.near(noon.replace(year=2022)) == asked.near(noon.replace(month=6)) == 0
    month = AskedTime.of("What happened in May?")
    assert month.near(noon) == month.near(noon.replace(year=2021, day=9)) > 0


@pytest.mark.parametrize("text", ["I went yesterday", "two weeks ago", "in 2019", "on Friday"])
def test_a_text_that_tells_of_a_time(text: str) -> None:
    assert tells_when(text)
    assert not tells_when("I like tea with milk")
