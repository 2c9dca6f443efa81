"""A person takes one memory of theirs back: gone at once, and not learned again (E9, E10).

What stays is a keyed hash of what the memory said, in a tombstone of its scope, so that neither
reconcile nor extraction brings the same words back. The conversation it came from is not touched:
erasing the person is `memory.lifecycle.erase`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.db.models.functions import Now

from agents.models import Visitor
from memory import store
from memory.models import (
    Memory,
    MemoryVersion,
    Mutation,
    Observation,
    Tombstone,
    Unembedded,
)
from tenants.actor import Actor
from tenants.audit import record

FOR_GOOD = timedelta(days=36_500)  # a forgotten text stays forgotten; an erase takes the hash too


class NoSuchMemory(LookupError):
    """Unknown, another person's, another tenant's, or nobody's in particular: the same answer."""


@dataclass(frozen=True)
class Forgotten:
    """How many rows went. `texts` is how many different texts will not be learned again."""

    memory_id: int
    mutations: int
    observations: int
    texts: int


def forget(*, memory_id: int, by: Actor, visitor_id: int | None = None) -> Forgotten:
    """Remove a memory of a person with vectors, versions and proposals, inside `within`.

    `visitor_id` is the person of the caller's credential; another person's memory is then
    `NoSuchMemory`, and so is one that belongs to no person.
    """
    memory, owner = _held(memory_id, visitor_id)
    about = Mutation.objects.filter(Q(target=memory) | Q(memory=memory))
    hashes = _hashes(memory, about)
    twins = Mutation.objects.pending().filter(visitor_id=owner, hash__in=hashes)
    going = sorted({*about.values_list("pk", flat=True), *twins.values_list("pk", flat=True)})
    # The embed stage locks its note first and what it is about then: the same order here.
    list(
        Unembedded.objects.filter(Q(memory=memory) | Q(mutation__in=going))
        .select_for_update(of=("self",))
        .order_by("id")
    )
    list(Mutation.objects.filter(pk__in=going).select_for_update(of=("self",)).order_by("id"))
    list(Memory.objects.filter(pk=memory.pk).select_for_update(of=("self",)))
    observations = Observation.objects.filter(
        Q(mutations__mutation__in=going) | Q(hash__in=hashes), visitor_id=owner
    )
    behind = dict(observations.values_list("pk", "hash"))
    hashes |= set(behind.values())
    _bury(memory, hashes)
    Observation.objects.filter(pk__in=behind).delete()
    Mutation.objects.filter(earlier__in=going).exclude(pk__in=going).update(earlier=None)
    Mutation.objects.filter(pk__in=going).delete()
    store.erase([memory])
    record(
        "memory.forgotten",
        by=by,
        subject="memory",
        subject_id=memory_id,
        visitor=owner,
        mutations=len(going),
        observations=len(behind),
    )
    return Forgotten(memory_id, len(going), len(behind), len(hashes))


def _held(memory_id: int, visitor_id: int | None) -> tuple[Memory, int]:
    """The memory, with its person's row locked against everything that learns from them."""
    found = Memory.objects.filter(pk=memory_id, visitor__isnull=False)
    if visitor_id is not None:
        found = found.filter(visitor_id=visitor_id)
    owner = found.values_list("visitor_id", flat=True).first()
    if owner is None or not Visitor.objects.filter(pk=owner).select_for_update().exists():
        raise NoSuchMemory("no such memory")
    memory = found.select_related("category").first()
    if memory is None:
        raise NoSuchMemory("no such memory")
    return memory, owner


def _hashes(memory: Memory, about: Iterable[Mutation]) -> set[str]:
    """Of everything it said, was about to say, or was proposed to say."""
    drafts: list[Mapping[str, Any]] = [memory.as_draft.given()]
    drafts += MemoryVersion.objects.filter(memory=memory).values_list("draft", flat=True)
    for mutation in about:
        drafts += [mutation.draft, mutation.before]
    texts = {draft["content"] for draft in drafts if draft.get("content")}
    return {store.hash_of(text, memory.tenant_id) for text in texts}


def _bury(memory: Memory, hashes: Iterable[str]) -> None:
    Tombstone.objects.bulk_create(
        Tombstone(
            agent_id=memory.agent_id,
            visitor_id=memory.visitor_id,
            hash=text_hash,
            expires_at=Now() + FOR_GOOD,
        )
        for text_hash in sorted(hashes)
    )
