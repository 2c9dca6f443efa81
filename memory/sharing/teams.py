"""Teams: which agents read each other's `team` memories, and what becomes of those without one.

An agent is in one team at most. A team's memories are those of its present members; `team` on a
memory is the writer's when it was written, and says within what a text or a fact stands once. What
an agent of no team writes stands for itself, `owner`, once there are teams.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q

from memory import store
from memory.models import Memory, Scope, SharedAgent, Team
from memory.models.memory import MemoryQuerySet
from memory.store.lock import hold_workflow
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
    """Its agents are in no team then, and its memories each with its writer; with the last team
    all that was shared so is everybody's again.

    Of two that say the same there, or state the same fact, the later one holds.
    """
    are_left = Team.objects.exclude(pk=team.pk).exists()
    moving = Q(team=team) if are_left else Q(team=team) | Q(owner__isnull=False)
    _merge(moving, by_writer=are_left)
    of_teams = Memory.objects.filter(moving, kind=Memory.Kind.SHARED, scope=Scope.TEAM)
    of_teams.update(team=None, owner=F("writer") if are_left else None)
    record("team.removed", by=by, subject="team", subject_id=team.pk)
    team.delete()


def _merge(moving: Q, *, by_writer: bool) -> None:
    """End what cannot stand beside another where the moving rows will be: all in one place, or
    each writer's in one."""

    def alike(memory: Memory | None = None) -> MemoryQuerySet:
        def its(field: str) -> Any:
            return OuterRef(field) if memory is None else getattr(memory, field)

        same = Q(("hash", its("hash"))) | Q(("fact_key", its("fact_key")), fact_key__isnull=False)
        place = {"workflow": its("workflow")} | ({"writer": its("writer_id")} if by_writer else {})
        return _of_teams(moving | Q(team=None)).filter(same, **place).exclude(pk=its("pk"))

    going = _of_teams(moving).filter(Exists(alike()))
    for workflow in sorted(set(going.values_list("workflow", flat=True))):
        hold_workflow(workflow)  # first, as every write that ends another
    ended = set[int]()
    for memory in _locked(going):
        if memory.pk in ended:
            continue
        for twin in _locked(alike(memory)):
            stays = _stronger(memory, twin)
            if stays is None:
                continue
            ends = twin if stays is memory else memory
            store.supersede(
                ends,
                with_id=stays.pk,
                with_uid=stays.uid,
                at=_now(),
                because="conflict" if ends.hash == stays.hash else "fact",
                by=SYSTEM,
            )
            ended.add(ends.pk)
            if ends is memory:
                break


def _stronger(one: Memory, other: Memory) -> Memory | None:
    """Which of two holds: of one fact the later, else the one that states a fact. None: both, for
    they state two facts in the same words."""
    if one.fact_key != other.fact_key:
        if one.fact_key is not None and other.fact_key is not None:
            return None
        return one if one.fact_key is not None else other
    return max(one, other, key=lambda each: (each.valid_from, each.pk))


def _of_teams(rows: Q) -> MemoryQuerySet:
    """Those of these that stand and are a team's, or are shared as one."""
    return Memory.objects.live().filter(rows, kind=Memory.Kind.SHARED, scope=Scope.TEAM)


def _locked(rows: MemoryQuerySet) -> list[Memory]:
    return list(rows.order_by("pk").select_for_update(of=("self",), no_key=True))


def _now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
