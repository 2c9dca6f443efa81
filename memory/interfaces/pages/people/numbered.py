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
    rows: QuerySet[Any],
    query: QueryDict,
    *,
    name: str = "page",
    size: int = PAGE,
    count: int | None = None,
) -> Numbered:
    """Inside `within`: three statements, one less with a count that the caller has. So the last
    row of a page, once deleted, leaves the page before it."""
    asked = query.get(name, "1")
    if not (asked.isascii() and asked.isdigit() and len(asked) < 10):
        raise Http404("no such page")
    if count is None:
        count = rows.count()
    pages = max(1, -(-count // size))
    number = min(max(1, int(asked)), pages)
    others = query.copy()
    others.pop(name, None)
    start = (number - 1) * size
    # The page is found by its ids: what is sorted then are numbers, not rows with all they join.
    ids = list(rows.values_list("pk", flat=True)[start : start + size])
    shown = list(rows.filter(pk__in=ids))
    return Numbered(shown, number, pages, count, name, others.urlencode())
