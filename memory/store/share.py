"""Write a shared memory where others stand that it replaces: clock, order, supersession."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from memory import clocks
from memory.models import Draft, Memory, SharedAgent
from memory.sealing import Sealed
from memory.store.index import AtHand
from memory.store.shared import Because, Shared
from memory.store.standing import fact_of, owner_of
from memory.store.verbs import New, add_many, name_fact, supersede
from tenants.actor import Actor
from tenants.prepared import prepared


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
    clock, now = clocks.tick(writer.pk, writer.name, str(draft.scope))
    at = _after(now, [memory for memory, _ in instead_of])
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


def state_fact(twin: Memory, draft: Draft, *, writer: SharedAgent, by: Actor) -> None:
    """A write said what `twin`, locked, says already: the fact that the write names, if the twin
    names none, the twin states from now on, instead of the memory that did."""
    if draft.fact_key is None or twin.fact_key is not None:
        return
    before = fact_of(draft, writer)
    if before is not None:
        supersede_all([before], twin, because="fact", by=by)
    name_fact(twin, draft.fact_key, by=by)


def supersede_all(ends: Sequence[Memory], stays: Memory, *, because: Because, by: Actor) -> None:
    """End memories in favour of one that stands already; the caller has locked them all."""
    at = instant_after(ends)
    for memory in ends:
        supersede(memory, with_id=stays.pk, with_uid=stays.uid, at=at, because=because, by=by)


def instant_after(earlier: Sequence[Memory]) -> datetime:
    """Now by the database's clock, and at least a microsecond past what is replaced."""
    with prepared() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return _after(now, earlier)


def _after(now: datetime, earlier: Sequence[Memory]) -> datetime:
    return max([now, *(memory.valid_from + timedelta(microseconds=1) for memory in earlier)])


def _draw_id() -> int:
    """The number of a memory to be written: what it replaces points to it before it is there."""
    with prepared() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('memory_memory', 'id'))")
        return int(cursor.fetchone()[0])
