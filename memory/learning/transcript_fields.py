"""Ids and times as transcript files have them, or as they follow from what was said."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

ID_LENGTH = 200
MILLISECONDS = 1e11  # seconds of a time after the year 5138: so they are not seconds
FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class MessageIds:
    """The ids of one conversation's messages: the file's own, or by what was said how often."""

    def __init__(self) -> None:
        self.often: Counter[str] = Counter()
        self.said: dict[str, str] = {}

    def of(self, own: str, role: str, content: str) -> str:
        """An id that two files, or two messages that share one by mistake, agree on."""
        if not own:
            return digest_once_more([(role, content)], self.often)
        digest = digest_of(f"{role}\0{content}")[:24]
        if self.said.setdefault(own, digest) == digest:
            return own
        return f"{own[: ID_LENGTH - 25]}-{digest}"


def digest_once_more(said: Sequence[tuple[str, str]], often: Counter[str]) -> str:
    """A digest of the words, with a number from the second time on."""
    digest = digest_of("\0".join(part for each in said for part in each))[:24]
    often[digest] += 1
    return digest if often[digest] == 1 else f"{digest}-{often[digest]}"


def name_of(value: Any) -> str:
    """An id as text that fits; "" for what is none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = str(value).strip()
    if len(text) > ID_LENGTH or "\0" in text or not text.isprintable():
        return digest_of(text)
    return text


def first(value: dict[str, Any], names: Sequence[str]) -> str:
    return next(filter(None, (name_of(value.get(name)) for name in names)), "")


def first_of(value: dict[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def field(value: Any, name: str) -> str | None:
    """A field of an object or of its metadata, as an id."""
    for holder in (value, value.get("metadata")) if isinstance(value, dict) else ():
        found = name_of(holder.get(name)) if isinstance(holder, dict) else ""
        if found:
            return found
    return None


def time(value: Any) -> datetime | None:
    """Seconds or milliseconds since 1970, or ISO 8601 with a zone; None for anything else."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) > MILLISECONDS else value
            moment = datetime.fromtimestamp(seconds, UTC)
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
        else:
            return None
        # Without a zone it might be any of 26 hours: worse than none.
        inside = moment.utcoffset() is not None and FIRST <= moment < LAST
    except (ValueError, OverflowError, OSError):
        return None
    return moment if inside else None
