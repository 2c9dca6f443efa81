"""What the model of a reviewed agent wants becomes a proposal that a person decides about (E3).

One card a fact: the same text again is more weight for the proposal that waits, the same key again
is its newer wording. Inside `within`, with the person held.
"""

from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Now

from memory.models import Draft, Memory, Mutation, Rule, Unembedded
from memory.models.draft import profile_key
from memory.providers.cleaning import instruction_like
from memory.store import AtHand, hash_of
from memory.tools.outcome import Outcome
from memory.tools.person import Person
from tenants.audit import record

QUOTES = 10
WAITS = "it waits for a person's decision; until then nobody is told of it"


def add(person: Person, draft: Draft, vector: AtHand | None) -> Outcome:
    if Rule.objects.forbids(person.agent_id or 0, profile_key(draft.slug)):
        return Outcome("refused", None, "refused because nothing of this kind is to be proposed")
    if draft.slug is not None:
        same_key = _waiting(person, operation=Mutation.Operation.ADD, draft__slug=draft.slug)
        if same_key is not None:
            return _reword(person, same_key, draft, vector)
    return _pending(person, Mutation(operation=Mutation.Operation.ADD), draft, vector, "remember")


def change(
    person: Person, row: Memory, patch: Draft, vector: AtHand | None, *, tool: str
) -> Outcome:
    earlier = _waiting(
        person, operation=Mutation.Operation.MODIFY, target=row, target_version=row.version
    )
    if earlier is not None:
        return _reword(person, earlier, patch.over(earlier.proposal), vector)
    return _pending(person, _about(row, Mutation.Operation.MODIFY), patch, vector, tool)


def delete(person: Person, row: Memory) -> Outcome:
    return _pending(person, _about(row, Mutation.Operation.DELETE), Draft(), None, "forget")


def _about(row: Memory, operation: Mutation.Operation) -> Mutation:
    return Mutation(
        operation=operation,
        target=row,
        target_version=row.version,
        before=row.as_draft.given(),
    )


def _waiting(person: Person, **which: Any) -> Mutation | None:
    """The oldest proposal about this person's profile that waits and is like that, locked. The
    note of a missing vector comes first, as the embed stage has it."""
    rows = Mutation.objects.pending().filter(
        Q(draft__has_key="label") | Q(before__has_key="label"),
        Q(("agent_id", person.agent_id), ("visitor_id", person.visitor_id)),
        **which,
    )
    number = rows.order_by("id").values_list("pk", flat=True).first()
    if number is None:
        return None
    list(Unembedded.objects.filter(mutation_id=number).select_for_update(of=("self",)))
    return rows.select_for_update(of=("self",), no_key=True).filter(pk=number).first()


def _pending(
    person: Person, mutation: Mutation, draft: Draft, vector: AtHand | None, tool: str
) -> Outcome:
    mutation.agent_id, mutation.visitor_id = person.agent_id, person.visitor_id
    mutation.evidence = [dict(item) for item in person.evidence]
    mutation.approver = Mutation.Approver.MEMBER
    mutation.made_by = {
        "provider": "tool",
        "model": tool,
        "prompt": "",
        "channel": person.channel,
        "conversation": person.conversation or "",
    }
    mutation.reasoning = f"The agent called {tool}."
    mutation.last_said_at = Now()
    _say(mutation, draft, vector, person.tenant_id)
    again = _waiting(person, operation=mutation.operation, hash=mutation.hash)
    if again is not None:
        _weigh(person, again)
        again.save()
        return Outcome("pending", str(again.uid), f"proposed already: {WAITS}")
    mutation.save()
    needs_vector = _leave_vector(mutation)
    record(
        "mutation.proposed",
        by=person.by,
        subject="mutation",
        subject_id=mutation.pk,
        operation=mutation.operation,
        agent=person.agent_id,
        visitor=person.visitor_id,
        channel=person.channel,
    )
    return Outcome("pending", str(mutation.uid), WAITS, needs_vector)


def _reword(person: Person, mutation: Mutation, draft: Draft, vector: AtHand | None) -> Outcome:
    """The proposal that waits says the newer thing; whoever was shown the older one looks again."""
    if draft == mutation.proposal:
        _weigh(person, mutation)
        mutation.save()
        return Outcome("pending", str(mutation.uid), f"proposed already: {WAITS}")
    is_new_text = draft.content != mutation.proposal.content
    if not is_new_text and mutation.vector is not None:
        vector = AtHand(mutation.space, mutation.vector)
    _weigh(person, mutation)
    _say(mutation, draft, vector, person.tenant_id)
    mutation.save()
    Unembedded.objects.filter(mutation=mutation).delete()
    needs_vector = _leave_vector(mutation)
    return Outcome(
        "pending", str(mutation.uid), f"the proposal says this now: {WAITS}", needs_vector
    )


def _weigh(person: Person, mutation: Mutation) -> None:
    fresh = [dict(item) for item in person.evidence if dict(item) not in mutation.evidence]
    evidence = [*mutation.evidence, *fresh]
    if len(evidence) > QUOTES:
        evidence = [evidence[0], *evidence[1 - QUOTES :]]
    mutation.evidence = evidence
    mutation.said_count = F("said_count") + 1
    mutation.last_said_at = Now()
    mutation.version += 1


def _say(mutation: Mutation, draft: Draft, vector: AtHand | None, tenant_id: int) -> None:
    mutation.draft = draft.given()
    mutation.vector = None if vector is None else [float(x) for x in vector.vector]
    mutation.space = "" if vector is None else vector.space
    mutation.hash = hash_of(mutation.burial_text, tenant_id)
    flags = set()
    if draft.content and instruction_like(draft.content):
        flags.add("instruction-like")
    if not mutation.evidence:
        flags.add("no-evidence")
    mutation.flags = sorted(flags)


def _leave_vector(mutation: Mutation) -> bool:
    if not mutation.draft.get("content") or mutation.vector is not None:
        return False
    Unembedded.objects.create(mutation=mutation)
    return True
