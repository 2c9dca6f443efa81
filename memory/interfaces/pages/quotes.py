"""A quote found in its message, and the message cut to what surrounds it. Pure."""

import re
from dataclasses import dataclass

AROUND = 320  # characters kept on each side of the quote
NEIGHBOUR = 280  # characters of a message that only gives the context


@dataclass(frozen=True)
class Marked:
    """`before + quote + after` is the message, or the part of it around the quote."""

    before: str
    quote: str
    after: str
    found: bool


def mark(content: str | None, quote: str) -> Marked:
    """The quote where it stands. Without a message, or not found in it, the quote alone."""
    place = _find(content, quote) if content and quote else None
    if content is None or place is None:
        return Marked("", quote, "", found=False)
    start, end = place
    before, after = content[:start], content[end:]
    if len(before) > AROUND:
        before = "…" + before[-AROUND:]
    if len(after) > AROUND:
        after = after[:AROUND] + "…"
    return Marked(before, content[start:end], after, found=True)


def shortened(content: str, limit: int = NEIGHBOUR) -> str:
    return content if len(content) <= limit else content[:limit].rstrip() + "…"


def _find(content: str, quote: str) -> tuple[int, int] | None:
    """Exactly, else with white space and letter case taken loosely, as evidence is checked."""
    at = content.find(quote)
    if at >= 0:
        return at, at + len(quote)
    parts = [re.escape(part) for part in quote.split()]
    if not parts:
        return None
    found = re.search(r"\s+".join(parts), content, re.IGNORECASE)
    return None if found is None else found.span()
