"""The reviewer's verbs: approve, reject, edit, undo. The only code that applies a mutation.

Each opens its own block and is always outermost (G1), so that a refusal that has to be recorded
("stale", "out of scope") is kept although the caller gets an error. Lock order everywhere: scope,
mutation, target (G2). A decision is final and has one winner.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
from django.contrib.auth import get_user_model
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.db.models.functions import Now
from pydantic import ValidationError

from memory import store
from memory.gate import Shut, gate
from memory.models import (
    Draft,
    Memory,
    MemoryVersion,
    Mutation,
    MutationSource,
    Observation,
    Tombstone,
    Unembedded,
)
from memory.providers import embedder_for
from memory.providers.cleaning import clean
from memory.providers.errors import ProviderError
from memory.store import AtHand
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within

TOMBSTONE_DAYS = 180  # E10
STALE_RETURNS = 3  # D24
EDIT_EMBED_SECONDS = 2.0  # D16
EDITABLE = frozenset({"key", "description", "content", "presence", "trigger_patterns"})


class ReviewRefused(Exception):
    """A decision that was not made. `status` is the HTTP answer; the message says why."""

    status = 409
    code = "refused"


class NoSuchMutation(ReviewRefused):
    """Unknown, or another tenant's: the same answer."""

    status = 404
    code = "not-found"


class MayNotDecide(ReviewRefused):
    status = 403
    code = "forbidden"


class InvalidEdit(ReviewRefused):
    status = 400
    code = "invalid"


class AlreadyDecided(ReviewRefused):
    code = "decided"

    def __init__(self, mutation: Mutation) -> None:
        self.mutation = mutation
        who = "the system"
        if mutation.resolved_by_id is not None:
            user = get_user_model().objects.filter(pk=mutation.resolved_by_id).first()
            who = user.get_username() if user is not None else f"user {mutation.resolved_by_id}"
        when = mutation.resolved_at.isoformat(timespec="seconds") if mutation.resolved_at else ""
        super().__init__(f"already {mutation.resolution} by {who} at {when}")


class ChangedSinceShown(ReviewRefused):
    code = "changed"


class Stale(ReviewRefused):
    code = "stale"


class OutOfScope(ReviewRefused):
    code = "out-of-scope"


class SwitchedOff(ReviewRefused):
    code = "off"


class CannotUndo(ReviewRefused):
    code = "cannot-undo"


@dataclass(frozen=True)
class Decided:
    """What a verb did. `fresh` is the pending copy that an undo put back in the queue."""

    mutation: Mutation
    memory: Memory | None = None
    fresh: Mutation | None = None


def approve(*, mutation_id: int, by: Caller, version: int | None = None) -> Decided:
    """Apply a pending mutation. `version` is the one the reviewer was shown, when known."""
    return _decide(mutation_id, by, version, lambda m: _apply(m, by, m.proposal, edited=False))


def edit(
    *, mutation_id: int, by: Caller, changes: dict[str, Any], version: int | None = None
) -> Decided:
    """Approve with the reviewer's wording. `changes` are Draft fields laid over the proposal.

    The new content is embedded before the transaction, or left to the embed stage.
    """
    with within(by.tenant_id):
        mutation = _find(mutation_id)
    if mutation.operation == Mutation.Operation.DELETE:
        raise InvalidEdit("a delete has nothing to edit")
    for name in changes:
        if name not in EDITABLE:
            raise InvalidEdit(f"{name}: not a field of what an agent learns")
    try:
        patch = Draft.model_validate({name: _cleaned(value) for name, value in changes.items()})
        draft = patch.over(mutation.proposal)
    except ValidationError as error:
        raise InvalidEdit(_first_fault(error)) from error
    except ValueError as error:
        raise InvalidEdit(str(error)) from error
    vector = None
    if draft.content and draft.content != mutation.proposal.content:
        vector = _embed(draft.content, mutation.space)
    return _decide(
        mutation_id, by, version, lambda m: _apply(m, by, draft, edited=True, vector=vector)
    )


