"""Is a new text one that is there already? By hash, then by nearness, never by contradiction."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from pgvector.django import CosineDistance

from memory.models import Memory, MemoryVector
from memory.providers.offline.contradiction import compare
from memory.providers.types import Vector

# Cosine distance below which two texts say the same, by embedding space (E8). A space that is not
# named has none: in the offline one "allergic / not allergic to peanuts" lies at 0.02 and a true
# paraphrase at 0.3, so nearness tells nothing there and words decide.
NEAR = {"text-embedding-3-small-1536": 0.15}


@dataclass(frozen=True)
class Likeness:
    """The row that a text repeats, if any, and the rows that it contradicts."""

    repeated: Memory | None = None
    contradicted: tuple[Memory, ...] = ()


def likeness(
    text: str, text_hash: str, rows: Sequence[Memory], near: Sequence[Memory] = ()
) -> Likeness:
    """How a text stands to the rows of its store. `near` are those within the space's threshold.

    A contradiction wins over a repetition: "not allergic" is no repeat of "allergic".
    """
    repeated: Memory | None = None
    contradicted = []
    for row in rows:
        if row.hash == text_hash:
            return Likeness(row)
        relation = compare(row.content, text)
        if relation.contradicts and relation.severity == "high":
            contradicted.append(row)
        elif repeated is None and (relation.kind == "restatement" or row in near):
            repeated = row
    return Likeness(contradicted=tuple(contradicted)) if contradicted else Likeness(repeated)


def within_threshold(
    rows: Sequence[Memory], vectors: Sequence[Vector | None], space: str
) -> list[list[Memory]]:
    """For each vector, the rows nearer than the space's threshold; one statement, or none."""
    limit = NEAR.get(space)
    asked = [(n, v) for n, v in enumerate(vectors) if v is not None]
    found: list[list[Memory]] = [[] for _ in vectors]
    if limit is None or not rows or not asked:
        return found
    by_id = {row.pk: row for row in rows}
    stored = MemoryVector.objects.filter(space=space, memory_id__in=by_id)
    stored = stored.annotate(
        **{f"d{n}": CosineDistance("vector", v.tolist()) for n, v in asked}
    ).filter(_any([Q(**{f"d{n}__lt": limit}) for n, _ in asked]))
    for row in stored.values("memory_id", *(f"d{n}" for n, _ in asked)):
        for n, _ in asked:
            if row[f"d{n}"] < limit:
                found[n].append(by_id[row["memory_id"]])
    return found


def _any(conditions: Sequence[Q]) -> Q:
    joined = Q()
    for condition in conditions:
        joined |= condition
    return joined
