"""One event for each write of a memory, in the same transaction (D40)."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memory.models import Event, Memory


def announce(
    kind: Event.Kind,
    memories: Sequence[Memory],
    *,
    depth: int = 0,
    detail: dict[str, Any] | None = None,
) -> None:
    """One event a memory; inside the block that wrote it. `detail` is ids and names, no text."""
    Event.objects.bulk_create(
        Event(
            kind=kind,
            memory_id=memory.pk,
            memory_uid=memory.uid,
            category=memory.category.slug if memory.category is not None else memory.label,
            key=memory.key or memory.slug or "",
            depth=depth,
            is_shared=memory.kind == Memory.Kind.SHARED,
            detail=detail or {},
        )
        for memory in memories
    )


def announce_conflict(kind: Event.Kind, *, write: UUID | None, detail: dict[str, Any]) -> None:
    """A write of shared memory that was blocked, or whose conflict ended: there is no memory.

    `write` is the id that the answer named, if it named one.
    """
    Event.objects.create(kind=kind, memory_uid=write, is_shared=True, detail=detail)
