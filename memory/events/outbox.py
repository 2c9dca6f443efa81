"""One event for each write of a memory, in the same transaction (D40)."""

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

_IS_HEARD = """
    SELECT EXISTS (SELECT FROM memory_webhook WHERE active)
        OR EXISTS (SELECT FROM memory_conflictpolicy WHERE webhook_url <> '')
"""


def announce(
    kind: Event.Kind,
    memories: Sequence[Memory],
    *,
    detail: dict[str, Any] | None = None,
) -> None:
    """One event a memory; inside the block that wrote it. `detail` is ids and names, no text."""
    events = Event.objects.bulk_create(
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
    )
    if any(memory.kind == Memory.Kind.SHARED for memory in memories):
        _wake()
    tenant_id = current_tenant()
    if hearing.note(events, memories) and wake_listeners is not None and tenant_id is not None:
        wake_listeners(tenant_id)


def announce_conflict(kind: Event.Kind, *, write: UUID | None, detail: dict[str, Any]) -> None:
    """A write of shared memory that was blocked, or whose conflict ended: there is no memory.

    `write` is the id that the answer named, if it named one.
    """
    Event.objects.create(kind=kind, memory_uid=write, is_shared=True, detail=detail)
    _wake()


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


def _wake() -> None:
    tenant_id = current_tenant()
    if wake is None or tenant_id is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(_IS_HEARD)
        if cursor.fetchone()[0]:
            wake(tenant_id)
