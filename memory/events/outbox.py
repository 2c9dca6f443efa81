"""One event for each write of a memory, in the same transaction (D40)."""

from memory.models import Event, Memory


def announce(kind: Event.Kind, memory: Memory, *, depth: int = 0) -> Event:
    return Event.objects.create(
        kind=kind, memory_id=memory.pk, memory_uid=memory.uid, key=memory.key, depth=depth
    )
