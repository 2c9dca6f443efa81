"""What a tool answers: honestly, in a word and a sentence; and what it refuses to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory.models import Memory
from tenants.answers import Refused

NO_SECRETS = "it looks like a password, a key or a card number: secrets are not kept"

Status = Literal["saved", "updated", "pending", "duplicate", "refused", "deleted"]


class ToolError(Refused):
    """The call cannot be served as it is: `field` names the argument to change, if it is one.

    Nothing was written. `status` is the HTTP status that says the same.
    """


@dataclass(frozen=True)
class Outcome:
    """What became of a write.

    saved: a new memory. updated: the memory `id` says something else now. pending: it waits for a
    person's decision under `id`, ask `status` later. duplicate: the memory `id` says it already.
    refused: not kept, `detail` says why. deleted: nobody receives it any more.
    `needs_vector`: the embed stage has something to do.
    """

    status: Status
    id: str | None
    detail: str
    needs_vector: bool = False

    @property
    def is_error(self) -> bool:
        return self.status == "refused"

    def as_json(self) -> dict[str, Any]:
        return {"status": self.status, "id": self.id, "detail": self.detail}


@dataclass(frozen=True)
class Remembered:
    """One memory of the person as the tools show it."""

    id: str
    content: str
    key: str | None
    category: str
    pinned: bool
    source: dict[str, Any]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, row: Memory) -> "Remembered":
        source = {"origin": str(row.source.get("origin", ""))}
        if row.source.get("conversation"):
            source["conversation_id"] = str(row.source["conversation"])
        return cls(
            str(row.uid),
            row.content,
            row.slug,
            row.label,
            row.pinned,
            source,
            row.created_at,
            row.updated_at,
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "content": self.content,
            "key": self.key,
            "category": self.category,
            "pinned": self.pinned,
            "source": self.source,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }


@dataclass(frozen=True)
class Listed:
    """Pinned first, newest next. `total` counts what matches; `memories` are as many as asked."""

    memories: Sequence[Remembered]
    total: int

    @property
    def is_error(self) -> bool:
        return False

    def as_json(self) -> dict[str, Any]:
        return {"memories": [each.as_json() for each in self.memories], "total": self.total}
