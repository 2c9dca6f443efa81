"""What stands already where a shared memory is about to be written: the same text, the same fact.

Rows that have expired unswept are swept here, in the same transaction (D29).
"""

from collections.abc import Collection

from django.db.models import F, Q
from django.db.models.functions import Now

from memory.models import Draft, Memory, Scope, SharedAgent, Team
from memory.models.memory import MemoryQuerySet
from memory.store.shared import Because
from memory.store.verbs import close
from tenants.actor import SYSTEM
from tenants.prepared import prepared


def owner_of(draft: Draft, writer: SharedAgent) -> int | None:
    """The agent within whose memories alone a text or a fact is one, if it is one agent.

    That of a private memory; and of a team's by an agent of no team, where there are teams: nobody
    else sees it. While there are none, all agents are as one team.
    """
    if draft.scope == Scope.PRIVATE or (_is_of_no_team(draft, writer) and Team.objects.exists()):
        return writer.pk
    return None


def twin_of(draft: Draft, writer: SharedAgent, hash: str) -> Memory | None:
    """The live memory of this text in the same visibility, which makes a write a duplicate.

    A write that states a fact is no duplicate of one that states another. Of one that states none
    it is: the caller lets it state the fact (`store.state_fact`).
    """
    if not _is_said(hash):
        return None
    rows = _place(draft, writer).filter(hash=hash)
    if draft.fact_key is not None:
        rows = rows.filter(Q(fact_key=draft.fact_key) | Q(fact_key=None))
    return _fresh(rows.order_by(F("fact_key").asc(nulls_last=True), "pk"))


def fact_of(draft: Draft, writer: SharedAgent) -> Memory | None:
    """The live memory of the same fact in the same visibility, locked: it is about to end."""
    if draft.fact_key is None:
        return None
    return _fresh(_place(draft, writer).filter(fact_key=draft.fact_key).order_by("pk"))


def replaced(fact: Memory | None, numbers: Collection[int]) -> list[tuple[Memory, Because]]:
    """What a write stands instead of, locked: the fact that it states anew, and those of these
    memories, which it contradicts, that still live."""
    facts: list[tuple[Memory, Because]] = [] if fact is None else [(fact, "fact")]
    return facts + [(memory, "conflict") for memory in still_live(numbers, but=fact)]


def still_live(numbers: Collection[int], *, but: Memory | None) -> list[Memory]:
    """Those of these memories that still live, locked in the order of their numbers."""
    if not numbers:
        return []
    live = Memory.objects.live().select_for_update(of=("self",), no_key=True)
    rows = live.filter(pk__in=numbers).exclude(pk=but.pk if but is not None else 0)
    return list(rows.order_by("pk"))


def _is_said(hash: str) -> bool:
    """Does any live shared memory have this text? Mostly none has, and that is told in no time."""
    with prepared() as cursor:
        cursor.execute(_SAID, [hash])
        return bool(cursor.fetchone()[0])


_SAID = """
SELECT EXISTS (
    SELECT FROM memory_memory
    WHERE kind = 'shared' AND deleted_at IS NULL AND superseded_by_id IS NULL AND hash = %s
)
"""


def _place(draft: Draft, writer: SharedAgent) -> MemoryQuerySet:
    """Where a text and a fact are one: scope, workflow, and the writer or team they belong to."""
    rows = Memory.objects.live().filter(
        Q(("team_id", writer.team_id if draft.scope == Scope.TEAM else None)),
        kind=Memory.Kind.SHARED,
        scope=draft.scope,
        workflow=draft.workflow or "",
    )
    owner = owner_of(draft, writer)
    return rows.filter(Q(("owner_id", owner)))


def _is_of_no_team(draft: Draft, writer: SharedAgent) -> bool:
    return draft.scope == Scope.TEAM and writer.team_id is None


def _fresh(rows: MemoryQuerySet) -> Memory | None:
    held = rows.select_for_update(of=("self",), no_key=True).annotate(
        is_over=Q(expires_at__isnull=False) & Q(expires_at__lte=Now())
    )
    found = None
    for memory in held:
        if memory.is_over:  # type: ignore[attr-defined]
            close(memory, because=Memory.Closed.EXPIRED, by=SYSTEM)
        else:
            found = found or memory
    return found
