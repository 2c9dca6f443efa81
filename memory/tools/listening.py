"""The listen stage: what a listener heard, it answers by one tool call for the event's person.

Claim, call, write down what came of it. A worker that dies in between leaves a lease that runs
out, and the call is made again: tools that are called twice with the same arguments change nothing
the second time.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from memory.events.hearing import following
from memory.models import Event, Hearing, Listener, Memory
from memory.stages import Tally, claim, give_up, still_mine
from memory.tools.arguments import typed
from memory.tools.calls import run
from memory.tools.outcome import Outcome, ToolError
from memory.tools.person import Person
from tenants.actor import SYSTEM
from tenants.context import within

LEASE = timedelta(seconds=60)
CHANNEL = "listener"
_PLACE = re.compile(r"\{(key|category|content|id)\}")
_EXAMPLE = {
    "key": "home-city",
    "category": "fact",
    "content": "Lives in Porto.",
    "id": "6f1c7a52-3f83-4a43-9f6e-7d2f3c0a9b11",
}


def step(tenant_id: int) -> Tally:
    """One hearing of one tenant, the oldest first. `processed` counts calls that were answered."""
    with within(tenant_id):
        waiting = Hearing.objects.filter(status=Hearing.Status.WAITING).order_by("id")
        rows = claim(waiting, limit=1, lease=LEASE)
        if not rows:
            return Tally()
        (row,) = rows
        listener = Listener.objects.get(pk=row.listener_id)
        event = Event.objects.get(pk=row.event_id)
        memory = Memory.objects.filter(pk=event.memory_id or 0, visitor_id=row.visitor_id).first()
    tally = Tally(taken=1)
    try:
        status, said = _act(
            listener, event, memory, Person(tenant_id, row.visitor_id, SYSTEM, CHANNEL)
        )
        tally.processed = 1
        with within(tenant_id):
            if still_mine(row) is not None:
                Hearing.objects.filter(pk=row.pk).update(
                    status=status, said=said[:200], ended_at=Now(), lease_token=None
                )
    except Exception as error:
        tally.fail(error)
        with within(tenant_id):
            give_up(row, error)
    return tally


def check(tool: str, arguments: Any) -> None:
    """For whoever writes a listener down: ToolError if no event could make a call of it."""
    if not isinstance(arguments, dict):
        raise ToolError("expected an object with named arguments")
    typed(tool, filled(arguments, _EXAMPLE))


def filled(arguments: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """`{key}` and the like in its texts become the event's; what they bring is not filled again."""
    return {
        name: _PLACE.sub(lambda found: values[found[1]], value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _act(
    listener: Listener, event: Event, memory: Memory | None, person: Person
) -> tuple[str, str]:
    if not listener.active:
        return Hearing.Status.REFUSED, "the listener was switched off"
    values = {
        "key": event.key,
        "category": event.category,
        "content": memory.content if memory is not None else "",
        "id": str(event.memory_uid or ""),
    }
    try:
        with following(event):
            answer = run(person, listener.tool, filled(listener.arguments, values))
    except ToolError as refused:
        return Hearing.Status.REFUSED, f"{refused.field or listener.tool}: {refused.error}"
    refused_it = isinstance(answer, Outcome) and answer.is_error
    said = answer.status if isinstance(answer, Outcome) else ""
    return (Hearing.Status.REFUSED if refused_it else Hearing.Status.DONE), said
