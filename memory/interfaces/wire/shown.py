"""A shared memory as `/v1` shows it."""

from datetime import UTC, datetime
from typing import Any

from memory.models import Memory


def shown(memory: Memory, text: str | None) -> dict[str, Any]:
    """The contract's fields; `text` as `memory.sealing.opened` gave it.

    `writer` and `superseded_by` have been read with the row.
    """
    later = memory.superseded_by
    return {
        "id": str(memory.uid),
        "content": text,
        "agent_id": memory.writer.name if memory.writer is not None else None,
        "scope": memory.scope,
        "role": memory.role or None,
        "workflow_id": memory.workflow or None,
        "fact_key": memory.fact_key,
        "created_at": instant(memory.created_at),
        "expires_at": instant(memory.expires_at),
        "valid_from": instant(memory.valid_from),
        "valid_to": instant(memory.valid_to),
        "vector_clock": memory.clock,
        "superseded_by": str(later.uid) if later is not None else None,
        "deleted_at": instant(memory.deleted_at),
        "extracted": memory.extracted,
        "encrypted": memory.sealed is not None,
    }


def instant(at: datetime | None) -> str | None:
    """ISO 8601 in UTC with microseconds: two instants that differ are written differently."""
    return at.astimezone(UTC).isoformat() if at is not None else None
