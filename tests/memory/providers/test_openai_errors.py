"""Which failure is which, and how long to wait."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.providers.errors import (
    Misconfigured,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Refused,
    TooLong,
    Unavailable,
)
from memory.providers.openai_errors import failure, retry_after

DATE = "Wed, 04 Mar 2026 07:30:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "86400"}, 86_400),  # the caller caps
        ({"retry-after": "Wed, 04 Mar 2026 07:31:30 GMT", "date": DATE}, 90),
        ({"retry-after": "Wed, 04 Mar 2026 08:31:30 +0100", "date": DATE}, 90),
        ({"retry-after": "Wed, 04 Mar 2026 07:00:00 GMT", "date": DATE}, 0),
        ({"retry-after": "Wed, 04 Mar 2020 07:00:00 GMT"}, 0),  # against our own clock
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@given(st.text())
def test_any_header_is_seconds_or_nothing(value: str) -> None:
    seconds = retry_after({"retry-after": value})
    assert seconds is None or 0 <= seconds < float("inf")


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (
            429,
            {"message": "slow down", "code": "rate_limit_exceeded"},
            RateLimited,
        ),
        (429, {"message": "x", "code": "insufficient_quota"}, QuotaExceeded),
        (429, {"message": "x", "type": "insufficient_quota", "code": None}, QuotaExceeded),
        (429, {"message": "You exceeded your current quota, please check"}, QuotaExceeded),
        (402, {"message": "Insufficient Balance"}, QuotaExceeded),
        (401, {"message": "bad key", "code": "invalid_api_key"}, Misconfigured),
        (403, {"message": "country not supported"}, Misconfigured),
        (
            404,
            {"message": "`x` does not exist", "code": "model_not_found"},
            Misconfigured,
        ),
        (400, {"message": "no such model", "code": "model_not_found"}, Misconfigured),
        (400, {"message": "x", "code": "context_length_exceeded"}, TooLong),
        (400, {"message": "This model's maximum context length is 8192 tokens"}, TooLong),
        (413, {"message": "x"}, TooLong),
        (400, {"message": "x", "code": "content_filter"}, Refused),
        (400, {"message": "x", "code": "content_policy_violation"}, Refused),
        (500, {"message": "x"}, Unavailable),
        (502, "<html>", Unavailable),
        (503, {"message": "x"}, Unavailable),
        (529, {"message": "overloaded"}, Unavailable),
        (408, {}, Unavailable),
        (409, {}, Unavailable),
        (302, "", Misconfigured),
        (418, ["odd"], ProviderError),
        (400, {"message": "bad characters"}, ProviderError),
        (0, {"message": "Provider returned error"}, Unavailable),
    ],
)
@pytest.mark.parametrize("framed", [True, False])
def test_statuses_and_codes(
    status: int, error: object, expected: type[ProviderError], framed: bool
) -> None:
    assert type(failure(status, {"error": error} if framed else error, {})) is expected


def test_a_busy_server_that_says_when_is_waited_for() -> None:
    named = failure(503, {}, {"retry-after": "12"})
    assert isinstance(named, RateLimited)
    assert named.retry_after == 12


def test_no_key_in_a_message() -> None:
    body = {"error": {"message": "Incorrect API key provided: sk-abcdef1234567890abcd. (my-own)"}}
    said = str(failure(401, body, {}, secret="my-own"))
    assert "sk-abc" not in said
    assert "my-own" not in said
    assert "Incorrect API key" in said
    assert len(str(failure(500, {"error": {"message": "x" * 10_000}}, {}))) <= 300
