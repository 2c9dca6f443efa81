"""An instant as a program writes it, for every interface that takes one."""

from datetime import UTC, datetime
from typing import Any

from tenants.answers import Refused

LONGEST = 40  # characters
YEARS = range(1900, 2201)


def instant_in(given: Any, *, field: str, expected: str) -> datetime:
    """ISO 8601; a date is its first instant, and what has no zone is UTC. Refused by `field`."""
    if not isinstance(given, str) or len(given) > LONGEST:
        raise Refused(expected, field=field)
    try:
        found = datetime.fromisoformat(given.strip())
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
        year = found.astimezone(UTC).year
    except (ValueError, OverflowError):
        raise Refused(expected, field=field) from None
    if year not in YEARS:
        raise Refused("the year is out of range", field=field)
    return found
