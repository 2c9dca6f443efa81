"""What approving does: the memory is written through the store, under the locks that are held."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np

from memory import store
from memory.models import Draft, Memory, Mutation
from memory.review.conflict import settle
from memory.review.held import Decided, Taken, locked_memory, looking_again
from memory.review.refusals import OutOfScope
from memory.review.resolve import resolve, stale
from memory.store import AtHand, New
from tenants.audit import record
from tenants.caller import Caller


def apply(
    mutation: Mutation, by: Caller, draft: Draft, *, edited: bool, vector: AtHand | None = None
) -> Decided:
    """Write what `draft` says, mark the mutation and record it. Raises Stale or OutOfScope, each
    with the mutation ended for it."""
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
    resolve(mutation, resolution, by)
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
        raise stale(mutation, by, str(taken)) from taken
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
        raise stale(mutation, by, str(taken)) from taken


def _locked_target(mutation: Mutation, by: Caller) -> Memory:
    target = locked_memory(mutation.target_id)
    if target is None:
        raise stale(mutation, by, "its memory is gone")
    if not _is_in_place(target, mutation):
        resolve(mutation, Mutation.Resolution.REJECTED, by, reason="target outside its scope")
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
        raise stale(mutation, by, "its memory has changed since it was proposed")
    return target


def _is_in_place(target: Memory, mutation: Mutation) -> bool:
    if mutation.is_of_person:
        owner = (None, mutation.visitor_id)
        return target.kind == Memory.Kind.PERSON and (target.agent_id, target.visitor_id) == owner
    return (target.agent_id, target.visitor_id) == (mutation.agent_id, mutation.visitor_id)


def _kept_vector(mutation: Mutation) -> AtHand | None:
    if mutation.vector is None:
        return None
    return AtHand(mutation.space, np.asarray(mutation.vector, dtype=np.float32))
