"""Teams: which agents read each other's `team` memories, and what becomes of those without one.

An agent is in one team at most. A team's memories are those of its present members, and within
them a text or a fact stands once: `team` on a memory is its writer's, and moves with it. What an
agent of no team shares stands for itself, `owner`, once there are teams.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
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
    is_first = not Team.objects.exists()
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name)
    except IntegrityError:
        raise NameTaken from None
    if is_first:
        _settle(Q(), are_teams=True)
    record("team.created", by=by, subject="team", subject_id=team.pk)
    team.refresh_from_db()
    return team


def set_agents(team: Team, names: Sequence[str], *, by: Actor) -> list[str]:
    """Exactly these agents are in the team now, registered if they are new; others leave it.

    What they share comes along. A write may race with it and undo it: call it `settled`.
    """
    wanted = sorted(set(names))
    SharedAgent.objects.bulk_create([SharedAgent(name=n) for n in wanted], ignore_conflicts=True)
    either = SharedAgent.objects.filter(Q(name__in=wanted) | Q(team=team)).order_by("pk")
    moving = []
    for agent in either.select_for_update(of=("self",), no_key=True):
        number = team.pk if agent.name in wanted else None
        if agent.team_id != number:
            agent.team_id = number
            moving.append(agent)
    SharedAgent.objects.bulk_update(moving, ["team"])
    _settle(Q(writer__in=moving), are_teams=True)
    record("team.agents_set", by=by, subject="team", subject_id=team.pk, agents=len(wanted))
    return wanted


def remove(team: Team, *, by: Actor) -> None:
    """Its agents are in no team then, and its memories each with its writer; with the last team
    all that was shared so is everybody's again. To be called as `set_agents`.
    """
    are_left = Team.objects.exclude(pk=team.pk).exists()
    agents = SharedAgent.objects.filter(team=team).order_by("pk")
    leaving = list(agents.select_for_update(of=("self",), no_key=True))
    agents.update(team=None)
    _settle(Q(writer__in=leaving) | Q(team=team) if are_left else Q(), are_teams=are_left)
    record("team.removed", by=by, subject="team", subject_id=team.pk)
    team.delete()


def _settle(rows: Q, *, are_teams: bool) -> None:
    """Put these memories where their writers are now, each text and each fact there once.

    Of two that say the same there, or state the same fact, the later one holds.
    """
    moving = Memory.objects.filter(rows, kind=Memory.Kind.SHARED, scope=Scope.TEAM)
    _merge(moving, are_teams=are_teams)
    if not are_teams:
        moving.exclude(team=None, owner=None).update(team=None, owner=None)
        return
    moving.filter(writer__team=None).update(team=None, owner=F("writer"))
    for team_id in (
        moving.values_list("writer__team", flat=True).exclude(writer__team=None).distinct()
    ):
        there = moving.filter(writer__team=team_id)
        there.exclude(Q(team_id=team_id), owner=None).update(team_id=team_id, owner=None)


def _merge(moving: MemoryQuerySet, *, are_teams: bool) -> None:
    """End what cannot stand beside another where the moving rows will be."""

    def alike(memory: Memory | None = None) -> MemoryQuerySet:
        def its(field: str) -> Any:
            return OuterRef(field) if memory is None else getattr(memory, field)

        same = Q(("hash", its("hash"))) | Q(("fact_key", its("fact_key")), fact_key__isnull=False)
        if are_teams:
            team = OuterRef("writer__team") if memory is None else memory.writer.team_id
            same &= Q(("writer", its("writer_id"))) | Q(
                ("writer__team", team), writer__team__isnull=False
            )
        rows = Memory.objects.live().filter(
            same, kind=Memory.Kind.SHARED, scope=Scope.TEAM, workflow=its("workflow")
        )
        return rows.exclude(pk=its("pk"))

    going = moving.live().filter(Exists(alike()))
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
            because: store.Because = "conflict" if ends.hash == stays.hash else "fact"
            store.supersede_all([ends], stays, because=because, by=SYSTEM)
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


def _locked(rows: MemoryQuerySet) -> list[Memory]:
    return list(
        rows.select_related("writer").order_by("pk").select_for_update(of=("self",), no_key=True)
    )
