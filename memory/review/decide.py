"""Approve, edit, reject: one winner, checked under the locks, applied through the store."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.db.models.functions import Now
from pydantic import ValidationError

from memory import store
from memory.models import Draft, Mutation, Tombstone
from memory.providers.cleaning import clean
from memory.review.apply import apply
from memory.review.conflict import settle
from memory.review.held import (
    Decided,
    Scope,
    check_rights,
    find,
    hold_scope,
    locked,
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
from memory.review.resolve import resolve
from memory.store import AtHand
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within

TOMBSTONE_DAYS = 180  # E10
EDIT_EMBED_SECONDS = 2.0  # D16
EDITABLE = frozenset({"key", "description", "content", "presence", "trigger_patterns"})
EDITABLE_OF_PERSON = frozenset({"content", "label", "slug", "pinned"})


def approve(
    *, mutation_id: int, by: Caller, version: int | None = None, scope: Scope | None = None
) -> Decided:
    """Apply a pending mutation. `version` is the one the reviewer was shown, when known; `scope`
    is the mutation's, if the caller has read it."""
    return _decide(
        mutation_id, by, version, lambda m: apply(m, by, m.proposal, edited=False), scope
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
        mutation_id, by, version, lambda m: apply(m, by, draft, edited=True, vector=vector)
    )


def reject(
    *, mutation_id: int, by: Caller, reason: str = "", version: int | None = None
) -> Decided:
    """Refuse a pending mutation. A tombstone keeps it from being proposed again."""

    def refuse(mutation: Mutation) -> Decided:
        if mutation.writer_id is not None:
            return settle(mutation, "dropped", by, reason=clean(reason).text[:500])
        resolve(mutation, Mutation.Resolution.REJECTED, by, reason=clean(reason).text[:500])
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
