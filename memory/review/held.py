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
from memory.models import Memory, Mutation
from memory.review.refusals import MayNotDecide, NoSuchMutation
from memory.store.lock import hold_workflow
from tenants.caller import Caller


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


class KeyTaken(Exception):
    """Another decision took the key between look and write."""


@contextmanager
def looking_again(mutation: Mutation, key: str | None) -> Iterator[None]:
    """A write that may meet a key taken meanwhile: undone alone, and told apart."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if not key_taken(mutation, key):
            raise
        raise KeyTaken from error


def key_taken(mutation: Mutation, key: str | None) -> bool:
    return (
        Memory.objects.live()
        .in_scope(mutation.agent_id, mutation.visitor_id)
        .filter(kind=Memory.Kind.LEARNED, key=key)
        .exists()
    )
