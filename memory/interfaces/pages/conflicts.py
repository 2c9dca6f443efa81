"""A conflict among shared memories as a reviewer sees it: the write and what it contradicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory import clocks
from memory.models import Memory, Mutation
from memory.sealing import opened, proposals_opened

GONE = "The text is under a key that was removed."


@dataclass(frozen=True)
class Side:
    """One text with who wrote it. `clock` is what its writer knew, as (agent, tick)."""

    agent: str
    role: str
    scope: str
    text: str
    when: datetime
    clock: list[tuple[str, int]]
    memory_id: int | None = None
    severity: str = ""
    description: str = ""
    has_ended: bool = False


@dataclass(frozen=True)
class Conflict:
    """The write that waits, and the memories it contradicts. "" is work in no workflow."""

    workflow: str
    fact_key: str
    write: Side
    against: list[Side]
    expires_at: datetime | None
    is_readable: bool  # not once the key is gone that its text is sealed under


def conflicts_of(mutations: Sequence[Mutation]) -> dict[int, Conflict]:
    """By mutation id, for those that are conflicts. A constant number of queries."""
    asked = [mutation for mutation in mutations if mutation.writer_id is not None]
    if not asked:
        return {}
    numbers = {each["id"] for mutation in asked for each in mutation.conflicts}
    rows = Memory.objects.filter(pk__in=numbers).select_related("writer")
    stored = {memory.pk: (memory, text) for memory, text in opened(rows)}
    return {
        mutation.pk: Conflict(
            workflow=draft.workflow or "",
            fact_key=draft.fact_key or "",
            write=Side(
                agent=mutation.writer.name if mutation.writer is not None else "",
                role=draft.role or "",
                scope=draft.scope or "",
                text=draft.content or GONE,
                when=mutation.created_at,
                clock=[],
            ),
            against=[_side(each, stored) for each in mutation.conflicts if each["id"] in stored],
            expires_at=draft.expires_at,
            is_readable=draft.content is not None,
        )
        for mutation, draft in proposals_opened(asked)
    }


def _side(told: dict[str, Any], stored: dict[int, tuple[Memory, str | None]]) -> Side:
    memory, text = stored[told["id"]]
    clock: clocks.Clock = memory.clock or {}
    return Side(
        agent=memory.writer.name if memory.writer is not None else "",
        role=memory.role,
        scope=memory.scope,
        text=text or GONE,
        when=memory.created_at,
        clock=sorted(clock.items()),
        memory_id=memory.pk,
        severity=told["severity"],
        description=told["description"],
        has_ended=memory.deleted_at is not None or memory.superseded_by_id is not None,
    )