def reject(
    *, mutation_id: int, by: Caller, reason: str = "", version: int | None = None
) -> Decided:
    """Refuse a pending mutation. A tombstone keeps it from being proposed again."""

    def refuse(mutation: Mutation) -> Decided:
        _resolve(mutation, Mutation.Resolution.REJECTED, by, reason=clean(reason).text[:500])
        _bury(mutation)
        record(
            "mutation.rejected",
            by=by.actor,
            subject="mutation",
            subject_id=mutation.pk,
            operation=mutation.operation,
        )
        return Decided(mutation)

    return _decide(mutation_id, by, version, refuse)


def undo(*, mutation_id: int, by: Caller) -> Decided:
    """Take a decision back by a new one: the memory says again what it said before, the proposal
    returns to the queue as a fresh copy, a rejection's tombstone is lifted (D24)."""
    with within(by.tenant_id):
        scope = _find(mutation_id)
        shut = _hold_scope(scope)
        mutation = _locked(mutation_id)
        _check_rights(mutation, by)
        if mutation.status == Mutation.Status.PENDING:
            raise CannotUndo("nothing to undo: it is still pending")
        if mutation.undone_at is not None:
            raise CannotUndo("already undone")
        if mutation.resolution not in ("approved", "edited", "rejected"):
            raise CannotUndo(f"nobody decided it: it ended as {mutation.resolution}")
        if shut is not None:
            raise SwitchedOff(shut.reason)
        memory = None
        if mutation.status == Mutation.Status.APPROVED:
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


# --- one decision --------------------------------------------------------------------------


def _decide(mutation_id: int, by: Caller, version: int | None, act: Any) -> Decided:
    refusal: ReviewRefused
    with within(by.tenant_id):
        scope = _find(mutation_id)
        shut = _hold_scope(scope)
        mutation = _locked(mutation_id)
        try:
            _check_rights(mutation, by)
            if mutation.status != Mutation.Status.PENDING:
                raise AlreadyDecided(mutation)
            if version is not None and version != mutation.version:
                raise ChangedSinceShown("it changed since it was shown: look again")
            if shut is not None:
                raise SwitchedOff(f"{shut.reason}: it stays pending")
            decided = act(mutation)
        except (Stale, OutOfScope, MayNotDecide) as error:
            refusal = error  # what was written about it is kept; the caller still gets an error
            if isinstance(error, MayNotDecide):
                record(
                    "mutation.decision_refused",
                    by=by.actor,
                    subject="mutation",
                    subject_id=mutation_id,
                    why=error.code,
                )
        else:
            return decided  # type: ignore[no-any-return]
    raise refusal


def _find(mutation_id: int) -> Mutation:
    mutation = Mutation.objects.filter(pk=mutation_id).first()
    if mutation is None:
        raise NoSuchMutation("no such mutation")
    return mutation


def _locked(mutation_id: int) -> Mutation:
    """Under the scope's lock; it may be gone since it was found, with the person."""
    rows = Mutation.objects.select_for_update(of=("self",), no_key=True)
    mutation = rows.filter(pk=mutation_id).first()
    if mutation is None:
        raise NoSuchMutation("no such mutation")
    return mutation


def _locked_memory(memory_id: int | None) -> Memory | None:
    """Not its key: the embed stage's vectors refer to the row and must not wait for a reviewer."""
    rows = Memory.objects.select_for_update(of=("self",), no_key=True)
    return rows.filter(Q(("pk", memory_id))).first()


def _hold_scope(mutation: Mutation) -> Shut | None:
    return gate(agent_id=mutation.agent_id, visitor_id=mutation.visitor_id)


def _check_rights(mutation: Mutation, by: Caller) -> None:
    if not by.may_decide(mutation.approver):
        wanted = "an editor" if mutation.approver == "member" else "an admin or owner"
        raise MayNotDecide(f"this proposal is decided by {wanted}, signed in")


def _apply(
    mutation: Mutation, by: Caller, draft: Draft, *, edited: bool, vector: AtHand | None = None
) -> Decided:
    if vector is None and draft.content == mutation.proposal.content:
        vector = _kept_vector(mutation)
    if mutation.operation == Mutation.Operation.ADD:
        memory = _insert(mutation, by, draft, vector)
    else:
        memory = _locked_target(mutation, by)
        if mutation.operation == Mutation.Operation.MODIFY:
            _change(mutation, memory, by, draft, vector)
        else:
            store.close(memory, because=Memory.Closed.DELETED, by=by.actor, mutation_id=mutation.pk)
    resolution = Mutation.Resolution.EDITED if edited else Mutation.Resolution.APPROVED
    mutation.memory, mutation.memory_version = memory, memory.version
    if edited:
        _keep_edit(mutation, draft, vector)
    _resolve(mutation, resolution, by)
    record(
        f"mutation.{resolution}",
        by=by.actor,
        subject="mutation",
        subject_id=mutation.pk,
        operation=mutation.operation,
        memory=memory.pk,
        version=memory.version,
    )
    return Decided(mutation, memory)


