"""What a shared memory has besides its draft (contract 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from memory.models import Draft, Scope
from memory.sealing import Sealed

Because = Literal["fact", "conflict"]  # why a memory ends in favour of another


@dataclass(frozen=True)
class Shared:
    """What a shared memory has besides its draft.

    `at` orders it among its like: read after the lock (D28). `owner_id` and `team_id` say within
    what its text and its fact are one (`standing.owner_of`). `id` is drawn before, when the
    memory supersedes another; `uid` is given when an answer has named it already.
    """

    writer_id: int
    clock: dict[str, int]
    at: datetime
    owner_id: int | None = None
    team_id: int | None = None
    id: int | None = None
    uid: UUID | None = None
    unchecked: bool = False
    sealed: Sealed | None = None

    def columns(self, draft: Draft) -> dict[str, Any]:
        """Over those that a draft has in every kind."""
        columns: dict[str, Any] = {
            "uid": self.uid or uuid4(),
            "writer_id": self.writer_id,
            "owner_id": self.owner_id,
            "team_id": self.team_id if draft.scope == Scope.TEAM else None,
            "scope": draft.scope,
            "role": draft.role or "",
            "workflow": draft.workflow or "",
            "fact_key": draft.fact_key,
            "expires_at": draft.expires_at,
            "clock": self.clock,
            "unchecked": self.unchecked,
            "valid_from": self.at,
            "created_at": self.at,
        }
        if self.id is not None:
            columns["id"] = self.id
        if self.sealed is not None:
            columns |= {"content": "", "length": 0}
            columns |= {"sealed": self.sealed.text, "hash": self.sealed.hash}
        return columns
