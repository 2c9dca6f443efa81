"""Teams: which agents read each other's `team` memories, and what becomes of those without one.

An agent is in one team at most. A team's memories are those of its present members; `team` on a
memory is the writer's when it was written, and says within what a text or a fact stands once.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, Q

from memory import store
from memory.models import Memory, Scope, SharedAgent, Team
from memory.models.memory import MemoryQuerySet
from tenants.actor import SYSTEM, Actor
from tenants.audit import record


class NameTaken(Exception):
    """There is a team of this name."""


def found(uid: UUID | None) -> Team | None:
    return Team.objects.filter(uid=uid).first() if uid is not None else None


def create(*, name: str, by: Actor) -> Team:
    """With the first team, what agents of no team share with `team` is their own alone."""
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name)
    except IntegrityError:
        raise NameTaken from None
    record("team.created", by=by, subject="team", subject_id=team.pk)
    team.refresh_from_db()
    return team


def set_agents(team: Team, names: Sequence[str], *, by: Actor) -> list[str]:
    """Exactly these agents are in the team now, registered if they are new; others leave it."""
    wanted = sorted(set(names))
    SharedAgent.objects.bulk_create([SharedAgent(name=n) for n in wanted], ignore_conflicts=True)
    either = SharedAgent.objects.filter(Q(name__in=wanted) | Q(team=team)).order_by("pk")
    moving = list(either.select_for_update(of=("self",), no_key=True))
    for agent in moving:
        agent.team = team if agent.name in wanted else None
    SharedAgent.objects.bulk_update(moving, ["team"])
    record("team.agents_set", by=by, subject="team", subject_id=team.pk, agents=len(wanted))
    return wanted


def remove(team: Team, *, by: Actor) -> None:
    """Its agents are in no team then, and its memories stand among those of no team.

    Of two that say the same there, or state the same fact, the later one holds.
    """
    _merge_into_none(team)
    record("team.removed", by=by, subject="team", subject_id=team.pk)
    team.delete()


def _merge_into_none(team: Team) -> None:
    leaving = _standing_with(team.pk)
    same = Q(hash=OuterRef("hash")) | Q(fact_key__isnull=False, fact_key=OuterRef("fact_key"))
    alike = _standing_with(None).filter(same, workflow=OuterRef("workflow"))
    for memory in _locked(leaving.filter(Exists(alike))):
        twins = _locked(
            _standing_with(None).filter(
                Q(hash=memory.hash) | Q(("fact_key", memory.fact_key), fact_key__isnull=False),
                workflow=memory.workflow,
            )
        )
        newest = max([memory, *twins], key=lambda each: (each.valid_from, each.pk))
        for earlier in twins if newest is memory else [memory]:
            store.supersede(
                earlier,
                with_id=newest.pk,
                with_uid=newest.uid,
                at=_now(),
                because="conflict" if earlier.hash == newest.hash else "fact",
                by=SYSTEM,
            )


def _standing_with(team_id: int | None) -> MemoryQuerySet:
    """The live rows whose `team` is this one, or none."""
    return Memory.objects.live().filter(
        Q(("team_id", team_id)), kind=Memory.Kind.SHARED, scope=Scope.TEAM
    )


def _locked(rows: MemoryQuerySet) -> list[Memory]:
    return list(rows.order_by("pk").select_for_update(of=("self",), no_key=True))


def _now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
