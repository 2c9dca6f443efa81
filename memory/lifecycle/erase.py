"""Erase a person: everything that names or quotes them, in one transaction (D41).

The visitor's row is locked first and deleted last. Whatever learns from them asks the gate for
that row, so a job that was running when the erase began waits for its end and then finds nobody
to attach its result to (D18). What stays is a receipt and the audit: ids and counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Model, Q, QuerySet

from agents.models import Visitor
from memory import store
from memory.lifecycle.registry import PERSONS, Going, Place
from memory.models import Erasure, Memory, Mutation, Unembedded
from tenants.actor import Actor
from tenants.audit import record
from tenants.context import within

LONGEST = 600  # seconds of one statement: a person with years of messages goes whole or not at all


class NoScope(ValueError):
    """Nobody was named. An erase without a person is refused, never taken as everybody's."""


class NoSuchPerson(LookupError):
    """Unknown, erased already, or another tenant's: the same answer, and nothing was changed."""


@dataclass(frozen=True)
class Receipt:
    """What an erase did. `rows` counts by table; `oldest_backup` as in `Erasure`."""

    id: int
    uid: str
    visitor_id: int
    at: datetime
    rows: dict[str, int]
    oldest_backup: date | None

    @property
    def total(self) -> int:
        return sum(self.rows.values())

    def as_json(self) -> dict[str, Any]:
        return {
            "receipt": self.uid,
            "erased_at": self.at.isoformat(),
            "rows": self.rows,
            "total": self.total,
            "oldest_backup": self.oldest_backup.isoformat() if self.oldest_backup else None,
        }


def erase_person(*, tenant_id: int, visitor_id: int | None, by: Actor) -> Receipt:
    """Erase one person of the tenant. Opens its own block, or takes part in the one that is open.

    Raises NoScope when no person is named, NoSuchPerson when there is none of that number.
    """
    if not visitor_id or isinstance(visitor_id, bool):
        raise NoScope("name the person to erase")
    with within(tenant_id):
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{LONGEST}s"])
        if not Visitor.objects.filter(pk=visitor_id).select_for_update().exists():
            raise NoSuchPerson("no such person")
        going = _whole(visitor_id)
        _hold(going)
        rows = {}
        for place in PERSONS:
            count = _end(place, going)
            if count:
                rows[place.table] = count
        return _receipt(visitor_id, rows, by)


# --- who goes along --------------------------------------------------------------------------


def _whole(visitor_id: int) -> Going:
    """The person's rows, and agent-wide ones that rest on the person's words.

    Today no stage makes such a row: what a visitor says stays in the visitor's scope. One that is
    there all the same (an import, a row moved by hand) goes as a whole: what a sentence owes to
    whom cannot be told apart afterwards.
    """
    observations = _quoting("memory_observation", visitor_id)
    quoting = _quoting("memory_mutation", visitor_id) | set(
        Mutation.objects.filter(
            Q(sources__observation__visitor=visitor_id) | Q(sources__observation__in=observations)
        ).values_list("pk", flat=True)
    )
    memories = set(Memory.objects.filter(visitor=visitor_id).values_list("pk", flat=True))
    memories |= _sourced(visitor_id)
    made = Mutation.objects.filter(pk__in=quoting, memory__isnull=False)
    memories |= {n for n in made.values_list("memory_id", flat=True) if n is not None}
    mutations = quoting | set(
        Mutation.objects.filter(
            Q(visitor=visitor_id) | Q(target__in=memories) | Q(memory__in=memories)
        ).values_list("pk", flat=True)
    )
    return Going(visitor_id, sorted(memories), sorted(mutations), sorted(observations))


def _quoting(table: str, visitor_id: int) -> set[int]:
    """Rows outside the person's scope whose evidence names one of the person's messages."""
    return _numbers(
        f"""
        SELECT q.id FROM "{table}" q WHERE q.visitor_id IS DISTINCT FROM %s AND EXISTS (
            SELECT FROM jsonb_array_elements(
                CASE jsonb_typeof(q.evidence) WHEN 'array' THEN q.evidence ELSE '[]' END
            ) item
            WHERE item->>'message' IN ({_MESSAGES})
        )
        """,  # noqa: S608
        visitor_id,
    )


def _sourced(visitor_id: int) -> set[int]:
    """Memories outside the person's scope whose source is one of the person's messages."""
    return _numbers(
        f"""
        SELECT m.id FROM memory_memory m
        WHERE m.visitor_id IS DISTINCT FROM %s AND m.source->>'message' IN ({_MESSAGES})
        """,  # noqa: S608
        visitor_id,
    )


_MESSAGES = """
    SELECT a.id::text FROM agents_message a
    JOIN agents_conversation c ON c.id = a.conversation_id
    WHERE c.visitor_id = %s
"""


def _numbers(sql: str, visitor_id: int) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [visitor_id, visitor_id])
        return {row[0] for row in cursor.fetchall()}


def _hold(going: Going) -> None:
    """Lock in everybody's order. The embed stage does not ask the gate: its notes come first."""
    notes = Q(pk__in=())
    place = next(each for each in PERSONS if each.table == Unembedded._meta.db_table)
    for condition in _conditions(place, going):
        notes |= Q(pk__in=Unembedded.objects.filter(condition).values("pk"))
    for rows in (
        Unembedded.objects.filter(notes),
        Mutation.objects.filter(pk__in=going.mutations),
        Memory.objects.filter(pk__in=going.memories),
    ):
        ids: Iterable[int] = (
            rows.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True)
        )
        list(ids)


# --- table by table --------------------------------------------------------------------------


def _conditions(place: Place, going: Going) -> Iterable[Q]:
    assert place.mine is not None
    return place.mine(going)


def _end(place: Place, going: Going) -> int:
    """Delete or blank the person's rows of one table; how many there were."""
    manager: Any = place.model._default_manager
    if place.model is Memory:
        rows = Memory.objects.filter(pk__in=going.memories).select_related("category")
        others = Memory.objects.exclude(pk__in=going.memories)
        others.filter(superseded_by__in=going.memories).update(superseded_by=None)
        return store.erase(rows)
    if place.model is Mutation:
        Mutation.objects.filter(earlier__in=going.mutations).update(earlier=None)
    count = 0
    for condition in _conditions(place, going):
        found = manager.filter(condition)
        if place.fate == "blank":
            count += found.update(**dict.fromkeys(place.blanks, ""))
        else:
            count += _delete(found)
    return count


def _delete(rows: QuerySet[Model]) -> int:
    """One statement: Django's collector would fetch every row to look for what hangs on it."""
    return rows._raw_delete(rows.db) or 0


def _receipt(visitor_id: int, rows: dict[str, int], by: Actor) -> Receipt:
    days = settings.BACKUP_DAYS
    kept = Erasure.objects.create(
        visitor_id=visitor_id,
        rows=rows,
        user_id=by.user_id,
        token_id=by.token_id,
        oldest_backup=datetime.now(UTC).date() - timedelta(days=days) if days else None,
    )
    record(
        "person.erased", by=by, subject="visitor", subject_id=visitor_id, erasure=kept.pk, **rows
    )
    kept.refresh_from_db()
    return Receipt(kept.pk, str(kept.uid), visitor_id, kept.at, rows, kept.oldest_backup)
