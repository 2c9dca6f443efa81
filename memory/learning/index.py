"""Search entries of captured messages: chunks, vectors, postings, in a few bulk statements."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from agents.models import Message
from memory.models import MemoryVector, MessageChunk, Unembedded
from memory.providers.types import Vector
from memory.recall.terms import terms


@dataclass(frozen=True)
class Piece:
    """Characters `start` to `end` of a message, and their vector if there is one."""

    start: int
    end: int
    text: str
    vector: Vector | None = None


def write_pieces(
    said: Sequence[tuple[Message, Sequence[Piece]]],
    *,
    agent_id: int,
    visitor_id: int | None,
    tenant_id: int,
    space: str,
) -> None:
    """Write the chunks of messages that were just stored. Inside `within`.

    A piece without a vector is left to the embed stage. A zero vector means that nothing in the
    text is known to the space: such a piece is found by its words only.
    """
    pieces = [(m, number, p) for m, parts in said for number, p in enumerate(parts)]
    chunks = MessageChunk.objects.bulk_create(
        MessageChunk(
            message=message,
            agent_id=agent_id,
            visitor_id=visitor_id,
            piece=number,
            start=piece.start,
            end=piece.end,
        )
        for message, number, piece in pieces
    )
    vectors, missing = [], []
    chunk_ids: list[int] = []
    words: list[str] = []
    counts: list[int] = []
    for chunk, (_, _, piece) in zip(chunks, pieces, strict=True):
        if piece.vector is None:
            missing.append(Unembedded(chunk=chunk))
        elif piece.vector.any():
            vectors.append(MemoryVector(chunk=chunk, space=space, vector=piece.vector))
        for term, count in terms(piece.text).items():
            chunk_ids.append(chunk.pk)
            words.append(term)
            counts.append(min(count, 32_000))
    MemoryVector.objects.bulk_create(vectors)
    Unembedded.objects.bulk_create(missing)
    if words:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO memory_posting (tenant_id, chunk_id, term, count) "
                "SELECT %s, * FROM unnest(%s::bigint[], %s::text[], %s::int[])",
                [tenant_id, chunk_ids, words, counts],
            )
