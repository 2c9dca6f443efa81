"""The profile of a person as a section of the block (contract 3): chosen by nobody, all of it.

    ## What you remember about this user
    - [preference] Prefers short answers.
    - Lives in Porto.

Pinned first, then newest; the category stands before a text when it is not `general`; a text with
nothing to show is left out. How much fits is for `sections`: cut at whole entries, with a note of
how many were left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Window

from memory.models import Memory, Reader
from memory.recall.formats import line_of
from memory.recall.sections import Item

GENERAL = "general"
MOST = 500  # rows that are read; more than a block of any size shows


@dataclass(frozen=True)
class Entry:
    """One memory of a profile."""

    id: int
    content: str
    category: str
    pinned: bool
    created_at: datetime
    version: int = 1


@dataclass(frozen=True)
class Profile:
    """`more` counts what was not even read."""

    entries: tuple[Entry, ...] = ()
    more: int = 0


def items(entries: Iterable[Entry]) -> list[Item]:
    """The lines of the section, in their order. Pure."""
    ranked = sorted(entries, key=lambda one: (one.pinned, one.created_at, one.id), reverse=True)
    return [
        Item(one.id, one.content, "" if _is_general(one.category) else one.category)
        for one in ranked
        if line_of(one.content)
    ]


def read(reader: Reader, at: datetime | None) -> Profile:
    """What every agent knows of the reader's person; one statement, inside `within`."""
    if reader.visitor_id is None:
        return Profile()
    rows = (
        Memory.objects.visible_to(reader, at)
        .filter(kind=Memory.Kind.PERSON, agent=None, visitor_id=reader.visitor_id)
        .order_by("-pinned", "-created_at", "-id")
        .annotate(total=Window(Count("pk")))
        .values_list("pk", "content", "label", "pinned", "created_at", "version", "total")
    )
    found = list(rows[:MOST])
    total = found[0][-1] if found else 0
    return Profile(tuple(Entry(*row[:-1]) for row in found), total - len(found))


def _is_general(category: str) -> bool:
    return category.strip().casefold() in ("", GENERAL)
