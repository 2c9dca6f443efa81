"""The Stored Memories of an agent: across its visitors, newest first, a page at a time."""

from dataclasses import dataclass, fields

from django.db.models import TextField, Value
from django.db.models.functions import Concat
from django.http import QueryDict
from django.utils.http import urlencode

from memory.interfaces.pages.waiting import of_visitor
from memory.models import Memory, Presence, Reader
from memory.models.memory import MemoryQuerySet

PAGE = 25
NEWEST = 2_000


class BadPlace(ValueError):
    """A cursor that no page of ours contains."""


@dataclass(frozen=True)
class Narrowing:
    """The query string's part that narrows the panel; unknown values are dropped."""

    q: str = ""
    visitor: str = ""
    presence: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> "Narrowing":
        given = {f.name: query.get(f.name, "").replace("\0", "").strip()[:200] for f in fields(cls)}
        if given["presence"] not in list(Presence):
            given["presence"] = ""
        return cls(**given)

    @property
    def narrows(self) -> bool:
        return bool(self.q or self.visitor or self.presence)

    def query(self, **other: str) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self)} | other
        return urlencode({name: value for name, value in values.items() if value})

    def over(self, rows: MemoryQuerySet) -> MemoryQuerySet:
        if self.visitor:
            rows = rows.filter(of_visitor(self.visitor))
        if self.presence:
            rows = rows.filter(presence=self.presence)
        if self.q:
            line = Value("\n")
            says = Concat("key", line, "description", line, "content", output_field=TextField())
            rows = rows.alias(says=says).filter(says__icontains=self.q)
        return rows


@dataclass(frozen=True)
class Page:
    rows: list[Memory]
    after: str


def page(
    agent_id: int, after: str = "", size: int = PAGE, *, narrowing: Narrowing | None = None
) -> Page:
    """Inside `within`. The id is the cursor: a decision between two pages moves nothing."""
    rows = Memory.objects.visible_to(Reader.for_member(agent_id)).filter(kind=Memory.Kind.LEARNED)
    if after:
        if not (after.isascii() and after.isdigit() and len(after) < 19):
            raise BadPlace(after)
        rows = rows.filter(pk__lt=int(after))
    found = _found(rows.order_by("-pk"), narrowing or Narrowing(), size + 1)
    return Page(found[:size], str(found[size - 1].pk) if len(found) > size else "")


def _found(rows: MemoryQuerySet, narrowing: Narrowing, most: int) -> list[Memory]:
    """For a text the newest are looked at first: what is in many is found there, and only what
    is rare has to be sought in all."""
    narrowed = narrowing.over(rows).select_related("visitor")
    if narrowing.q:
        found = list(narrowed.filter(pk__in=rows.values("pk")[:NEWEST])[:most])
        if len(found) == most:
            return found
    return list(narrowed[:most])
