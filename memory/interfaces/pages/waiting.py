"""What waits for a person: filters, lanes, and pages of it in a total order.

Lanes put what needs the most care first. A page is asked for by the last card seen, not by a
number: decisions shorten the queue, and numbered pages would then skip what moved up.
"""

from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Q, TextField, Value, When, Window
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.http import QueryDict
from django.utils.http import urlencode

from memory.interfaces.pages.related import PATH
from memory.models import Mutation, Presence
from memory.models.draft import PROFILE

PAGE = 25
Queue = Any  # a queryset of mutations with the names that `queue` adds
EMPTY = Value("", output_field=TextField())
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class BadPlace(ValueError):
    """A cursor that no page of ours contains."""


@dataclass(frozen=True)
class Lane:
    number: int
    slug: str
    title: str
    hint: str


LANES = (
    Lane(1, "flagged", "Flagged", "something about these asks for a closer look"),
    Lane(2, "deletes", "Deletes", "approval removes a memory"),
    Lane(3, "wide", "Wide reach", "for everyone, or present in every conversation"),
    Lane(
        4, "conflicts", "Conflicts", "several want the same key, or a shared memory is contradicted"
    ),
    Lane(5, "rest", "The rest", "one visitor, found by search or a trigger"),
)
BY_SLUG = {lane.slug: lane for lane in LANES}
BY_NUMBER = {lane.number: lane for lane in LANES}


@dataclass(frozen=True)
class Filters:
    """The query string's part that narrows the queue. Unknown values narrow to nothing known,
    so they are dropped."""

    lane: str = ""
    agent: str = ""
    visitor: str = ""
    operation: str = ""
    presence: str = ""
    q: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> "Filters":
        given = {f.name: query.get(f.name, "").replace("\0", "").strip()[:200] for f in fields(cls)}
        known: dict[str, Any] = {
            "lane": BY_SLUG,
            "operation": Mutation.Operation.values,
            "presence": list(Presence),
        }
        for name, values in known.items():
            if given[name] not in values:
                given[name] = ""
        return cls(**given)

    @property
    def narrows(self) -> bool:
        return any(getattr(self, f.name) for f in fields(self))

    def query(self, **other: str) -> str:
        """As a query string, with some values replaced."""
        values = {f.name: getattr(self, f.name) for f in fields(self)} | other
        return urlencode({name: value for name, value in values.items() if value})

    def over(self, rows: Queue) -> Queue:
        if self.agent:
            rows = rows.filter(agent__slug=self.agent)
        if self.visitor:
            rows = rows.filter(of_visitor(self.visitor))
        if self.operation:
            rows = rows.filter(operation=self.operation)
        if self.presence:
            rows = rows.filter(presence=self.presence)
        if self.q:
            rows = rows.filter(
                Q(key__icontains=self.q)
                | Q(draft__content__icontains=self.q)
                | Q(draft__description__icontains=self.q)
                | Q(before__content__icontains=self.q)
            )
        return rows


def of_visitor(label: str) -> Q:
    """By what the card shows: the host's id, the name, or #number. Never by the cookie."""
    if label.casefold() == "everyone":
        return Q(visitor=None)
    if label.startswith("#") and label[1:].isascii() and label[1:].isdigit() and len(label) < 19:
        return Q(visitor_id=int(label[1:]))
    return Q(visitor__host_id=label) | Q(visitor__name__iexact=label)


def queue() -> Queue:
    """Every pending mutation with its `key`, `presence` and `lane`, oldest first in each lane."""
    pending = Mutation.objects.pending().annotate(
        key=PATH,
        presence=Coalesce(KT("draft__presence"), KT("before__presence"), EMPTY),
    )
    rivals = (
        pending.annotate(
            wanted=Window(Count("pk"), partition_by=[F("agent_id"), F("visitor_id"), F("key")])
        )
        .filter(wanted__gt=1)
        .exclude(key=PROFILE)  # no key of its own, so nobody else wants it
        .values("pk")
    )
    lane = Case(
        When(agent=None, then=4),  # among shared memories
        When(flags__len__gt=0, then=1),
        When(operation=Mutation.Operation.DELETE, then=2),
        When(Q(visitor=None) | Q(presence=Presence.OMNIPRESENT), then=3),
        When(pk__in=rivals, then=4),
        default=5,
        output_field=IntegerField(),
    )
    return pending.annotate(lane=lane).order_by("lane", "created_at", "pk")


def counts(filters: Filters) -> dict[int, int]:
    """How many wait in each lane under the other filters."""
    rows = filters.over(queue()).order_by().values_list("lane").annotate(Count("pk"))
    return dict(rows)


@dataclass(frozen=True)
class Page:
    rows: list[Mutation]
    after: str  # the next page's cursor, empty on the last


def page(filters: Filters, after: str = "", size: int = PAGE) -> Page:
    """One page; the vectors stay in the database."""
    rows = filters.over(queue())
    if filters.lane:
        rows = rows.filter(lane=BY_SLUG[filters.lane].number)
    if after:
        rows = rows.filter(_past(after))
    rows = rows.defer("vector").select_related("agent", "writer", "visitor", "resolved_by")
    found = list(rows[: size + 1])
    more = len(found) > size
    return Page(found[:size], _place(found[size - 1]) if more else "")


def _place(row: Any) -> str:
    micros = (row.created_at - EPOCH) // timedelta(microseconds=1)
    return f"{row.lane}-{micros}-{row.pk}"


def _past(place: str) -> Q:
    try:
        lane, micros, pk = (int(part) for part in place.split("-"))
        at = EPOCH + timedelta(microseconds=micros)
        if not (0 < pk < 2**63):
            raise ValueError
    except (ValueError, OverflowError) as error:
        raise BadPlace(place) from error
    return (
        Q(lane__gt=lane) | Q(lane=lane, created_at__gt=at) | Q(lane=lane, created_at=at, pk__gt=pk)
    )
