"""One event for each write of a memory, in the same transaction (D40)."""

from collections.abc import Sequence

from memory.models import Event, Memory


def announce(kind: Event.Kind, memories: Sequence[Memory], *, depth: int = 0) -> None:
    Event.objects.bulk_create(
        Event(
            kind=kind,
            memory_id=memory.pk,
            memory_uid=memory.uid,
            category=memory.category.slug if memory.category is not None else memory.label,
            key=memory.key or memory.slug or "",
            depth=depth,
        )
        for memory in memories
    )
