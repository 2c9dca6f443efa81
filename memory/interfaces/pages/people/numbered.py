"""Lists that are leafed through by number; what lies beyond the last page is the last page."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, QueryDict

PAGE = 20


@dataclass(frozen=True)
class Numbered:
    """`others` is the rest of the query string, for the links to the pages beside this one."""

    rows: list[Any]
    number: int
    pages: int
    count: int
    name: str
    others: str

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def next(self) -> int:
        return self.number + 1 if self.number < self.pages else 0


def numbered(
    rows: QuerySet[Any], query: QueryDict, *, name: str = "page", size: int = PAGE
) -> Numbered:
    """Inside `within`: two statements. So the last row of a page, once deleted, leaves the page
    before it."""
    asked = query.get(name, "1")
    if not (asked.isascii() and asked.isdigit() and len(asked) < 10):
        raise Http404("no such page")
    count = rows.count()
    pages = max(1, -(-count // size))
    number = min(max(1, int(asked)), pages)
    others = query.copy()
    others.pop(name, None)
    start = (number - 1) * size
    return Numbered(
        list(rows[start : start + size]), number, pages, count, name, others.urlencode()
    )
