"""Which listeners an event concerns: written down in the event's own transaction (D40).

Automation hears of the profiles of persons, which it is for. What a listener writes has the depth
of what it heard plus one; at `DEEPEST` a chain ends, and a row says so.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from django.db.models.functions import Now

from memory.models import Event, Hearing, Listener, Memory

DEEPEST = 5
STOPPED = f"a chain of listeners ends at depth {DEEPEST}"

_depth: ContextVar[int] = ContextVar("depth of a listener's chain", default=0)


@contextmanager
def following(event: Event) -> Iterator[None]:
    """What is written inside was caused by this event."""
    before = _depth.set(event.depth + 1)
    try:
        yield
    finally:
        _depth.reset(before)


def depth() -> int:
    return _depth.get()


def note(events: Sequence[Event], memories: Sequence[Memory]) -> bool:
    """One row for each listener that fits an event; whether there is anything to do.

    `memories` are those of the events, in their order.
    """
    of_person = [
        (event, memory)
        for event, memory in zip(events, memories, strict=True)
        if memory.kind == Memory.Kind.PERSON and memory.agent_id is None and memory.visitor_id
    ]
    if not of_person:
        return False
    listeners = Listener.objects.filter(active=True, event__in={e.kind for e, _ in of_person})
    hearings = [
        Hearing(
            listener=listener,
            event=event,
            visitor_id=memory.visitor_id or 0,
            status=Hearing.Status.STOPPED if event.depth >= DEEPEST else Hearing.Status.WAITING,
            said=STOPPED if event.depth >= DEEPEST else "",
            ended_at=Now() if event.depth >= DEEPEST else None,
        )
        for listener in listeners
        for event, memory in of_person
        if _fits(listener, event)
    ]
    Hearing.objects.bulk_create(hearings)
    return any(each.status == Hearing.Status.WAITING for each in hearings)


def _fits(listener: Listener, event: Event) -> bool:
    return (
        listener.event == event.kind
        and listener.category.casefold() in ("", event.category.casefold())
        and event.key.startswith(listener.key_prefix)
    )
