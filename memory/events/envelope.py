"""What a receiver is told: rendered once, as the bytes that are signed and sent each time."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memory.models import Event, Memory

SUBSCRIBABLE = (
    Event.Kind.WRITTEN,
    Event.Kind.DELETED,
    Event.Kind.EXPIRED,
    Event.Kind.SUPERSEDED,
    Event.Kind.CONFLICT_BLOCKED,
    Event.Kind.CONFLICT_DETECTED,
    Event.Kind.CONFLICT_RESOLVED,
)


def render(event: Event, *, org: str, writers: Mapping[int, str], memory: Memory | None) -> bytes:
    """The envelope as UTF-8. `org` is the tenant's slug, `writers` names agents by number.

    `memory` is the row of one that was written: the only event that says what a memory says.
    """
    envelope = {
        "event": event.kind,
        "orgId": org,
        "payload": _payload(event, writers, memory),
        "timestamp": _instant(event.created_at),
    }
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode()


def _payload(event: Event, writers: Mapping[int, str], memory: Memory | None) -> dict[str, Any]:
    told = dict(event.detail)
    number = told.pop("writerId", None)
    if number is not None:
        told["agentId"] = writers.get(number)
    if event.memory_uid is not None:
        told["memoryId" if event.memory_id is not None else "writeId"] = str(event.memory_uid)
    if memory is None:
        return told
    sealed = memory.sealed is not None
    return {
        **told,
        "content": None if sealed else memory.content,
        "encrypted": sealed,
        "factKey": memory.fact_key,
        "createdAt": _instant(memory.created_at),
        "expiresAt": _instant(memory.expires_at),
    }


def _instant(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None
