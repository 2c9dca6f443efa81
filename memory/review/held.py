"""What a decision holds before it acts, in the one lock order: scope, mutation, target (G2)."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.fields.json import KT
from django.db.models.functions import Now

from memory.gate import Shut, gate
from memory.models import Draft, Memory, Mutation
from memory.models.memory import MemoryQuerySet
from memory.review.refusals import MayNotDecide, NoSuchMutation
from memory.store import hash_of
from memory.store.lock import hold_workflow
from tenants.caller import Caller

KEY_TAKEN = "its key is taken by now"
SAID_ALREADY = "another memory says it by now"


@dataclass(frozen=True)
class Decided:
    """What a verb did. `fresh` is the pending copy that an undo put back in the queue."""

    mutation: Mutation
    memory: Memory | None = None
    fresh: Mutation | None = None


class Scope(NamedTuple):
    """Whose a mutation is. It never changes, so it may be read before the lock."""

    agent_id: int | None
    visitor_id: int | None
    workflow: str | None = None  # of a conflict among shared memories, which has no agent


def scopes_of(mutation_ids: Iterable[int]) -> dict[int, Scope]:
    """By mutation id, of those that exist: one statement, and nothing of what they say."""
    rows = Mutation.objects.filter(pk__in=set(mutation_ids))
    return {
        pk: Scope(agent_id, visitor_id, workflow)
        for pk, agent_id, visitor_id, workflow in rows.values_list(
            "pk", "agent_id", "visitor_id", KT("draft__workflow")
        )
    }


def scope_of(mutation_id: int) -> Scope:
    found = scopes_of([mutation_id]).get(mutation_id)
    if found is None:
        raise NoSuchMutation("no such mutation")
    return found


def find(mutation_id: int) -> Mutation:
    mutation = Mutation.objects.filter(pk=mutation_id).first()
    if mutation is None:
        raise NoSuchMutation("no such mutation")
    return mutation


def locked(mutation_id: int) -> Mutation:
    """Under the scope's lock; it may be gone since it was found, with the person.

    `held_at` is the database's clock as the lock was asked for: when it was decided.
    """
    rows = Mutation.objects.select_for_update(of=("self",), no_key=True).annotate(held_at=Now())
    mutation = rows.filter(pk=mutation_id).first()
    if mutation is None:
        raise NoSuchMutation("no such mutation")
    return mutation


def locked_memory(memory_id: int | None) -> Memory | None:
    """Not its key: the embed stage's vectors refer to the row and must not wait for a reviewer."""
    rows = Memory.objects.select_for_update(of=("self",), no_key=True)
    return rows.filter(Q(("pk", memory_id))).first()


def hold_scope(scope: Scope) -> Shut | None:
    if scope.agent_id is None:
        hold_workflow(scope.workflow or "")
        return None
    return gate(agent_id=scope.agent_id, visitor_id=scope.visitor_id)


def check_rights(mutation: Mutation, by: Caller) -> None:
    if not by.may_decide(mutation.approver):
        wanted = "an editor" if mutation.approver == "member" else "an admin or owner"
        raise MayNotDecide(f"this mutation is decided by {wanted}, signed in")


class Taken(Exception):
    """Another write took the key or the text between look and write; the message says which."""


@contextmanager
def looking_again(mutation: Mutation, draft: Draft, *, but: Memory | None = None) -> Iterator[None]:
    """A write that may meet its key or text taken, before or meanwhile: undone alone, and told
    apart. `but` is the memory that is being written."""
    why = _taken(mutation, draft, but)
    if why:
        raise Taken(why)
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        why = _taken(mutation, draft, but)
        if not why:
            raise
        raise Taken(why) from error


def place_of(mutation: Mutation) -> MemoryQuerySet:
    """The live memories that the mutation is one of, or is about to be."""
    if mutation.is_of_person:  # the profile is the person's, whichever agent proposes
        rows = Memory.objects.live().in_scope(None, mutation.visitor_id)
        return rows.filter(kind=Memory.Kind.PERSON)
    return Memory.objects.live().in_scope(mutation.agent_id, mutation.visitor_id)


def _taken(mutation: Mutation, draft: Draft, but: Memory | None) -> str:
    """Which of the two names of a memory in its place another one has; "" for neither."""
    rows = place_of(mutation)
    if but is not None:
        rows = rows.exclude(pk=but.pk)
    if not mutation.is_of_person:
        rows = rows.filter(kind=Memory.Kind.LEARNED)
        return KEY_TAKEN if draft.key is not None and rows.filter(key=draft.key).exists() else ""
    if draft.slug is not None and rows.filter(slug=draft.slug).exists():
        return KEY_TAKEN
    text_hash = hash_of(draft.content, mutation.tenant_id) if draft.content else ""
    return SAID_ALREADY if text_hash and rows.filter(hash=text_hash).exists() else ""
