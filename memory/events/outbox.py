"""One event for each write of a memory, in the same transaction (D40)."""

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models.functions import Coalesce, Now

from memory.events import hearing
from memory.models import Delivery, Event, Memory
from tenants.context import current_tenant

# Wakes the deliver stage of a tenant after the commit; `memory.interfaces.tasks`, which stands
# above, puts itself here. Where nobody did, beat's next tick finds the events.
wake: Callable[[int], None] | None = None
wake_listeners: Callable[[int], None] | None = None


def announce(
    kind: Event.Kind,
    memories: Sequence[Memory],
    *,
    detail: dict[str, Any] | None = None,
) -> None:
    """One event a memory; inside the block that wrote it. `detail` is ids and names, no text."""
    if not memories:
        return
    events = [
        Event(
            kind=kind,
            memory_id=memory.pk,
            memory_uid=memory.uid,
            category=memory.category.slug if memory.category is not None else memory.label,
            key=memory.key or memory.slug or "",
            depth=hearing.depth(),
            is_shared=memory.kind == Memory.Kind.SHARED,
            detail=_whose(memory) | (detail or {}),
        )
        for memory in memories
    ]
    are_listened_for, are_heard = _insert(events)
    tenant_id = current_tenant()
    if are_heard and any(memory.kind == Memory.Kind.SHARED for memory in memories):
        _wake(tenant_id)
    if not are_listened_for:
        return
    if hearing.note(events, memories) and wake_listeners is not None and tenant_id is not None:
        wake_listeners(tenant_id)


def _insert(events: Sequence[Event]) -> tuple[bool, bool]:
    """Write them, and say whether any listener asks for their kind, and whether anybody outside
    hears of what is written: one statement for all."""
    columns: list[Any] = [
        [event.uid for event in events],
        [str(event.kind) for event in events],
        [event.memory_id for event in events],
        [event.memory_uid for event in events],
        [event.category for event in events],
        [event.key for event in events],
        [event.depth for event in events],
        [event.is_shared for event in events],
        [json.dumps(event.detail) for event in events],
    ]
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, columns)
        rows = cursor.fetchall()
    for event, (number, *_) in zip(events, rows, strict=True):
        event.pk, event._state.adding = number, False
    return any(row[1] for row in rows), any(row[2] for row in rows)


_INSERT = """
INSERT INTO memory_event AS e
    (uid, kind, memory_id, memory_uid, category, key, depth, is_shared, detail)
SELECT uid, kind, memory_id, memory_uid, category, key, depth, is_shared, detail::jsonb
FROM unnest(%s::uuid[], %s::text[], %s::bigint[], %s::uuid[], %s::text[], %s::text[],
            %s::smallint[], %s::boolean[], %s::text[]) WITH ORDINALITY
     AS t(uid, kind, memory_id, memory_uid, category, key, depth, is_shared, detail, place)
ORDER BY place
RETURNING id, EXISTS (SELECT FROM memory_listener l WHERE l.active AND l.event = e.kind),
          EXISTS (SELECT FROM memory_webhook WHERE active)
              OR EXISTS (SELECT FROM memory_conflictpolicy WHERE webhook_url <> '')
"""


def announce_conflict(kind: Event.Kind, *, write: UUID | None, detail: dict[str, Any]) -> None:
    """A write of shared memory that was blocked, or whose conflict ended: there is no memory.

    `write` is the id that the answer named, if it named one.
    """
    _, is_heard = _insert([Event(kind=kind, memory_uid=write, is_shared=True, detail=detail)])
    if is_heard:
        _wake(current_tenant())


def tell_nobody_of(memories: Sequence[int]) -> None:
    """The memories of these numbers are gone, or sealed: what they said is not sent any more (D41).

    In the transaction that does it, with the rows held: a dispatcher holds the row it renders.
    Tellings without text still go out, so that receivers hear of the end.
    """
    Delivery.objects.filter(
        event__memory_id__in=memories, event__kind=Event.Kind.WRITTEN, body__isnull=False
    ).update(
        status=Delivery.Status.ERASED,
        body=None,
        ended_at=Coalesce("ended_at", Now()),
        lease_until=None,
        lease_token=None,
        not_before=None,
        parked_at=None,
    )


def _whose(memory: Memory) -> dict[str, Any]:
    """Of a shared memory, for those who hear of it when the row may be gone."""
    if memory.kind != Memory.Kind.SHARED:
        return {}
    return {
        "writerId": memory.writer_id,
        "scope": memory.scope,
        "role": memory.role or None,
        "workflowId": memory.workflow or None,
    }


def _wake(tenant_id: int | None) -> None:
    if wake is not None and tenant_id is not None:
        wake(tenant_id)
