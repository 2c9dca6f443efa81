"""A blocked write waits in the review queue as a conflict, with what it contradicts (D27)."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.db.models import F
from django.db.models.functions import Now

from memory.events.outbox import announce_conflict
from memory.models import Draft, Event, Mutation, SharedAgent
from memory.sealing import DataKey, sealed_proposal
from memory.sharing.contradicted import Found
from memory.store import AtHand


def raise_conflict(
    draft: Draft,
    *,
    writer: SharedAgent,
    hash: str,
    key: DataKey | None,
    found: Sequence[Found],
    made_by: dict[str, Any],
    vector: AtHand | None = None,
    policy: dict[str, Any] | None = None,
) -> Mutation:
    """The pending proposal for this write, raised now, or told again if it waits already.

    Inside `within`, under the workflow's lock. `policy` names what blocked the write, for those
    who are told of it.
    """
    pending = Mutation.objects.pending().filter(writer=writer, hash=hash).defer("vector")
    for mutation in pending.order_by("pk"):
        if _is_same(mutation.proposal, draft):
            again = Mutation.objects.filter(pk=mutation.pk)
            again.update(said_count=F("said_count") + 1, last_said_at=Now())
            return mutation
    uid = uuid4()
    texts = {"draft": draft.given(), "hash": hash, **sealed_proposal(draft, key, uid=uid)}
    mutation = Mutation.objects.create(
        uid=uid,
        writer=writer,
        operation=Mutation.Operation.ADD,
        approver=Mutation.Approver.ORG_ADMIN,
        # A description quotes both texts: under a customer's key it is not kept.
        conflicts=[_told(each, quotes=key is None) for each in found],
        reasoning="; ".join(each.description for each in found)[:500] if key is None else "",
        made_by=made_by,
        **texts,
        space=vector.space if vector is not None else "",
        vector=vector.vector.tolist() if vector is not None else None,
        expires_at=draft.expires_at,
    )
    detail = {**detail_of(draft, writer, found, policy), "writeId": str(mutation.uid)}
    announce_conflict(Event.Kind.CONFLICT_DETECTED, write=mutation.uid, detail=detail)
    return mutation


def _is_same(waiting: Draft, draft: Draft) -> bool:
    """Would both be written in one place, as the same fact? Of the text the hash has told."""
    return (waiting.workflow, waiting.scope, waiting.fact_key) == (
        draft.workflow,
        draft.scope,
        draft.fact_key,
    )


def detail_of(
    draft: Draft, writer: SharedAgent, found: Sequence[Found], policy: dict[str, Any] | None
) -> dict[str, Any]:
    """Of a conflict's event: ids and names, no text."""
    return {
        **(policy or {}),
        "agentId": writer.name,
        "workflowId": draft.workflow,
        "scope": draft.scope,
        "conflicts": [
            {"memoryId": str(each.memory.uid), "severity": str(each.severity)} for each in found
        ],
    }


def _told(found: Found, *, quotes: bool) -> dict[str, Any]:
    return {
        "id": found.memory.pk,
        "uid": str(found.memory.uid),
        "version": found.memory.version,
        "severity": str(found.severity),
        "description": found.description if quotes else "",
    }
