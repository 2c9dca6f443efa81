"""What belongs to one workflow: its memories in order, and its purge."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from memory import store
from memory.events.outbox import announce_conflict
from memory.models import Event, Memory, Mutation, Reader, Unembedded, Unextracted
from memory.sharing import scratch
from memory.store.lock import hold_workflow
from tenants.actor import Actor
from tenants.audit import record
from tenants.context import within

BATCH = 500  # memories of one transaction of a purge


@dataclass(frozen=True)
class Purged:
    """How many rows went."""

    memories: int = 0
    mutations: int = 0
    scratch: int = 0

    def __add__(self, other: "Purged") -> "Purged":
        return Purged(
            self.memories + other.memories,
            self.mutations + other.mutations,
            self.scratch + other.scratch,
        )


def memories(reader: Reader, *, after: UUID | None = None) -> QuerySet[Memory]:
    """The live memories of the reader's workflow that it sees, as they were written.

    `after` continues a list behind a memory that it ended with, dead by now or not.
    """
    rows = Memory.objects.visible_to(reader).select_related("writer", "superseded_by")
    if after is not None:
        last = Memory.objects.sight(reader).filter(uid=after).values_list("created_at", "pk")
        at, number = last.first() or (None, None)
        if at is None:
            return rows.none()
        rows = rows.filter(Q(created_at__gt=at) | Q(created_at=at, pk__gt=number))
    return rows.order_by("created_at", "pk")


def newest(reader: Reader, most: int) -> list[Memory]:
    """At most so many of them, the newest, in the order in which they were written."""
    return list(memories(reader).reverse()[:most])[::-1]


def purge(workflow: str, *, tenant_id: int, by: Actor) -> Purged:
    """Remove all there is of a workflow but what it counted and its policy: nothing comes back.

    Live, ended and expired memories of every agent, blocked writes that wait or waited for a
    person, the scratchpad. Opens its own blocks: in each the rows that went are audited, so a
    purge that breaks off is known as far as it came, and goes on when it is asked again.
    """
    with within(tenant_id):
        hold_workflow(workflow)
        first = Purged(mutations=_end_mutations(workflow), scratch=scratch.remove_all(workflow))
        total = first + _erase_some(workflow)
        _audit(total, workflow, by=by)
    part = total
    while part.memories:
        with within(tenant_id):
            hold_workflow(workflow)
            part = _erase_some(workflow)
            if part.memories:
                _audit(part, workflow, by=by)
        total = total + part
    return total


def _erase_some(workflow: str) -> Purged:
    """The oldest first: what replaced another goes after it."""
    rows = Memory.objects.filter(kind=Memory.Kind.SHARED, workflow=workflow).order_by("pk")
    numbers = list(rows.values_list("pk", flat=True)[:BATCH])
    for notes in (Unembedded, Unextracted):  # the note first, as in the stages that work on them
        held = notes._default_manager.filter(memory__in=numbers).order_by("pk")
        list(held.select_for_update(of=("self",)).values_list("pk", flat=True))
    going = list(rows.filter(pk__in=numbers).select_for_update(of=("self",)))
    return Purged(memories=store.erase(going) if going else 0)


def _end_mutations(workflow: str) -> int:
    """Blocked writes of the workflow, decided or not: their texts go; who waits is told."""
    rows = Mutation.objects.filter(writer__isnull=False, draft__workflow=workflow)
    going = list(rows.select_for_update(of=("self",)).defer("vector").order_by("pk"))
    for mutation in going:
        if mutation.status == Mutation.Status.PENDING:
            detail = {"writeId": str(mutation.uid), "outcome": "purged", "workflowId": workflow}
            announce_conflict(Event.Kind.CONFLICT_RESOLVED, write=mutation.uid, detail=detail)
    Mutation.objects.filter(pk__in=[mutation.pk for mutation in going]).delete()
    return len(going)


def _audit(part: Purged, workflow: str, *, by: Actor) -> None:
    record(
        "workflow.purged",
        by=by,
        subject="workflow",
        workflow=workflow,
        memories=part.memories,
        mutations=part.mutations,
        scratch=part.scratch,
    )
