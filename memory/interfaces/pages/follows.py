"""What follows from a mutation about an always-shown memory: "42 of 500 tokens, pushes out /x".

One query for a page, and none when no card on it is about such a memory.
"""

from collections import defaultdict
from collections.abc import Sequence

from django.conf import settings
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from memory.models import Memory, Mutation, Presence
from memory.recall.formats import Entry
from memory.recall.standing import Effect, effect

MOST = 150  # of one scope that are counted: 500 tokens hold no more bodies
NEW = 0  # the id of a memory that is not there yet

Scope = tuple[int | None, int | None]


def follows_from(mutations: Sequence[Mutation]) -> dict[int, Effect]:
    """By mutation id, for pending ones that add, change or end an omnipresent memory."""
    asked = [m for m in mutations if m.status == Mutation.Status.PENDING and _concerns(m)]
    if not asked:
        return {}
    held = _held({m.agent_id for m in asked}, {m.visitor_id for m in asked})
    found = {}
    for mutation in asked:
        scopes = {(mutation.agent_id, None), (mutation.agent_id, mutation.visitor_id)}
        now = sorted((e for scope in scopes for e in held[scope]), key=lambda entry: entry.id)
        own, then = _then(now, mutation)
        found[mutation.pk] = effect(
            now,
            then,
            own=own,
            budget=settings.RECALL_TOKENS,
            omnipresent=settings.OMNIPRESENT_TOKENS,
        )
    return found


def _concerns(mutation: Mutation) -> bool:
    sides = (mutation.before, {**mutation.before, **mutation.draft})
    return any(side.get("presence") == Presence.OMNIPRESENT for side in sides)


def _held(agents: set[int | None], visitors: set[int | None]) -> dict[Scope, list[Entry]]:
    """The first omnipresent memories of each scope, as recall orders them."""
    rows = (
        Memory.objects.as_of()
        .filter(Q(visitor=None) | Q(visitor__in=visitors - {None}), agent__in=agents)
        .filter(kind=Memory.Kind.LEARNED, presence=Presence.OMNIPRESENT)
        .annotate(
            place=Window(
                RowNumber(), partition_by=[F("agent_id"), F("visitor_id")], order_by=F("pk").asc()
            )
        )
        .filter(place__lte=MOST)
        .order_by("pk")
        .values_list("agent_id", "visitor_id", "pk", "key", "description", "content")
    )
    held: dict[Scope, list[Entry]] = defaultdict(list)
    for agent_id, visitor_id, pk, key, description, content in rows:
        held[agent_id, visitor_id].append(Entry(pk, key, description, content, "omnipresent"))
    return held


def _then(now: list[Entry], mutation: Mutation) -> tuple[int, list[Entry]]:
    """The entries as an approval would leave them, and the id of its own."""
    says = {**mutation.before, **mutation.draft}
    own = NEW if mutation.operation == Mutation.Operation.ADD else mutation.target_id or NEW
    others = [entry for entry in now if entry.id != own]
    gone = mutation.operation == Mutation.Operation.DELETE
    if gone or says.get("presence") != Presence.OMNIPRESENT:
        return own, others
    entry = Entry(
        own,
        says.get("key") or "",
        says.get("description") or "",
        says.get("content") or "",
        "omnipresent",
    )
    if own == NEW:
        return own, [*others, entry]  # the newest comes last
    return own, sorted([*others, entry], key=lambda one: one.id)
