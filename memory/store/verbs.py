"""The verbs on a memory: add, change, close, restore, erase. The package says what each keeps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q
from django.db.models.functions import Now

from memory.events.outbox import announce, tell_nobody_of
from memory.models import (
    Category,
    Draft,
    Event,
    Memory,
    MemoryVersion,
    Mention,
    Mutation,
)
from memory.providers.cleaning import content_hash
from memory.recall.terms import terms
from memory.sealing import DataKey
from memory.store.index import (
    AtHand,
    index_again,
    index_new,
    words_of,
)
from memory.store.named import end_unspoken
from memory.store.shared import Shared
from tenants.actor import Actor
from tenants.secrets import tenant_secret


def hash_of(text: str, tenant_id: int, key: DataKey | None = None) -> str:
    """The hash that "exact duplicate" means everywhere (E7), keyed by a customer's key if given."""
    if key is not None:
        return key.hash_of(text)
    return content_hash(text, tenant_secret(tenant_id, "content-hash"))


@dataclass(frozen=True)
class New:
    """A memory to be written: whose, of which kind, what it says, and its vector if at hand."""

    kind: Memory.Kind
    draft: Draft
    agent_id: int | None = None
    visitor_id: int | None = None
    vector: AtHand | None = None
    category: Category | None = None  # the draft's, if the caller has read it
    source: dict[str, Any] = field(default_factory=dict)
    is_auto_generated: bool = False
    shared: Shared | None = None


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
    """Insert a memory. A taken key or text raises IntegrityError; callers look first."""
    new = New(kind, draft, agent_id, visitor_id, vector, source=source or {})
    (memory,) = add_many([new], tenant_id=tenant_id, by=by, mutation_id=mutation_id)
    return memory


def add_many(
    news: Sequence[New], *, tenant_id: int, by: Actor, mutation_id: int | None = None
) -> list[Memory]:
    """Insert memories with versions, index entries and events: one statement a table."""
    categories = _categories(news)
    memories = Memory.objects.bulk_create(
        Memory(
            kind=new.kind,
            agent_id=new.agent_id,
            visitor_id=new.visitor_id,
            source=new.source,
            **{
                "hash": hash_of(new.draft.content or "", tenant_id),
                **_columns(new.draft),
                **(new.shared.columns(new.draft) if new.shared is not None else {}),
            },
            is_auto_generated=new.is_auto_generated,
            category=new.category or categories.get((new.agent_id, new.draft.category)),
            **_creator(new, by),
        )
        for new in news
    )
    index_new([(m, new.vector) for m, new in zip(memories, news, strict=True)])
    _version(memories, "added", by=by, mutation_id=mutation_id)
    kinds = Event.Kind
    announce(kinds.CREATED, [m for m in memories if m.kind != Memory.Kind.SHARED])
    announce(kinds.WRITTEN, [m for m in memories if m.kind == Memory.Kind.SHARED])
    return memories


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
    _version([memory], "changed", by=by, mutation_id=mutation_id)
    announce(Event.Kind.UPDATED, [memory])
    return memory


def close(
    memory: Memory, *, because: Memory.Closed, by: Actor, mutation_id: int | None = None
) -> Memory:
    """End a memory so that no reader sees it; it can be restored."""
    memory.deleted_at = Now()
    memory.closed_because = because
    _bump(memory)
    _version([memory], "closed", by=by, mutation_id=mutation_id)
    swept = because == Memory.Closed.EXPIRED and memory.kind == Memory.Kind.SHARED
    announce(Event.Kind.EXPIRED if swept else Event.Kind.DELETED, [memory])
    return memory


def supersede(
    memory: Memory, *, with_id: int, with_uid: UUID, at: datetime, because: str, by: Actor
) -> Memory:
    """End a shared memory in favour of one that is about to be written under `with_id`.

    `because="fact"`: the fact it states is another from `at` on, the row itself stays.
    `because="conflict"`: it is deleted. Call it before `add`: a fact has one live row.
    """
    memory.superseded_by_id = with_id
    memory.valid_to = at
    if because == "conflict":
        memory.deleted_at = at
        memory.closed_because = Memory.Closed.SUPERSEDED
    _bump(memory)
    _version([memory], "superseded", by=by, mutation_id=None, at=at)
    announce(Event.Kind.SUPERSEDED, [memory], detail={"supersededBy": str(with_uid)})
    return memory