def _keep_edit(mutation: Mutation, draft: Draft, vector: AtHand | None) -> None:
    """The row says what was approved, so that an undo puts the edited wording back."""
    if draft.content != mutation.proposal.content:
        mutation.vector = None if vector is None else vector.vector.tolist()
    mutation.draft = draft.given()
    mutation.hash = store.hash_of(mutation.burial_text, mutation.tenant_id)


def _insert(mutation: Mutation, by: Caller, draft: Draft, vector: AtHand | None) -> Memory:
    if _key_taken(mutation, draft.key):
        raise _stale(mutation, by, "its key is taken by now")
    try:
        with _looking_again(mutation, draft.key):
            return store.add(
                tenant_id=mutation.tenant_id,
                kind=Memory.Kind.LEARNED,
                agent_id=mutation.agent_id,
                visitor_id=mutation.visitor_id,
                draft=draft,
                by=by.actor,
                mutation_id=mutation.pk,
                vector=vector,
                source={"mutation": str(mutation.uid), "channel": "review"},
            )
    except _KeyTaken as error:
        raise _stale(mutation, by, "its key is taken by now") from error


def _change(
    mutation: Mutation, memory: Memory, by: Caller, draft: Draft, vector: AtHand | None
) -> None:
    if draft.key not in (None, memory.key) and _key_taken(mutation, draft.key):
        raise _stale(mutation, by, "its new key is taken by now")
    try:
        with _looking_again(mutation, draft.key):
            store.change(memory, draft, by=by.actor, mutation_id=mutation.pk, vector=vector)
    except _KeyTaken as error:
        raise _stale(mutation, by, "its new key is taken by now") from error


class _KeyTaken(Exception):
    """Another decision took the key between look and write."""


