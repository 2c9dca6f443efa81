"""Every way an OpenAI-compatible server or the way to it can fail, as one of our named failures.

The class decides what a stage does (see `errors`), so the difference between "wait", "nobody can
help but an operator", "this row cannot be done" and "ask again" is made here and nowhere else.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from memory.providers.cleaning import clean
from memory.providers.errors import (
    Misconfigured,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Refused,
    TooLong,
    Unavailable,
)

_MESSAGE_LIMIT = 300
# By name: which of these the SDK stands on differs between its versions.
_HTTP = ("httpx", "httpx2", "httpcore", "httpcore2")
_EMPTY_WALLET = (
    "insufficient_quota",
    "insufficient_balance",
    "insufficient balance",
    "insufficient credits",
    "billing_hard_limit",
    "billing_not_active",
    "exceeded your current quota",
    "payment required",
)
_TOO_LONG = (
    "context_length_exceeded",
    "maximum context length",
    "context length",
    "context window",
    "context size",
    "string_above_max_length",
    "max_tokens_per_request",
    "maximum input length",
    "too many tokens",
    "prompt is too long",
    "input is too long",
    "reduce the length",
)
_AGAINST_POLICY = ("content_filter", "content_policy", "content management policy", "safety")
_NOT_SET_UP = (
    "model_not_found",
    "invalid_api_key",
    "invalid api key",
    "invalid_organization",
    "does not exist",
    "unknown model",
    "model not found",
    "not a valid model",
    "unsupported_parameter",
    "unsupported_value",
)


def failure(
    status: int, body: object, headers: Mapping[str, str], *, secret: str = ""
) -> ProviderError:
    """The named failure of an answer with an error status, or of an error inside a 200."""
    said = shown(_said(body) or f"HTTP status {status}", secret=secret)
    codes = _codes(body)

    def tells(signs: tuple[str, ...]) -> bool:
        return any(sign in codes for sign in signs)

    if status == 402 or (status in (0, 403, 429) and tells(_EMPTY_WALLET)):
        return QuotaExceeded(said)
    if status == 429 or (status == 0 and "rate_limit" in codes):
        return RateLimited(said, retry_after(headers))
    if status == 413 or (status in (0, 400, 422) and tells(_TOO_LONG)):
        return TooLong(said)
    if status in (0, 400, 403) and tells(_AGAINST_POLICY):
        return Refused(said)
    if status in (401, 403, 404, 405) or 300 <= status < 400:
        return Misconfigured(said)
    if status in (0, 400, 422) and tells(_NOT_SET_UP):
        return Misconfigured(said)
    if status in (408, 409, 425) or status >= 500 or status == 0:
        wait = retry_after(headers)
        return Unavailable(said) if wait is None else RateLimited(said, wait)
    # The request itself is bad, perhaps by this row's text: counted, so that it ends parked.
    return ProviderError(said)


def translated(error: Exception, *, secret: str = "") -> Exception:
    """`error` as a ProviderError, or itself where it is not the server's or the network's."""
    import openai

    if isinstance(error, ProviderError):
        return error
    if isinstance(error, openai.APITimeoutError):
        return Unavailable("no answer in time")
    if isinstance(error, openai.APIStatusError):
        return failure(error.status_code, error.body, error.response.headers, secret=secret)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        return Unavailable(shown(f"no connection: {cause}", secret=secret))
    if isinstance(error, openai.OpenAIError):
        return Misconfigured(shown(str(error), secret=secret))
    if type(error).__module__.partition(".")[0] in _HTTP:
        if "Timeout" in type(error).__name__:
            return Unavailable("no answer in time")
        return Unavailable(shown(f"the answer broke off: {error}", secret=secret))
    if isinstance(error, UnicodeError):  # a key or address that no header can hold
        return Misconfigured("the key or the address holds characters that cannot be sent")
    return error


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by `retry-after-ms` or `Retry-After` (seconds or a date), None if unsaid.

    A date is counted from the server's own `Date` where it sends one: clocks differ.
    """
    for name, unit in (("retry-after-ms", 1_000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    until = _instant(headers.get("retry-after"))
    if until is None:
        return None
    since = _instant(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (until - since).total_seconds())


def shown(text: str, *, secret: str = "") -> str:
    """A server's words as they may be logged: no key in them, not endless."""
    if secret:
        text = text.replace(secret, "[key]")
    return clean(text).text[:_MESSAGE_LIMIT]


def _instant(value: str | None) -> datetime | None:
    try:
        instant = parsedate_to_datetime(value or "")
    except ValueError:
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _said(body: object) -> str:
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            said = str(inner.get("message") or inner.get("detail") or inner)
            return f"{inner['param']}: {said}" if inner.get("param") else said
        return str(inner)
    return str(body or "")


def _codes(body: object) -> str:
    """Code, type and message, in lower case: servers put the reason in any of them."""
    inner: Any = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(inner, Mapping):
        return " ".join(str(inner.get(name) or "") for name in ("code", "type", "message")).lower()
    return str(inner or "").lower()
