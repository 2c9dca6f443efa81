"""The one writer of memories: add, change, close, restore, erase.

Every verb runs inside an open `within` block and writes, in that transaction, the row, its
version, its index entries and its event. Whoever calls has locked what it changes and writes the
audit entry: one decision, one entry. No verb needs a provider: a text without a vector at hand
is left to the embed stage.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Now

from memory.events.outbox import announce
from memory.models import Draft, Event, Memory, MemoryVector, MemoryVersion, Posting, Unembedded
from memory.providers.cleaning import content_hash
from memory.providers.types import Vector
from memory.recall.terms import terms
from tenants.actor import Actor
from tenants.secrets import tenant_secret


@dataclass(frozen=True)
class AtHand:
    """A vector of the content that is being written, and the space it belongs to."""

    space: str
    vector: Vector


def hash_of(text: str, tenant_id: int) -> str:
    """The hash that "exact duplicate" means everywhere (E7)."""
    return content_hash(text, tenant_secret(tenant_id, "content-hash"))


def add(
    *,
    tenant_id: int,
    kind: Memory.Kind,
    agent_id: int | None,
    visitor_id: int | None,
    draft: Draft,
    by: Actor,
    mutation_id: int | None = None,
    vector: AtHand | None = None,
    source: dict[str, Any] | None = None,
) -> Memory:
    """Insert a memory. A taken key raises IntegrityError; callers look first, under the lock."""
    content = draft.content or ""
    memory = Memory.objects.create(
        kind=kind,
        agent_id=agent_id,
        visitor_id=visitor_id,
        source=source or {},
        hash=hash_of(content, tenant_id),
        **_columns(draft),
    )
    _write_postings(memory)
    _write_vector(memory, vector)
    _version(memory, "added", by=by, mutation_id=mutation_id)
    announce(Event.Kind.CREATED, memory)
    return memory


def change(
    memory: Memory,
    patch: Draft,
    *,
    by: Actor,
    mutation_id: int | None = None,
    vector: AtHand | None = None,
) -> Memory:
    """Apply the given fields of `patch`. `created_at` and `source` stay; the version goes up.

    A patch that changes nothing writes nothing.
    """
    after = patch.over(memory.as_draft)
    if after == memory.as_draft:
        return memory
    if after.content != memory.content:
        memory.valid_from = Now()
    _say(memory, after, vector)
    _version(memory, "changed", by=by, mutation_id=mutation_id)
    announce(Event.Kind.UPDATED, memory)
    return memory


def close(
    memory: Memory, *, because: Memory.Closed, by: Actor, mutation_id: int | None = None
) -> Memory:
    """End a memory so that no reader sees it; it can be restored."""
    memory.deleted_at = Now()
    memory.closed_because = because
    _bump(memory)
    _version(memory, "closed", by=by, mutation_id=mutation_id)
    announce(Event.Kind.DELETED, memory)
    return memory


def restore(
    memory: Memory,
    *,
    to: Draft,
    by: Actor,
    mutation_id: int | None = None,
    vector: AtHand | None = None,
) -> Memory:
    """Open a closed memory again, or take a live one back to what it said before."""
    was_closed = memory.deleted_at is not None
    memory.deleted_at = None
    memory.closed_because = ""
    _say(memory, to, vector)
    _version(memory, "restored", by=by, mutation_id=mutation_id)
    announce(Event.Kind.CREATED if was_closed else Event.Kind.UPDATED, memory)
    return memory


def erase(memories: Iterable[Memory]) -> int:
    """Remove rows with their vectors, postings, versions and the mutations about them."""
    erased = 0
    for memory in memories:
        announce(Event.Kind.DELETED, memory)
        memory.delete()
        erased += 1
    return erased


def confirm(memory: Memory, *, times: int = 1) -> None:
    """It was said again: count it. What the memory says is untouched, so is its version."""
    Memory.objects.filter(pk=memory.pk).update(
        confirmed=memory.confirmed + times, confirmed_at=Now()
    )


def _columns(draft: Draft) -> dict[str, Any]:
    return {
        "key": draft.key or "",
        "description": draft.description or "",
        "content": draft.content or "",
        "presence": draft.presence.value if draft.presence else "",
        "trigger_patterns": list(draft.trigger_patterns or ()),
    }


def _say(memory: Memory, draft: Draft, vector: AtHand | None) -> None:
    """Write what the memory says from now on, and the index entries that follow from it."""
    words, content = _words(memory), memory.content
    for column, value in _columns(draft).items():
        setattr(memory, column, value)
    memory.hash = hash_of(memory.content, memory.tenant_id)
    _bump(memory)
    if _words(memory) != words:
        Posting.objects.filter(memory=memory).delete()
        _write_postings(memory)
    if memory.content != content:
        MemoryVector.objects.filter(memory=memory).delete()
        Unembedded.objects.filter(memory=memory).delete()
        _write_vector(memory, vector)


def _bump(memory: Memory) -> None:
    memory.version += 1
    memory.updated_at = Now()
    memory.save()
    memory.refresh_from_db()


def _version(memory: Memory, because: str, *, by: Actor, mutation_id: int | None) -> None:
    MemoryVersion.objects.create(
        memory=memory,
        version=memory.version,
        draft=memory.as_draft.given(),
        because=because,
        mutation_id=mutation_id,
        user_id=by.user_id,
    )


def _words(memory: Memory) -> str:
    return f"{memory.key} {memory.description} {memory.content}"


def _write_postings(memory: Memory) -> None:
    counted = terms(_words(memory))
    Posting.objects.bulk_create(
        Posting(memory=memory, term=term, count=min(count, 32_000))
        for term, count in sorted(counted.items())
    )
    memory.length = counted.total()
    Memory.objects.filter(pk=memory.pk).update(length=memory.length)


def _write_vector(memory: Memory, vector: AtHand | None) -> None:
    if vector is None:
        Unembedded.objects.create(memory=memory)
    else:
        MemoryVector.objects.create(
            memory=memory, space=vector.space, vector=vector.vector.tolist()
        )
