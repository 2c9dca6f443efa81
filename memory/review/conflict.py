"""A conflict among shared memories ends: superseded, both kept, or dropped (D27).

The decision about a write that `human_in_loop` blocked. Its scope is the workflow: held first,
as by every write that is compared there. Whichever way it ends, `memory.conflict_resolved` says
so under the id that the blocked write was answered.
"""

from typing import Any, Literal
from uuid import uuid4

import numpy as np
from django.db.models import Q
from django.db.models.functions import Now

from memory import store
from memory.events.outbox import announce_conflict
from memory.models import Draft, Event, Memory, Mutation, SharedAgent
from memory.review import stored
from memory.review.held import Decided
from memory.review.refusals import CannotUndo, Unreadable
from memory.sealing import key_in_use, proposals_opened
from memory.store import AtHand, Because
from memory.store.standing import fact_of, replaced, twin_of
from tenants.actor import Actor
from tenants.audit import record
from tenants.caller import Caller

Outcome = Literal["superseded", "kept-both", "dropped"]


def settle(mutation: Mutation, outcome: Outcome, by: Caller, *, reason: str = "") -> Decided:
    """A person's decision, inside the caller's locks. Supersede: the write goes in and what it
    contradicts ends. Keep both: it goes in beside. Drop: it does not."""
    memory, detail = None, dict[str, Any]()
    if stored.is_stored(mutation):
        memory = stored.settle(mutation, outcome, by.actor)
    elif outcome != "dropped":
        memory, detail = _write(mutation, outcome, by)
    end(mutation, outcome, by=by.actor, decided_by=by, memory=memory, reason=reason, **detail)
    return Decided(mutation, memory)


def end(
    mutation: Mutation,
    outcome: str,
    *,
    by: Actor,
    decided_by: Caller | None = None,
    memory: Memory | None = None,
    reason: str = "",
    **detail: Any,
) -> None:
    """Write down how a conflict ended, and announce it. Without a person it ended by its own
    expiry or with its workflow: `outcome` is then "expired" or "purged"."""
    kinds = Mutation.Resolution
    resolution = {
        "superseded": kinds.APPROVED, "kept-both": kinds.KEPT_BOTH, "dropped": kinds.REJECTED,
    }.get(outcome, kinds.EXPIRED)  # fmt: skip
    mutation.status = "rejected" if memory is None else "approved"
    mutation.resolution = resolution
    mutation.resolved_at = Now()
    mutation.resolved_by_id = decided_by.user_id if decided_by is not None else None
    mutation.by_token = decided_by is not None and decided_by.sort == "member"
    mutation.reason = reason[:500]
    mutation.memory = memory
    own = memory is not None and memory.uid == mutation.uid  # a twin is not its to take back
    mutation.memory_version = memory.version if memory is not None and own else None
    mutation.version += 1
    mutation.save()
    mutation.refresh_from_db()
    record(
        f"conflict.{outcome}",
        by=by,
        subject="mutation",
        subject_id=mutation.pk,
        memory=memory.pk if memory is not None else None,
        **detail,
    )
    told = {
        "writeId": str(mutation.uid),
        "outcome": outcome,
        "workflowId": mutation.draft.get("workflow"),
        "conflicts": [{"memoryId": each["uid"]} for each in mutation.conflicts],
    }
    announce_conflict(Event.Kind.CONFLICT_RESOLVED, write=mutation.uid, detail=told)


def take_back(mutation: Mutation, by: Caller) -> None:
    """What an undo undoes of a decided conflict, in the caller's block: the write ends, and what
    it had ended stands again. A write that was dropped left nothing."""
    if stored.is_stored(mutation):
        stored.take_back(mutation, by.actor)
        return
    memory = mutation.memory
    if memory is None:
        return
    if memory.deleted_at is not None or memory.version != mutation.memory_version:
        raise CannotUndo("the memory has changed since: undo that first")
    earlier = list(Memory.objects.select_for_update(no_key=True).filter(superseded_by=memory))
    store.close(memory, because=Memory.Closed.UNDONE, by=by.actor, mutation_id=mutation.pk)
    stored.stand_again(earlier, mutation, by.actor)


def sealed_anew(mutation: Mutation) -> dict[str, Any]:
    """The columns by which a fresh copy has the text of a sealed proposal: bytes are bound to the
    proposal they were sealed for. A text that nothing opens any more is not copied."""
    if mutation.sealed is None:
        return {}
    ((_, draft),), key, uid = proposals_opened([mutation]), key_in_use(for_write=True), uuid4()
    if key is None or draft.content is None:
        return {"uid": uid}
    return {"uid": uid, "sealed": key.seal(draft.content, uid=uid).text}


def _write(mutation: Mutation, outcome: Outcome, by: Caller) -> tuple[Memory, dict[str, Any]]:
    """Store the write that waited, under the id it was answered."""
    writer = SharedAgent.objects.get(Q(("pk", mutation.writer_id)))
    ((_, draft),), detail = proposals_opened([mutation]), dict[str, Any]()
    if draft.content is None:
        raise Unreadable("its text is sealed under a key that was removed: drop it")
    key = key_in_use(for_write=True)
    twin = twin_of(draft, writer, store.hash_of(draft.content, mutation.tenant_id, key))
    if twin is not None:  # it was written again since: nothing to add
        if outcome == "superseded":
            stored.supersede_with(twin, mutation, by.actor)
            store.state_fact(twin, draft, writer=writer, by=by.actor)
        return twin, {"twin": twin.pk}
    fact = fact_of(draft, writer)
    instead: list[tuple[Memory, Because]] = []
    if outcome == "superseded":
        instead = replaced(fact, [each["id"] for each in mutation.conflicts])
    elif fact is not None:  # two live rows of one fact cannot be: the kept one names none (G10)
        detail["fact_key"] = "removed"
        draft = Draft.model_validate({**draft.given(), "fact_key": None})
    memory = store.share(
        draft,
        writer=writer,
        by=by.actor,
        instead_of=instead,
        vector=_vector(mutation),
        uid=mutation.uid,
        sealed=key.seal(draft.content, uid=mutation.uid) if key and draft.content else None,
    )
    return memory, detail


def _vector(mutation: Mutation) -> AtHand | None:
    if mutation.vector is None:
        return None
    return AtHand(mutation.space, np.asarray(mutation.vector, dtype=np.float32))
