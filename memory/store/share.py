"""Write a shared memory where others stand that it replaces: clock, order, supersession."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID, uuid4

from django.db import connection

from memory import clocks
from memory.models import Draft, Memory, SharedAgent
from memory.sealing import Sealed
from memory.store.index import AtHand
from memory.store.shared import Shared
from memory.store.standing import owner_of
from memory.store.verbs import New, add_many, name_fact, supersede
from tenants.actor import Actor

Because = Literal["fact", "conflict"]


def share(
    draft: Draft,
    *,
    writer: SharedAgent,
    by: Actor,
    instead_of: Sequence[tuple[Memory, Because]] = (),
    vector: AtHand | None = None,
    uid: UUID | None = None,
    unchecked: bool = False,
    sealed: Sealed | None = None,
) -> Memory:
    """Add a shared memory and end the ones it stands `instead_of`, which the caller has locked.

    Ticks the writer's clock. The instant that orders it is read after the caller's lock and lies
    after that of everything it replaces (D28). A taken text or fact raises IntegrityError.
    """
    clock = clocks.tick(writer.pk, writer.name, str(draft.scope))
    at = _after([memory for memory, _ in instead_of])
    number = _draw_id() if instead_of else None
    uid = uid or uuid4()
    for memory, because in instead_of:
        assert number is not None
        supersede(memory, with_id=number, with_uid=uid, at=at, because=because, by=by)
    shared = Shared(
        writer.pk,
        clock,
        at,
        owner_id=owner_of(draft, writer),
        team_id=writer.team_id,
        id=number,
        uid=uid,
        unchecked=unchecked,
        sealed=sealed,
    )
    new = New(Memory.Kind.SHARED, draft, vector=vector, shared=shared)
    (memory,) = add_many([new], tenant_id=writer.tenant_id, by=by)
    return memory


def state_fact(memory: Memory, fact: str, *, instead_of: Memory | None, by: Actor) -> None:
    """A memory that stands already states this fact from now on, `instead_of` the one that did.

    The caller has locked both.
    """
    if instead_of is not None:
        supersede(
            instead_of,
            with_id=memory.pk,
            with_uid=memory.uid,
            at=_after([instead_of]),
            because="fact",
            by=by,
        )
    name_fact(memory, fact, by=by)


def _after(earlier: Sequence[Memory]) -> datetime:
    """Now by the database's clock, and at least a microsecond past what is replaced."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return max([now, *(memory.valid_from + timedelta(microseconds=1) for memory in earlier)])


def _draw_id() -> int:
    """The number of a memory to be written: what it replaces points to it before it is there."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('memory_memory', 'id'))")
        return int(cursor.fetchone()[0])
