"""How a provider can fail, by name. Stages decide by class; none of these is "nothing found"."""


class ProviderError(Exception):
    """Base of all. `name` is what rows, runs and logs keep; the message never holds a secret."""

    name = "failed"
    counts = True  # does it count as an attempt of the row that was being worked on?
    parks = False  # does it park the row at once?


class Unavailable(ProviderError):
    """Network fault, timeout, 5xx: waited out, not counted against the row."""

    name = "unavailable"
    counts = False


class RateLimited(ProviderError):
    """429 with room left later. `retry_after` in seconds, capped by the caller."""

    name = "rate limited"
    counts = False

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class QuotaExceeded(ProviderError):
    """The wallet is empty: stops the stage for this tenant until somebody looks."""

    name = "quota exceeded"
    counts = False


class Misconfigured(ProviderError):
    """Missing or refused key, unknown model: an operator has to act."""

    name = "misconfigured"
    counts = False


class TooLong(ProviderError):
    """The text is over the model's limit; the caller may split it."""

    name = "too long"


class Empty(ProviderError):
    """The reply had no content."""

    name = "empty reply"


class Truncated(ProviderError):
    """The reply was cut at the model's output limit."""

    name = "truncated reply"


class Unparseable(ProviderError):
    """The reply was text, but not what was asked for."""

    name = "unparseable reply"


class Refused(ProviderError):
    """The model declined. Asking again would be a retry storm."""

    name = "refused"
    parks = True
