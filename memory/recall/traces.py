"""What one recall used and why, stored by whoever asked: ids, legs, ranks, versions; no text."""

from typing import Any

from memory.models import RecallTrace
from memory.recall.context import Recalled, RecalledMemory


def store_trace(
    recalled: Recalled,
    *,
    agent_id: int,
    visitor_id: int | None,
    message_id: int | None = None,
    channel: str,
) -> RecallTrace:
    """Write the trace, inside `within`: chat with the reply, the API after its answer (D45)."""
    return RecallTrace.objects.create(
        agent_id=agent_id,
        visitor_id=visitor_id,
        message_id=message_id,
        channel=channel,
        memories=[_line(memory) for memory in (*recalled.memories, *recalled.hidden)],
        steps=recalled.steps,
        tokens=recalled.tokens,
        took_ms=round(sum(recalled.steps.values()), 3),
        failed=(recalled.failed or "")[:100],
    )


def _line(memory: RecalledMemory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "version": memory.version,
        "reason": memory.reason,
        "leg": memory.leg,
        "rank": memory.rank,
        "score": memory.score,
        "shown": memory.shown,
    }
