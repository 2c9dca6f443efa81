"""What lies near an observation in exactly its scope: for the reconcile stage.

Each function is one statement whatever the scope holds (`excerpts` two, `known` three). A row
without a vector of the asked space has no similarity; the order is total.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from django.db import models
from django.db.models import F, Max, Q, Value
from django.db.models.functions import NullIf
from pgvector.django import CosineDistance

from memory.models import Memory, Mutation, Observation, Tombstone
from memory.providers.types import Known
from memory.recall.messages import search_messages
from memory.recall.query import Query, usable
from memory.recall.terms import asked as asked_terms

AnyVector = npt.ArrayLike | None
KNOWN_LIMIT = 400  # of each sort; the nearest, and all that have no vector yet come first
_NAN = Value("NaN", output_field=models.FloatField())


@dataclass(frozen=True)
class KnownRow:
    """A `Known` with the rows it stands for, but for its number.

    memory: `memory_id` and its version; pending: `mutation_id` and its version, and the memory it
    would change; rejected: `tombstone_id` and, unless it was forgotten, `mutation_id`.
    `hash` is that of the content (E7), "" for a proposal that says nothing new.
    """

    state: Literal["memory", "pending", "rejected"]
    key: str
    description: str
    content: str
    presence: str
    similarity: float | None
    hash: str
    memory_id: int | None = None
    memory_version: int | None = None
    mutation_id: int | None = None
    mutation_version: int | None = None
    tombstone_id: int | None = None
    operation: str = ""

    def as_known(self, number: int) -> Known:
        shared = {field.name for field in fields(Known)} - {"number"}
        return Known(number=number, **{name: getattr(self, name) for name in shared})


def siblings(observation: Observation, limit: int) -> list[str]:
    """Statements of the nearest other observations of the scope, whatever became of them.

    Without a vector there is no nearness: the newest ones.
    """
    rows = Observation.objects.in_scope(observation.agent_id, observation.visitor_id).exclude(
        pk=observation.pk
    )
    vector = _usable(observation.statement_vector)
    if vector is None:
        return list(rows.order_by("-id").values_list("statement", flat=True)[:limit])
    return list(
        rows.filter(space=observation.space)
        .annotate(near=_similarity("statement_vector", vector))
        .order_by(F("near").desc(nulls_last=True), "id")
        .values_list("statement", flat=True)[:limit]
    )


def excerpts(
    agent_id: int,
    visitor_id: int | None,
    vector: AnyVector,
    space: str,
    limit: int,
    text: str = "",
) -> list[str]:
    """The nearest captured pieces of the scope's messages, "role: text"; [] without a vector.

    The search over messages without its floor: `text` lets the words count, too.
    """
    if _usable(vector) is None:
        return []
    query = Query(
        message=text,
        space=space,
        vector=np.asarray(vector, dtype=np.float32),
        terms=tuple(asked_terms(text)),
    )
    hits = search_messages(agent_id, visitor_id, query, limit=limit, floored=False)
    return [f"{hit.role}: {hit.text}" for hit in hits]


def known(
    agent_id: int,
    visitor_id: int | None,
    vector: AnyVector,
    space: str,
    *,
    limit: int = KNOWN_LIMIT,
) -> list[KnownRow]:
    """What the scope holds: live memories, pending proposals, standing tombstones, in this order.

    At most `limit` of each: rows without a vector, then the nearest.
    """
    asked = _usable(vector)
    return [
        *_memories(agent_id, visitor_id, asked, space, limit),
        *_pending(agent_id, visitor_id, asked, space, limit),
        *_rejected(agent_id, visitor_id, asked, space, limit),
    ]


def _memories(
    agent_id: int, visitor_id: int | None, asked: list[float] | None, space: str, limit: int
) -> Iterable[KnownRow]:
    rows = (
        Memory.objects.as_of()
        .in_scope(agent_id, visitor_id)
        .filter(kind=Memory.Kind.LEARNED)
        .annotate(near=_nearest_piece(asked, space))
    )
    for row in _nearest(rows, limit).values(
        "id", "version", "key", "description", "content", "presence", "hash", "near"
    ):
        yield KnownRow(
            state="memory",
            key=row["key"],
            description=row["description"],
            content=row["content"],
            presence=row["presence"],
            similarity=row["near"],
            hash=row["hash"],
            memory_id=row["id"],
            memory_version=row["version"],
        )


def _pending(
    agent_id: int, visitor_id: int | None, asked: list[float] | None, space: str, limit: int
) -> Iterable[KnownRow]:
    rows = Mutation.objects.pending().in_scope(agent_id, visitor_id)
    rows = rows.annotate(near=_similarity("vector", asked, space))
    for row in _nearest(rows, limit).values(*_DRAFT, "version", "target_id", "target_version"):
        yield KnownRow(
            state="pending",
            **_said({**row["before"], **row["draft"]}),
            similarity=row["near"],
            hash=row["hash"],
            mutation_id=row["id"],
            mutation_version=row["version"],
            memory_id=row["target_id"],
            memory_version=row["target_version"],
            operation=row["operation"],
        )


def _rejected(
    agent_id: int, visitor_id: int | None, asked: list[float] | None, space: str, limit: int
) -> Iterable[KnownRow]:
    rows = Tombstone.objects.standing().covering(agent_id, visitor_id)
    rows = rows.annotate(near=_similarity("vector", asked, space))
    for row in _nearest(rows, limit).values(
        "id", "hash", "near", "mutation_id", "mutation__before", "mutation__draft",
        "mutation__operation",
    ):  # fmt: skip
        draft = {**(row["mutation__before"] or {}), **(row["mutation__draft"] or {})}
        yield KnownRow(
            state="rejected",
            **_said(draft),
            similarity=row["near"],
            hash=row["hash"],
            mutation_id=row["mutation_id"],
            tombstone_id=row["id"],
            operation=row["mutation__operation"] or "",
        )


_DRAFT = ("id", "operation", "before", "draft", "hash", "near")


def _said(draft: dict[str, Any]) -> dict[str, Any]:
    return {name: draft.get(name) or "" for name in ("key", "description", "content", "presence")}


def _nearest(rows: Any, limit: int) -> Any:
    return rows.order_by(F("near").desc(nulls_first=True), "id")[:limit]


def _nearest_piece(asked: list[float] | None, space: str) -> Any:
    if asked is None:
        return _UNKNOWN
    return Max(
        NullIf(1.0 - CosineDistance("vectors__vector", asked), _NAN),
        filter=Q(vectors__space=space),
    )


def _similarity(column: str, asked: list[float] | None, space: str | None = None) -> Any:
    """The cosine, null where it is not a number, where there is no vector or another space's."""
    if asked is None:
        return _UNKNOWN
    cosine = NullIf(1.0 - CosineDistance(column, asked), _NAN)
    if space is None:
        return cosine
    return models.Case(
        models.When(space=space, then=cosine), default=None, output_field=models.FloatField()
    )


_UNKNOWN = Value(None, output_field=models.FloatField())


def _usable(vector: AnyVector) -> list[float] | None:
    if vector is None:
        return None
    numbers = np.asarray(vector, dtype=np.float32)
    return [float(number) for number in numbers] if usable(numbers) else None
