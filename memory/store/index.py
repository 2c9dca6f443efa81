"""What a memory is found by: its words, its meaning, and a note where the latter is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.models import Draft, Memory, MemoryVector, Posting, Unembedded, Unextracted
from memory.providers import try_embed
from memory.providers.types import Vector
from memory.recall.terms import terms


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


def index_again(memory: Memory, before: Draft, vector: AtHand | None) -> None:
    """Entries of a memory that says something else now than `before`."""
    draft = memory.as_draft
    if words_of(draft) != words_of(before):
        Posting.objects.filter(memory=memory).delete()
        index_words([memory])
    if draft.content != before.content:
        # The note first: the embed stage holds it while it writes the vector of the text before.
        Unembedded.objects.filter(memory=memory).delete()
        MemoryVector.objects.filter(memory=memory).delete()
        index_meaning([(memory, vector)])


def index_words(memories: Sequence[Memory]) -> None:
    """One posting a term and memory; the counts fit their column."""
    Posting.objects.bulk_create(
        Posting(memory=memory, term=term, count=min(count, 32_000))
        for memory in memories
        for term, count in sorted(terms(words_of(memory.as_draft)).items())
    )


def leave_to_graph(memories: Sequence[Memory]) -> None:
    """A shared text's entities are looked for in the background; a sealed one's never are."""
    Unextracted.objects.bulk_create(
        Unextracted(memory=memory)
        for memory in memories
        if memory.kind == Memory.Kind.SHARED and memory.sealed is None
    )


def index_meaning(pairs: Sequence[tuple[Memory, AtHand | None]]) -> None:
    """The vector at hand, or a note for the embed stage that one is missing."""
    MemoryVector.objects.bulk_create(
        MemoryVector(memory=memory, space=at.space, vector=at.vector.tolist())
        for memory, at in pairs
        if at is not None
    )
    Unembedded.objects.bulk_create(Unembedded(memory=memory) for memory, at in pairs if at is None)
