"""A conflict among shared memories as a reviewer sees it: the write and what it contradicts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memory import clocks
from memory.interfaces.pages import diff
from memory.models import Draft, Memory, Mutation
from memory.sealing import opened, proposals_opened

GONE = "The text is under a key that was removed."
_ALIKE = 0.5  # of the shorter text that both say; with less in common every word would be marked


@dataclass(frozen=True)
class Side:
    """One text with who wrote it. `clock` is what its writer knew, as (agent, tick); `pieces` are
    the text, marked where the other side says otherwise."""

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
    pieces: list[diff.Piece] = field(default_factory=list)


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
        mutation.pk: _conflict(mutation, draft, stored)
        for mutation, draft in proposals_opened(asked)
    }


def _conflict(
    mutation: Mutation, draft: Draft, stored: dict[int, tuple[Memory, str | None]]
) -> Conflict:
    write = Side(
        agent=mutation.writer.name if mutation.writer is not None else "",
        role=draft.role or "",
        scope=draft.scope or "",
        text=draft.content or GONE,
        when=mutation.created_at,
        clock=[],
    )
    against = [_side(each, stored) for each in mutation.conflicts if each["id"] in stored]
    marks = [_marks(side.text, write.text) for side in against]
    return Conflict(
        workflow=draft.workflow or "",
        fact_key=draft.fact_key or "",
        # Against several it would be marked for each of them anew.
        write=replace(write, pieces=marks[0][1] if len(marks) == 1 else _plain(write.text)),
        against=[
            replace(side, pieces=before, description=_without_texts(side, write))
            for side, (before, _) in zip(against, marks, strict=True)
        ],
        expires_at=draft.expires_at,
        is_readable=draft.content is not None,
    )


def _marks(stored: str, waits: str) -> tuple[list[diff.Piece], list[diff.Piece]]:
    """Both texts, marked where they differ; unmarked when they have little in common."""
    pieces = diff.compare(stored, waits)
    same = sum(len(piece.text) for piece in pieces if piece.kind == "same")
    if same < _ALIKE * min(len(stored), len(waits)):
        return _plain(stored), _plain(waits)
    return diff.before_of(pieces), diff.after_of(pieces)


def _without_texts(side: Side, write: Side) -> str:
    """The description, which quotes both texts, beside the texts themselves."""
    said = side.description.replace(f"`{write.text}`", "what waits")
    said = said.replace(f"`{side.text}`", "what is stored")
    return said[:1].upper() + said[1:]


def _plain(text: str) -> list[diff.Piece]:
    return [diff.Piece("same", text)]


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
