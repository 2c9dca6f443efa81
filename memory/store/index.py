"""What a memory is found by: its words, its meaning, and a note where the latter is missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.models import Draft, Memory, MemoryVector, Posting, Unembedded
from memory.providers import try_embed
from memory.providers.types import Vector
from memory.recall.query import as_literal
from memory.recall.terms import terms
from tenants.prepared import prepared


@dataclass(frozen=True)
class AtHand:
    """A vector of the content that is being written, and the space it belongs to."""

    space: str
    vector: Vector

    @classmethod
    def of(cls, text: str, space: str, *, timeout: float) -> "AtHand | None":
        """Embed one text, outside any block. None leaves it to the embed stage."""
        found = try_embed([text], space, timeout=timeout)
        return cls(space, found[0]) if found and found[0] is not None else None


def words_of(draft: Draft) -> str:
    """What keyword search finds it by."""
    return " ".join(part for part in (draft.key, draft.description, draft.content) if part)


def index_new(pairs: Sequence[tuple[Memory, AtHand | None]]) -> None:
    """Entries of memories that were just written, each with its vector if it is at hand.

    A sealed text has no words to be found by, and no entities are looked for in it.
    """
    open_ones = [memory for memory, _ in pairs if memory.sealed is None]
    _enter(
        words=open_ones,
        to_graph=[memory for memory in open_ones if memory.kind == Memory.Kind.SHARED],
        meaning=pairs,
    )


def index_again(memory: Memory, before: Draft, vector: AtHand | None) -> None:
    """Entries of a memory that says something else now than `before`."""
    draft = memory.as_draft
    has_other_words = words_of(draft) != words_of(before)
    has_other_text = draft.content != before.content
    if has_other_words:
        Posting.objects.filter(memory=memory).delete()
    if has_other_text:
        # The note first: the embed stage holds it while it writes the vector of the text before.
        Unembedded.objects.filter(memory=memory).delete()
        MemoryVector.objects.filter(memory=memory).delete()
    _enter(
        words=[memory] if has_other_words else [],
        meaning=[(memory, vector)] if has_other_text else [],
    )


def _enter(
    *,
    words: Sequence[Memory],
    meaning: Sequence[tuple[Memory, AtHand | None]],
    to_graph: Sequence[Memory] = (),
) -> None:
    """One statement for all of it: a posting a term and memory, the vector at hand or a note for
    the embed stage that one is missing, a note for the graph stage."""
    postings = [
        (memory.pk, term, min(count, _MOST))
        for memory in words
        for term, count in sorted(terms(words_of(memory.as_draft)).items())
    ]
    vectors = [(memory.pk, at.space, as_literal(at.vector)) for memory, at in meaning if at]
    missing = [memory.pk for memory, at in meaning if at is None]
    noted = [memory.pk for memory in to_graph]
    if postings or vectors or missing or noted:
        columns = [*_columns(postings), *_columns(vectors), missing, noted]
        with prepared() as cursor:
            cursor.execute(_ENTER, columns)


def _columns(rows: Sequence[tuple[Any, Any, Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[], [], []]


_MOST = 32_000  # what a posting's count holds
_ENTER = """
WITH words AS (
    INSERT INTO memory_posting (memory_id, term, count)
    SELECT * FROM unnest(%s::bigint[], %s::text[], %s::smallint[])
), meaning AS (
    INSERT INTO memory_memoryvector (memory_id, piece, space, vector)
    SELECT id, 0, space, vector::vector
    FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS at_hand(id, space, vector)
), missing AS (
    INSERT INTO memory_unembedded (memory_id, attempts, failed_because)
    SELECT id, 0, '' FROM unnest(%s::bigint[]) AS missing(id)
)
INSERT INTO memory_unextracted (memory_id, attempts, failed_because)
SELECT id, 0, '' FROM unnest(%s::bigint[]) AS noted(id)
"""