@contextmanager
def _looking_again(mutation: Mutation, key: str | None) -> Iterator[None]:
    """A write that may meet a key taken meanwhile: undone alone, and told apart."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if not _key_taken(mutation, key):
            raise
        raise _KeyTaken from error


def _key_taken(mutation: Mutation, key: str | None) -> bool:
    return (
        Memory.objects.live()
        .in_scope(mutation.agent_id, mutation.visitor_id)
        .filter(kind=Memory.Kind.LEARNED, key=key)
        .exists()
    )


def _locked_target(mutation: Mutation, by: Caller) -> Memory:
    target = _locked_memory(mutation.target_id)
    if target is None:
        raise _stale(mutation, by, "its memory is gone")
    if (target.agent_id, target.visitor_id) != (mutation.agent_id, mutation.visitor_id):
        _resolve(mutation, Mutation.Resolution.REJECTED, by, reason="target outside its scope")
        record(
            "mutation.out_of_scope",
            by=by.actor,
            subject="mutation",
            subject_id=mutation.pk,
            memory=target.pk,
        )
        raise OutOfScope("its target lies outside its own scope: it was rejected")
    live = Memory.objects.live().filter(pk=target.pk).exists()
    if not live or target.version != mutation.target_version:
        raise _stale(mutation, by, "its memory has changed since the proposal")
    return target


def _stale(mutation: Mutation, by: Caller, why: str) -> Stale:
    """End the proposal and send its observations back to reconcile, at most three times."""
    _resolve(mutation, Mutation.Resolution.STALE, None, reason=why)
    observations = Observation.objects.filter(mutations__mutation=mutation)
    observations.filter(stale_returns__gte=STALE_RETURNS).update(
        status=Observation.Status.DISCARDED, resolved_at=Now(), resolved_because="stale too often"
    )
    observations.filter(stale_returns__lt=STALE_RETURNS).update(
        status=Observation.Status.NEW,
        resolved_at=None,
        resolved_because="",
        not_before=None,
        stale_returns=models.F("stale_returns") + 1,
    )
    record(
        "mutation.stale",
        by=by.actor,
        subject="mutation",
        subject_id=mutation.pk,
        operation=mutation.operation,
    )
    return Stale(f"{why}: it goes back to be reconciled")


def _resolve(
    mutation: Mutation, resolution: Mutation.Resolution, by: Caller | None, *, reason: str = ""
) -> None:
    approved = resolution in (Mutation.Resolution.APPROVED, Mutation.Resolution.EDITED)
    mutation.status = Mutation.Status.APPROVED if approved else Mutation.Status.REJECTED
    mutation.resolution = resolution
    mutation.resolved_at = Now()
    mutation.resolved_by_id = by.user_id if by is not None else None
    mutation.by_token = by is not None and by.sort == "member"
    mutation.reason = reason
    mutation.version += 1
    mutation.save()
    mutation.refresh_from_db()


# --- vectors, tombstones, undo ---------------------------------------------------------------


def _kept_vector(mutation: Mutation) -> AtHand | None:
    if mutation.vector is None:
        return None
    return AtHand(mutation.space, np.asarray(mutation.vector, dtype=np.float32))


def _embed(text: str, space: str) -> AtHand | None:
    if not space:
        return None
    try:
        vector = embedder_for(space).embed([text], timeout=EDIT_EMBED_SECONDS)[0]
    except ProviderError:
        return None  # the embed stage fills it in
    return AtHand(space, vector) if vector.any() else None


def _bury(mutation: Mutation) -> None:
    Tombstone.objects.create(
        agent_id=mutation.agent_id,
        visitor_id=mutation.visitor_id,
        mutation=mutation,
        hash=store.hash_of(mutation.burial_text, mutation.tenant_id),
        space=mutation.space,
        vector=mutation.vector,
        expires_at=Now()
        + models.Value(timedelta(days=TOMBSTONE_DAYS), output_field=models.DurationField()),
    )


def _take_back(mutation: Mutation, by: Caller) -> Memory:
    memory = _locked_memory(mutation.memory_id)
    if memory is None or memory.version != mutation.memory_version:
        raise CannotUndo("the memory has changed since: undo that first")
    if mutation.operation == Mutation.Operation.ADD:
        return store.close(
            memory, because=Memory.Closed.UNDONE, by=by.actor, mutation_id=mutation.pk
        )
    before = MemoryVersion.objects.get(Q(("version", mutation.target_version)), memory=memory)
    to = Draft.model_validate(before.draft)
    comes_back = memory.deleted_at is not None or memory.key != to.key
    if comes_back and _key_taken(mutation, to.key):
        raise CannotUndo("another memory has its key by now")
    try:
        with _looking_again(mutation, to.key):
            return store.restore(memory, to=to, by=by.actor, mutation_id=mutation.pk)
    except _KeyTaken as error:
        raise CannotUndo("another memory has its key by now") from error


def _fresh_copy(mutation: Mutation, memory: Memory | None) -> Mutation:
    """The same proposal, pending again, made from what the target says now."""
    is_add = mutation.operation == Mutation.Operation.ADD
    target = None if is_add else (memory or mutation.target)
    copied = (
        "agent_id", "visitor_id", "operation", "draft", "evidence", "flags", "reasoning",
        "approver", "made_by", "hash", "space", "vector", "said_count", "last_said_at",
    )  # fmt: skip
    fresh = Mutation.objects.create(
        **{name: getattr(mutation, name) for name in copied},
        target=target,
        target_version=target.version if target is not None else None,
        before=target.as_draft.given() if target is not None else {},
        earlier=mutation,
    )
    if fresh.draft.get("content") and fresh.vector is None:
        Unembedded.objects.create(mutation=fresh)
    MutationSource.objects.bulk_create(
        MutationSource(mutation=fresh, observation_id=number)
        for number in mutation.sources.values_list("observation_id", flat=True)
    )
    return fresh


def _cleaned(value: Any) -> Any:
    """A reviewer's text is cleaned like any other; what is no text is for the Draft to refuse."""
    if isinstance(value, list | tuple):
        return [_cleaned(each) for each in value]
    return clean(value).text if isinstance(value, str) else value


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"]) or "draft"
    return f"{where}: {fault['msg']}"
