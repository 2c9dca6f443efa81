"""Reading shared memories by id: one, its history, and the deletion of one. Inside `within`."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from memory import store
from memory.models import Memory, Mutation, Reader
from tenants.actor import Actor
from tenants.audit import record


@dataclass(frozen=True)
class History:
    """One level each way: what replaced a memory, and what it replaced, oldest first."""

    memory: Memory
    superseded_by: Memory | None
    supersedes: list[Memory]


def one(reader: Reader, uid: UUID | None) -> Memory | None:
    """The memory of this id, if `reader` sees it now."""
    if uid is None:
        return None
    seen = _whole(Memory.objects.visible_to(reader))
    found = seen.filter(uid=uid).first()
    if found is not None:
        return found
    mutation = _decided_last(uid)
    return seen.filter(pk=mutation.memory_id or 0).first() if mutation is not None else None


def waiting(uid: UUID | None) -> str | None:
    """What became of a write that was blocked under this id: "pending" or how it ended (G16)."""
    if uid is None:
        return None
    mutation = _decided_last(uid)
    return None if mutation is None else (mutation.resolution or mutation.status)


def _decided_last(uid: UUID) -> Mutation | None:
    """The conflict whose write was blocked under this id; one that was undone waits again as a
    copy, and the writer knows no other id than the first."""
    conflicts = Mutation.objects.filter(writer__isnull=False).defer("vector")
    mutation = conflicts.filter(uid=uid).first()
    while mutation is not None and mutation.undone_at is not None:
        copy = conflicts.filter(earlier=mutation).order_by("-pk").first()
        if copy is None:
            break
        mutation = copy
    return mutation


def history(reader: Reader, uid: UUID | None) -> History | None:
    """Of a memory that is or was there: superseded and deleted ones too, erased ones not."""
    if uid is None:
        return None
    memory = _ever(reader).filter(uid=uid).first()
    if memory is None:
        return None
    return History(
        memory,
        _ever(reader).filter(pk=memory.superseded_by_id or 0).first(),
        list(_ever(reader).filter(superseded_by=memory).order_by("valid_from", "pk")),
    )


def delete(reader: Reader, uid: UUID | None, *, by: Actor) -> bool:
    """Soft-delete the memory that `reader` sees; whether there was one."""
    seen = Memory.objects.visible_to(reader).filter(Q(("uid", uid)))
    number = seen.values_list("pk", flat=True).first() if uid is not None else None
    if number is None:
        return False
    held = Memory.objects.live().select_for_update(of=("self",), no_key=True)
    memory = held.filter(pk=number).first()
    if memory is None:
        return False
    store.close(memory, because=Memory.Closed.DELETED, by=by)
    record("memory.deleted", by=by, subject="memory", subject_id=memory.pk)
    return True


def _ever(reader: Reader) -> QuerySet[Memory]:
    """Whatever the reader may see, whenever it was true."""
    return _whole(Memory.objects.sight(reader))


def _whole(rows: QuerySet[Memory]) -> QuerySet[Memory]:
    return rows.select_related("writer", "superseded_by")
