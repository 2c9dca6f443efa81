"""Approve, edit, reject: one winner, checked under the locks, applied through the store."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.db import models
from django.db.models.functions import Now
from pydantic import ValidationError

from memory import store
from memory.models import Draft, Memory, Mutation, Observation, Tombstone
from memory.providers.cleaning import clean
from memory.review.conflict import settle
from memory.review.held import (
    Decided,
    Scope,
    Taken,
    check_rights,
    find,
    hold_scope,
    locked,
    locked_memory,
    looking_again,
    scope_of,
    scopes_of,
)
from memory.review.refusals import (
    AlreadyDecided,
    ChangedSinceShown,
    InvalidEdit,
    MayNotDecide,
    NoConflict,
    OutOfScope,
    ReviewRefused,
    Stale,
    SwitchedOff,
)
from memory.store import AtHand, New
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within

TOMBSTONE_DAYS = 180  # E10
STALE_RETURNS = 3  # D24
EDIT_EMBED_SECONDS = 2.0  # D16
RESOLVED = (
    "status", "resolution", "resolved_at", "resolved_by", "by_token", "reason", "version",
    "memory", "memory_version",
)  # fmt: skip
EDITABLE = frozenset({"key", "description", "content", "presence", "trigger_patterns"})
EDITABLE_OF_PERSON = frozenset({"content", "label", "slug", "pinned"})


def approve(
    *, mutation_id: int, by: Caller, version: int | None = None, scope: Scope | None = None
) -> Decided:
    """Apply a pending mutation. `version` is the one the reviewer was shown, when known; `scope`
    is the mutation's, if the caller has read it."""
    return _decide(
        mutation_id, by, version, lambda m: _apply(m, by, m.proposal, edited=False), scope
    )


def approve_each(
    *, items: Sequence[tuple[int, int | None]], by: Caller
) -> Iterator[tuple[int, ReviewRefused | None]]:
    """Approve (id, version) in their order, each in a transaction of its own, and say how each
    ended: None, or why not. None of them waits for, or is undone by, another."""
    with within(by.tenant_id):
        scopes = scopes_of(number for number, _ in items)
    for number, version in items:
        try:
            approve(mutation_id=number, by=by, version=version, scope=scopes.get(number))
        except ReviewRefused as refusal:
            yield number, refusal
        else:
            yield number, None


def edit(
    *, mutation_id: int, by: Caller, changes: dict[str, Any], version: int | None = None
) -> Decided:
    """Approve with the reviewer's wording. `changes` are Draft fields laid over the mutation.

    The new content is embedded before the transaction, or left to the embed stage.
    """
    with within(by.tenant_id):
        mutation = find(mutation_id)
    if mutation.operation == Mutation.Operation.DELETE:
        raise InvalidEdit("a delete has nothing to edit")
    if mutation.writer_id is not None:
        raise InvalidEdit("an agent's own words are taken or dropped as they are")
    editable = EDITABLE_OF_PERSON if mutation.is_of_person else EDITABLE
    for name in changes:
        if name not in editable:
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
        vector = AtHand.of(draft.content, mutation.space, timeout=EDIT_EMBED_SECONDS)
    return _decide(
        mutation_id, by, version, lambda m: _apply(m, by, draft, edited=True, vector=vector)
    )


def reject(
    *, mutation_id: int, by: Caller, reason: str = "", version: int | None = None
) -> Decided:
    """Refuse a pending mutation. A tombstone keeps it from being proposed again."""

    def refuse(mutation: Mutation) -> Decided:
        if mutation.writer_id is not None:
            return settle(mutation, "dropped", by, reason=clean(reason).text[:500])
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


def keep_both(*, mutation_id: int, by: Caller, version: int | None = None) -> Decided:
    """Of a conflict alone: the write that was blocked goes in beside what it contradicts."""

    def keep(mutation: Mutation) -> Decided:
        if mutation.writer_id is None:
            raise NoConflict("it contradicts nothing: approve or reject it")
        return settle(mutation, "kept-both", by)

    return _decide(mutation_id, by, version, keep)


# --- one decision --------------------------------------------------------------------------


def _decide(
    mutation_id: int, by: Caller, version: int | None, act: Any, scope: Scope | None = None
) -> Decided:
    refusal: ReviewRefused
    with within(by.tenant_id):
        shut = hold_scope(scope or scope_of(mutation_id))
        mutation = locked(mutation_id)
        try:
            check_rights(mutation, by)
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


