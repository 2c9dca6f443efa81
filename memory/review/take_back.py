"""Taking a decision back: a new, audited decision that restores what was before (D24)."""

from django.db.models import Q
from django.db.models.functions import Now

from memory import store
from memory.models import (
    Draft,
    Memory,
    MemoryVersion,
    Mutation,
    MutationSource,
    Tombstone,
    Unembedded,
)
from memory.review import conflict
from memory.review.held import (
    KEY_TAKEN,
    SAID_ALREADY,
    Decided,
    Taken,
    check_rights,
    hold_scope,
    locked,
    locked_memory,
    looking_again,
    scope_of,
)
from memory.review.refusals import CannotUndo, SwitchedOff
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within

_TAKEN = {
    KEY_TAKEN: "another memory has its key by now",
    SAID_ALREADY: "another memory says it by now",
}


def undo(*, mutation_id: int, by: Caller) -> Decided:
    """Take a decision back by a new one: the memory says again what it said before, the mutation
    returns to the queue as a fresh copy, a rejection's tombstone is lifted (D24)."""
    with within(by.tenant_id):
        shut = hold_scope(scope_of(mutation_id))
        mutation = locked(mutation_id)
        check_rights(mutation, by)
        if mutation.status == Mutation.Status.PENDING:
            raise CannotUndo("nothing to undo: it is still pending")
        if mutation.undone_at is not None:
            raise CannotUndo("already undone")
        if mutation.resolution not in ("approved", "edited", "kept-both", "rejected"):
            raise CannotUndo(f"nobody decided it: it ended as {mutation.resolution}")
        if shut is not None:
            raise SwitchedOff(shut.reason)
        memory = None
        if mutation.writer_id is not None:
            conflict.take_back(mutation, by)
        elif mutation.status == Mutation.Status.APPROVED:
            memory = _take_back(mutation, by)
        else:
            Tombstone.objects.filter(mutation=mutation).update(lifted_at=Now())
        fresh = _fresh_copy(mutation, memory)
        Mutation.objects.filter(pk=mutation.pk).update(undone_at=Now())
        mutation.refresh_from_db()
        record(
            "mutation.undone",
            by=by.actor,
            subject="mutation",
            subject_id=mutation.pk,
            was=mutation.resolution,
            fresh=fresh.pk,
        )
        return Decided(mutation, memory, fresh)


def _take_back(mutation: Mutation, by: Caller) -> Memory:
    memory = locked_memory(mutation.memory_id)
    if memory is None or memory.version != mutation.memory_version:
        raise CannotUndo("the memory has changed since: undo that first")
    if mutation.operation == Mutation.Operation.ADD:
        return store.close(
            memory, because=Memory.Closed.UNDONE, by=by.actor, mutation_id=mutation.pk
        )
    before = MemoryVersion.objects.get(Q(("version", mutation.target_version)), memory=memory)
    to = Draft.model_validate(before.draft)
    try:
        with looking_again(mutation, to, but=memory):
            return store.restore(memory, to=to, by=by.actor, mutation_id=mutation.pk)
    except Taken as taken:
        raise CannotUndo(_TAKEN[str(taken)]) from taken


def _fresh_copy(mutation: Mutation, memory: Memory | None) -> Mutation:
    """The same mutation, pending again, made from what the target says now."""
    is_add = mutation.operation == Mutation.Operation.ADD
    target = None if is_add else (memory or mutation.target)
    copied = (
        "agent_id", "visitor_id", "writer_id", "conflicts", "expires_at", "operation", "draft",
        "evidence", "flags", "reasoning",
        "approver", "made_by", "hash", "space", "vector", "said_count", "last_said_at",
    )  # fmt: skip
    fresh = Mutation.objects.create(
        **{name: getattr(mutation, name) for name in copied},
        **conflict.sealed_anew(mutation),
        target=target,
        target_version=target.version if target is not None else None,
        before=target.as_draft.given() if target is not None else {},
        earlier=mutation,
    )
    if (fresh.draft.get("content") or fresh.sealed) and fresh.vector is None:
        Unembedded.objects.create(mutation=fresh)
    MutationSource.objects.bulk_create(
        MutationSource(mutation=fresh, observation_id=number)
        for number in mutation.sources.values_list("observation_id", flat=True)
    )
    return fresh