def name_fact(memory: Memory, fact: str, *, by: Actor) -> Memory:
    """A shared memory that stated no fact states one. It says the same, so nobody is told."""
    memory.fact_key = fact
    _bump(memory)
    _version([memory], "changed", by=by, mutation_id=None)
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
    if memory.superseded_by_id is not None:
        memory.superseded_by_id = memory.valid_to = None
    _say(memory, to, vector)
    _version([memory], "restored", by=by, mutation_id=mutation_id)
    written = Event.Kind.WRITTEN if memory.kind == Memory.Kind.SHARED else Event.Kind.CREATED
    announce(written if was_closed else Event.Kind.UPDATED, [memory])
    return memory


def erase(memories: Iterable[Memory]) -> int:
    """Remove rows with their vectors, postings, versions and the mutations about them.

    Their events stay, by ids alone: a key or a label may say what the memory said.
    """
    going = list(memories)
    numbers = [memory.pk for memory in going]
    announce(Event.Kind.DELETED, [memory for memory in going if not _was_told(memory)])
    Event.objects.filter(memory_id__in=numbers).update(category="", key="")
    # A proposal that followed one of theirs, and is not about them itself, stays.
    about = Mutation.objects.filter(Q(target__in=numbers) | Q(memory__in=numbers)).values("pk")
    Mutation.objects.filter(earlier__in=about).exclude(pk__in=about).update(earlier=None)
    # A fact that one of theirs ended stays ended, though nothing says any more by what.
    ended = Memory.objects.filter(superseded_by__in=numbers, deleted_at=None)
    ended.update(deleted_at=F("valid_to"), closed_because=Memory.Closed.SUPERSEDED)
    named = list(Mention.objects.filter(memory__in=numbers).values_list("entity_id", flat=True))
    Memory.objects.filter(pk__in=numbers).delete()
    if named:
        end_unspoken(named)
    tell_nobody_of(numbers)
    return len(going)


def _was_told(memory: Memory) -> bool:
    """The end of a shared memory is told of once: here only if it was not closed before."""
    return memory.kind == Memory.Kind.SHARED and memory.deleted_at is not None


def checked(memory_id: int) -> None:
    """It was compared with what stands beside it, or need not be any more. It says the same."""
    Memory.objects.filter(pk=memory_id).update(unchecked=False)


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
        "label": draft.label or "",
        "slug": draft.slug,
        "pinned": bool(draft.pinned),
        "length": terms(words_of(draft)).total(),
    }


def _creator(new: New, by: Actor) -> dict[str, int | None]:
    """Who wrote it by hand. What a machine wrote has a mutation or a conversation as its source."""
    if new.kind in (Memory.Kind.LEARNED, Memory.Kind.SHARED) or new.is_auto_generated:
        return {}
    return {"creator_id": by.user_id, "creator_token_id": by.token_id}


def _categories(news: Sequence[New]) -> dict[tuple[int | None, str | None], Category]:
    news = [new for new in news if new.draft.category is not None and new.category is None]
    slugs = {new.draft.category for new in news}
    if not slugs:
        return {}
    rows = Category.objects.filter(
        agent_id__in={new.agent_id for new in news if new.agent_id is not None}, slug__in=slugs
    )
    return {(row.agent_id, row.slug): row for row in rows}


def _say(memory: Memory, draft: Draft, vector: AtHand | None) -> None:
    """Write what the memory says from now on, and the index entries that follow from it."""
    before = memory.as_draft
    for column, value in _columns(draft).items():
        setattr(memory, column, value)
    if draft.category != before.category:
        memory.category = Category.objects.get(
            Q(("agent_id", memory.agent_id), ("slug", draft.category))
        )
    if memory.sealed is None:
        memory.hash = hash_of(memory.content, memory.tenant_id)
    elif memory.content:
        raise ValueError(
            f"memory {memory.pk} is sealed: its text cannot be written beside the seal"
        )
    _bump(memory)
    index_again(memory, before, vector)


def _bump(memory: Memory) -> None:
    memory.version += 1
    memory.updated_at = Now()
    memory.save()
    memory.refresh_from_db()


def _version(
    memories: Sequence[Memory],
    because: str,
    *,
    by: Actor,
    mutation_id: int | None,
    at: datetime | None = None,
) -> None:
    """`at` is the instant from which it holds, if that is not the transaction's own."""
    MemoryVersion.objects.bulk_create(
        MemoryVersion(
            memory=memory,
            version=memory.version,
            draft=memory.as_draft.given(),
            because=because,
            mutation_id=mutation_id,
            user_id=by.user_id,
            **({} if at is None else {"made_at": at}),
        )
        for memory in memories
    )
