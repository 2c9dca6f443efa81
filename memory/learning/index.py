"""Search entries of captured messages: chunks, vectors, postings, in a few bulk statements.

Written as columns, not as models: at a hundred messages a request building the models and their
SQL would take longer than everything else together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from agents.models import Message
from memory.providers.types import Vector
from memory.recall.query import as_literal
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
    rows = [(m.pk, number, piece) for m, parts in said for number, piece in enumerate(parts)]
    with connection.cursor() as cursor:
        cursor.execute(
            _CHUNKS,
            [
                tenant_id,
                agent_id,
                visitor_id,
                [message for message, _, _ in rows],
                [number for _, number, _ in rows],
                [piece.start for _, _, piece in rows],
                [piece.end for _, _, piece in rows],
            ],
        )
        ids = {(message, number): chunk for chunk, message, number in cursor.fetchall()}
        pieces = [(ids[message, number], piece) for message, number, piece in rows]
        missing = [chunk for chunk, piece in pieces if piece.vector is None]
        vectors = [
            (chunk, as_literal(piece.vector))
            for chunk, piece in pieces
            if piece.vector is not None and piece.vector.any()
        ]
        words = [
            (chunk, term, min(count, 32_000))
            for chunk, piece in pieces
            for term, count in terms(piece.text).items()
        ]
        if missing:
            cursor.execute(_UNEMBEDDED, [tenant_id, missing])
        if vectors:
            cursor.execute(_VECTORS, [tenant_id, space, *map(list, zip(*vectors, strict=True))])
        if words:
            cursor.execute(_POSTINGS, [tenant_id, *map(list, zip(*words, strict=True))])


_CHUNKS = """
INSERT INTO memory_messagechunk
    (tenant_id, agent_id, visitor_id, message_id, piece, start, "end")
SELECT %s, %s, %s, * FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::int[])
RETURNING id, message_id, piece
"""
_UNEMBEDDED = """
INSERT INTO memory_unembedded (tenant_id, chunk_id, attempts, failed_because)
SELECT %s, unnest(%s::bigint[]), 0, ''
"""
_VECTORS = """
INSERT INTO memory_memoryvector (tenant_id, space, piece, chunk_id, vector)
SELECT %s, %s, 0, chunk, vector::vector FROM unnest(%s::bigint[], %s::text[]) AS v (chunk, vector)
"""
_POSTINGS = """
INSERT INTO memory_posting (tenant_id, chunk_id, term, count)
SELECT %s, * FROM unnest(%s::bigint[], %s::text[], %s::int[])
"""
