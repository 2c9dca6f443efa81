"""The fields of a `/v1` body, each checked by name: Refused says which, and what is expected."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory.interfaces.moments import instant_in
from tenants.answers import Refused

NAME_LIMIT = 200
Body = dict[str, Any]


def name(body: Body, field: str, *, required: bool = True) -> str | None:
    """An agent, a workflow, a key: 1 to 200 characters, kept as it is."""
    value = body.get(field)
    if value is None and not required:
        return None
    if not isinstance(value, str):
        raise Refused("expected a string", field=field)
    if not value.strip():
        raise Refused("expected a string that is not empty", field=field)
    if len(value) > NAME_LIMIT:
        raise Refused(f"{len(value)} characters, at most {NAME_LIMIT} are taken", field=field)
    sound(value, field)
    return value


def named(body: Body, field: str) -> str:
    """`name` of a field that has to be there."""
    value = name(body, field)
    assert value is not None
    return value


def text(body: Body, field: str, *, limit: int, status: int = 413) -> str:
    """A text of 1 to `limit` bytes of UTF-8; over the limit answers `status`."""
    value = body.get(field)
    if not isinstance(value, str):
        raise Refused("expected a string", field=field)
    if not value.strip():
        raise Refused("expected a text that is not empty", field=field)
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise Refused("is not valid Unicode", field=field) from None
    if size > limit:
        raise Refused(f"{size} bytes, at most {limit} are taken", field=field, status=status)
    return value


def choice(body: Body, field: str, values: Sequence[str]) -> str | None:
    """One of `values`; null or absent is None."""
    value = body.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or value not in values:
        raise Refused(f"expected one of {', '.join(values)}", field=field)
    return value


def chosen(body: Body, field: str, values: Sequence[str]) -> str:
    """`choice` of a field that has to be there."""
    value = choice(body, field, values)
    if value is None:
        raise Refused(f"expected one of {', '.join(values)}", field=field)
    return value


def whole(body: Body, field: str, *, least: int, most: int, default: int | None = None) -> int:
    """A whole number in `least…most`; absent is the default. `"5"` and true are not numbers."""
    value = body.get(field)
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Refused(f"expected a whole number from {least} to {most}", field=field)
    return value


def switch(body: Body, field: str, *, default: bool = False) -> bool:
    value = body.get(field)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise Refused("expected true or false", field=field)
    return value


def moment(body: Body, field: str) -> datetime | None:
    """ISO 8601 with date and time, or a date: its first instant. Without a zone it is UTC."""
    value = body.get(field)
    if value is None:
        return None
    expected = "expected an ISO 8601 time such as 2026-08-13T10:00:00Z"
    return instant_in(value, field=field, expected=expected)


def sound(value: str, field: str, *, problem: str = "is not valid Unicode") -> None:
    """Refused if Postgres cannot keep it."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Refused(problem, field=field) from None
    if "\0" in value:
        raise Refused("has a NUL character in it", field=field)
