"""From a decision to pending mutations: targets found again, keys settled, graves respected."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce, Greatest
from pydantic import ValidationError

from memory.models import (
    Draft,
    Memory,
    Mutation,
    MutationSource,
    Observation,
    Presence,
    Rule,
    Tombstone,
    Unembedded,
)
from memory.providers.cleaning import clean, instruction_like
from memory.providers.types import Decision, Proposal, Vector
from memory.recall.neighbours import KnownRow
from memory.store import hash_of

REASONING = 500
QUOTES = 10  # kept with a proposal that was said again and again


def write(
    observation: Observation,
    decision: Decision,
    known: Mapping[int, KnownRow],
    vectors: Sequence[Vector | None],
    space: str,
) -> list[Mutation] | None:
    """Store the proposals of one decision, inside `within` and under the scope's lock.

    An empty list when each of them was rejected before or changes nothing; None when a target
    changed since the model looked, so that nothing may be written from what it saw.
    """
    made = []
    for proposal, vector in zip(decision.proposals, vectors, strict=True):
        row = None if proposal.target is None else known.get(proposal.target)
        if proposal.operation != "add" and (row is None or row.state != "memory"):
            continue  # a number that was never shown, or not a memory's: nothing to act on
        target = None if row is None else _unchanged(row)
        if proposal.operation != "add" and target is None:
            return None
        mutation = _mutation(observation, decision, proposal, target, vector, space)
        if mutation is not None:
            made.append(mutation)
    for mutation in made:
        mutation.earlier = _stale_before(observation)
        mutation.save()
        MutationSource.objects.create(mutation=mutation, observation=observation)
        if mutation.draft.get("content") and mutation.vector is None:
            Unembedded.objects.create(mutation=mutation)
    return made


def attach(observation: Observation, mutation: Mutation) -> None:
    """More evidence for a pending proposal: one card a fact, "said 4 times" (D20)."""
    _, new = MutationSource.objects.get_or_create(mutation=mutation, observation=observation)
    if not new:
        return
    mutation.evidence = _enough([*mutation.evidence, *observation.evidence])
    mutation.flags = sorted({*mutation.flags, *observation.flags})
    mutation.said_count += 1
    mutation.last_said_at = Greatest(
        Coalesce(F("last_said_at"), Value(observation.said_at)), Value(observation.said_at)
    )
    mutation.version += 1
    mutation.save()


def _enough(evidence: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a person can read: the first quote and the latest; the sources know them all."""
    return evidence if len(evidence) <= QUOTES else [evidence[0], *evidence[1 - QUOTES :]]


def _unchanged(row: KnownRow) -> Memory | None:
    memory = Memory.objects.live().filter(Q(("pk", row.memory_id))).first()
    return memory if memory is not None and memory.version == row.memory_version else None


def _mutation(
    observation: Observation,
    decision: Decision,
    proposal: Proposal,
    target: Memory | None,
    vector: Vector | None,
    space: str,
) -> Mutation | None:
    """An unsaved mutation; None for what changes nothing, was rejected before or forgotten."""
    operation = Mutation.Operation(proposal.operation)
    draft = _clean(proposal.draft)
    if operation == Mutation.Operation.ADD:
        draft = _whole(draft, observation)
        if Rule.objects.forbids(observation.agent_id, draft.key or ""):
            return None  # a reviewer said: never propose this kind
        target = _holder(observation, draft)
        if target is not None:  # the key is taken: what was meant as new is a change (D21)
            operation = Mutation.Operation.MODIFY
            draft = Draft(**{k: v for k, v in draft.given().items() if k != "key"})
    if operation == Mutation.Operation.DELETE:
        draft, vector = Draft(), None
    if operation == Mutation.Operation.MODIFY and target is not None:
        draft = _difference(draft, target)
        if not draft.given():
            return None
    wide = observation.visitor_id is None
    mutation = Mutation(
        agent_id=observation.agent_id,
        visitor_id=observation.visitor_id,
        operation=operation,
        target=target,
        target_version=target.version if target is not None else None,
        draft=draft.given(),
        before=target.as_draft.given() if target is not None else {},
        evidence=observation.evidence,
        flags=_flags(observation, draft),
        reasoning=clean(decision.reasoning).text[:REASONING],
        approver=Mutation.Approver.ORG_ADMIN if wide else Mutation.Approver.MEMBER,
        made_by=decision.made.as_json(),
        space=space if vector is not None else "",
        vector=vector,
        last_said_at=observation.said_at,
    )
    mutation.hash = hash_of(mutation.burial_text, observation.tenant_id)
    return None if _was_rejected(mutation) else mutation


def _clean(draft: Draft) -> Draft:
    """Model output is untrusted text like any other."""
    given = draft.given()
    for name in ("content", "description"):
        if given.get(name):
            given[name] = clean(given[name]).text
    if given.get("trigger_patterns"):
        cleaned = [clean(pattern).text.strip() for pattern in given["trigger_patterns"]]
        given["trigger_patterns"] = [pattern for pattern in cleaned if pattern]
    return Draft.model_validate(given)


def _whole(draft: Draft, observation: Observation) -> Draft:
    """An add needs every field; what the model left out follows from the statement."""
    content = draft.content or observation.statement
    given = {
        "key": draft.key or "/notes/" + " ".join(content.split()[:6]),
        "description": draft.description or content[:80],
        "content": content,
        "presence": draft.presence or Presence.ON_DEMAND,
        "trigger_patterns": draft.trigger_patterns or (),
    }
    if given["presence"] == Presence.PATTERN and not given["trigger_patterns"]:
        given["presence"] = Presence.ON_DEMAND
    try:
        return Draft.model_validate(given)
    except ValidationError:  # a key of nothing but signs
        return Draft.model_validate({**given, "key": f"/notes/{observation.pk}"})


def _holder(observation: Observation, draft: Draft) -> Memory | None:
    """The live memory of the scope that has the draft's key."""
    return (
        Memory.objects.live()
        .in_scope(observation.agent_id, observation.visitor_id)
        .filter(kind=Memory.Kind.LEARNED, key=draft.key)
        .first()
    )


def _difference(draft: Draft, target: Memory) -> Draft:
    """Only the fields that change something."""
    now = target.as_draft.given()
    return Draft(**{k: v for k, v in draft.given().items() if v is not None and v != now.get(k)})


def _flags(observation: Observation, draft: Draft) -> list[str]:
    flags = set(observation.flags)
    if draft.content and instruction_like(draft.content):
        flags.add("instruction-like")
    return sorted(flags)


def _was_rejected(mutation: Mutation) -> bool:
    return (
        Tombstone.objects.standing()
        .covering(mutation.agent_id, mutation.visitor_id)
        .filter(hash=mutation.hash)
        .exists()
    )


def _stale_before(observation: Observation) -> Mutation | None:
    """The proposal of this observation that went stale: the new one links to it (D24)."""
    return (
        Mutation.objects.filter(
            sources__observation=observation, resolution=Mutation.Resolution.STALE
        )
        .order_by("-id")
        .first()
    )