def _apply(
    mutation: Mutation, by: Caller, draft: Draft, *, edited: bool, vector: AtHand | None = None
) -> Decided:
    if mutation.writer_id is not None:
        return settle(mutation, "superseded", by)
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
    mutation.save(update_fields=["vector", "draft", "hash"])


def _insert(mutation: Mutation, by: Caller, draft: Draft, vector: AtHand | None) -> Memory:
    of_person = mutation.is_of_person
    new = New(
        Memory.Kind.PERSON if of_person else Memory.Kind.LEARNED,
        draft,
        agent_id=None if of_person else mutation.agent_id,
        visitor_id=mutation.visitor_id,
        vector=vector,
        source=_source(mutation),
        is_auto_generated=of_person,
    )
    try:
        with looking_again(mutation, draft):
            (memory,) = store.add_many(
                [new], tenant_id=mutation.tenant_id, by=by.actor, mutation_id=mutation.pk
            )
    except Taken as taken:
        raise _stale(mutation, by, str(taken)) from taken
    return memory


def _source(mutation: Mutation) -> dict[str, Any]:
    """Where it comes from: the conversation, and the day there. Search orders by both."""
    source = {"mutation": str(mutation.uid), "channel": "review"}
    if mutation.is_of_person:
        asked = {"origin": mutation.made_by.get("channel", "")}
        asked["conversation"] = mutation.made_by.get("conversation", "")
        return {**source, **{name: value for name, value in asked.items() if value}}
    for item in mutation.evidence:
        if item.get("conversation"):
            said = datetime.fromisoformat(item["at"]) + timedelta(minutes=item.get("offset", 0))
            return {
                **source,
                "conversation": str(item["conversation"]),
                "said_on": said.date().isoformat(),
            }
    return source


def _change(
    mutation: Mutation, memory: Memory, by: Caller, draft: Draft, vector: AtHand | None
) -> None:
    try:
        with looking_again(mutation, draft, but=memory):
            store.change(memory, draft, by=by.actor, mutation_id=mutation.pk, vector=vector)
    except Taken as taken:
        raise _stale(mutation, by, str(taken)) from taken


def _locked_target(mutation: Mutation, by: Caller) -> Memory:
    target = locked_memory(mutation.target_id)
    if target is None:
        raise _stale(mutation, by, "its memory is gone")
    if not _is_in_place(target, mutation):
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
        raise _stale(mutation, by, "its memory has changed since it was proposed")
    return target


def _is_in_place(target: Memory, mutation: Mutation) -> bool:
    if mutation.is_of_person:
        owner = (None, mutation.visitor_id)
        return target.kind == Memory.Kind.PERSON and (target.agent_id, target.visitor_id) == owner
    return (target.agent_id, target.visitor_id) == (mutation.agent_id, mutation.visitor_id)


def _stale(mutation: Mutation, by: Caller, why: str) -> Stale:
    """End the mutation and send its observations back to reconcile, at most three times."""
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
    mutation.resolved_at = mutation.held_at  # type: ignore[attr-defined]
    mutation.resolved_by_id = by.user_id if by is not None else None
    mutation.by_token = by is not None and by.sort == "member"
    mutation.reason = reason
    mutation.version += 1
    mutation.save(update_fields=RESOLVED)


# --- vectors, tombstones ---------------------------------------------------------------------


def _kept_vector(mutation: Mutation) -> AtHand | None:
    if mutation.vector is None:
        return None
    return AtHand(mutation.space, np.asarray(mutation.vector, dtype=np.float32))


def _bury(mutation: Mutation) -> None:
    Tombstone.objects.create(
        agent_id=mutation.agent_id,
        visitor_id=mutation.visitor_id,
        mutation=mutation,
        hash=store.hash_of(mutation.burial_text, mutation.tenant_id),
        space=mutation.space,
        vector=mutation.vector,
        expires_at=Now() + timedelta(days=TOMBSTONE_DAYS),
    )


def _cleaned(value: Any) -> Any:
    """A reviewer's text is cleaned like any other; what is no text is for the Draft to refuse."""
    if isinstance(value, list | tuple):
        return [_cleaned(each) for each in value]
    return clean(value).text if isinstance(value, str) else value


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"]) or "draft"
    return f"{where}: {fault['msg']}"
