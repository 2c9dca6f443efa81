"""Times, counts and flags as a reviewer reads them. Pure: the present is a parameter."""

from datetime import datetime, timedelta, timezone

_UNITS = (
    (86_400 * 365, "year"),
    (86_400 * 30, "month"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)

FLAGS = {
    "no-evidence": "The quoted words are not in the conversation: it may be made up.",
    "instruction-like": "Reads like an order to the agent, not like a fact about a person.",
    "secret-masked": "A password or key stood in it and was masked.",
    "from-recalled-text": "Repeats what the agent itself had been told from memory.",
    "near-rejected": "Close to something that was rejected before.",
    "contradicts": "Contradicts something that is already stored.",
}


def flag_in_words(flag: str) -> str:
    return FLAGS.get(flag, flag.replace("-", " ").capitalize() + ".")


def span(seconds: float) -> str:
    """The largest whole unit: "3 hours", "1 day", "less than a minute"."""
    for size, unit in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a minute"


def ago(at: datetime, now: datetime) -> str:
    """How long it is past; a future instant (a sender's clock that runs ahead) is just now."""
    seconds = (now - at).total_seconds()
    return "just now" if seconds < 60 else f"{span(seconds)} ago"


def day(at: datetime, now: datetime) -> str:
    """ "today", "yesterday", "3 days ago", else the date; days are those of `now`'s zone."""
    days = (now.date() - at.astimezone(now.tzinfo).date()).days
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days < 14 else f"on {at.day} {at:%b %Y}"


def said(count: int, latest: datetime | None, now: datetime) -> str:
    """ "said 4 times, latest yesterday"; a single saying without a date is nothing to mention."""
    if count <= 1:
        return f"said {day(latest, now)}" if latest is not None else ""
    times = "twice" if count == 2 else f"{count} times"
    return f"said {times}, latest {day(latest, now)}" if latest is not None else f"said {times}"


def local(at: datetime, offset: int) -> str:
    """The sender's own clock: "Tue 3 Mar 2026, 15:30 (UTC−8)"; `offset` in minutes east."""
    there = at.astimezone(timezone(timedelta(minutes=offset)))
    return f"{there:%a} {there.day} {there:%b %Y, %H:%M} ({_zone(offset)})"


def _zone(offset: int) -> str:
    if offset == 0:
        return "UTC"
    hours, minutes = divmod(abs(offset), 60)
    sign = "+" if offset > 0 else "\N{MINUS SIGN}"
    return f"UTC{sign}{hours}" + (f":{minutes:02d}" if minutes else "")
