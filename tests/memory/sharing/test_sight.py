"""Who sees what, in worlds of agents, teams, grants, ends and instants, by a model of its own.

The model is the contract's table in plain Python over what the steps said. Of the rows it reads
only which have ended.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import AccessGrant, Draft, Memory, Reader, Team
from memory.providers.wordllama_space import SPACE
from memory.recall.query import prepare as prepare_query
from memory.recall.sight import visible
from memory.sharing import read, teams, workflows
from memory.sharing.agents import agent_called, reader_of, reader_of_all
from memory.sharing.write import Prepared, Written, write
from tenants.actor import SYSTEM
from tenants.context import within
from tests.factories import make_tenant

AGENTS, WORKFLOWS = "abc", (None, "w", "W")
SCOPES, ROLES = ("private", "team", "global"), (None, "planner", "observer")
TEXTS = ("one", "two", "three", "four")
TEAMS = ("red", "blue")
HOUR = timedelta(hours=1)

_agent, _scope = st.sampled_from(AGENTS), st.sampled_from(SCOPES)
STEPS = st.one_of(
    st.tuples(
        st.just("write"), _agent, _scope, st.sampled_from(ROLES), st.sampled_from(WORKFLOWS),
        st.sampled_from(TEXTS), st.sampled_from((None, None, "fact")),
        st.sampled_from((None, None, -1, 1)),
    ),
    st.tuples(st.just("team"), st.sampled_from(TEAMS), st.sets(_agent)),
    st.tuples(st.just("no team"), st.sampled_from(TEAMS)),
    st.tuples(
        st.just("grant"), _agent, st.sampled_from(ROLES[1:]), _scope,
        st.sampled_from(((-2, None), (-2, -1), (-1, 1), (1, None), (1, 2))),
    ),
    st.tuples(st.just("delete"), st.integers(0, 9)),
)  # fmt: skip


@dataclass
class Said:
    agent: str
    scope: str
    role: str | None
    workflow: str | None
    text: str
    fact: str | None
    is_over: bool


@dataclass
class World:
    """What the steps did, as the contract tells it."""

    tenant_id: int
    said: dict[UUID, Said] = field(default_factory=dict)
    ended: set[UUID] = field(default_factory=set)
    teams: dict[str, set[str]] = field(default_factory=dict)
    grants: list[tuple[str, str, str]] = field(default_factory=list)

    def may_see(self, agent: str, said: Said) -> bool:
        if said.agent == agent or said.scope == "global":
            return True
        is_of_one = any({agent, said.agent} <= each for each in self.teams.values())
        if said.scope == "team" and (is_of_one or not self.teams):
            return True
        return (agent, said.role, said.scope) in self.grants

    def sees(self, agent: str | None, workflow: str | None, scope: str | None) -> set[UUID]:
        return {
            uid
            for uid, said in self.said.items()
            if uid not in self.ended and not said.is_over
            if agent is None or self.may_see(agent, said)
            if workflow is None or said.workflow == workflow
            if scope is None or said.scope == scope
        }

    def place(self, said: Said) -> object:
        """Who shares it: two rows of one place are seen by the same agents, grants aside."""
        if said.scope == "private":
            return said.agent
        if said.scope == "global" or not self.teams:
            return "everybody"
        of = [name for name, agents in self.teams.items() if said.agent in agents]
        return ("team", *of) if of else said.agent

    # --- the steps, taken in the product ----------------------------------------------------

    def write(
        self,
        agent: str,
        scope: str,
        role: str | None,
        workflow: str | None,
        text: str,
        fact: str | None,
        hours: int | None,
    ) -> None:
        ends = None if hours is None else datetime.now(UTC) + hours * HOUR
        draft = Draft.model_validate(
            {
                "content": text, "scope": scope, "role": role, "workflow": workflow,
                "fact_key": fact, "expires_at": ends,
            }
        )  # fmt: skip
        prepared = Prepared(agent, draft, QUERIES[text], None)
        done = write(prepared, tenant_id=self.tenant_id, by=SYSTEM)
        assert isinstance(done, Written)
        if not done.is_duplicate:
            is_over = hours is not None and hours < 0
            self.said[done.id] = Said(agent, scope, role, workflow, text, fact, is_over)
        elif fact is not None:
            self.said[done.id].fact = fact
        found = self.said[done.id]
        assert (found.text, found.scope, found.workflow) == (text, scope, workflow)
        assert found.fact == fact or fact is None
        assert found.is_over or done.id in ids(reader(agent)), "written, and not seen by its writer"

    def team(self, name: str, agents: set[str]) -> None:
        team = Team.objects.filter(name=name).first() or teams.create(name=name, by=SYSTEM)
        teams.set_agents(team, sorted(agents), by=SYSTEM)
        self.teams = {each: there - agents for each, there in self.teams.items()}
        self.teams[name] = agents

    def no_team(self, name: str) -> None:
        if self.teams.pop(name, None) is not None:
            teams.remove(Team.objects.get(name=name), by=SYSTEM)

    def grant(self, agent: str, role: str, scope: str, hours: tuple[int, int | None]) -> None:
        now, (begins, ends) = datetime.now(UTC), hours
        AccessGrant.objects.create(
            grantee=agent_called(agent), grantor_role=role, resource_scope=scope,
            valid_from=now + begins * HOUR, valid_to=None if ends is None else now + ends * HOUR,
        )  # fmt: skip
        if hours[0] < 0 and (hours[1] is None or hours[1] > 0):
            self.grants.append((agent, role, scope))

    def delete(self, number: int) -> None:
        uid = dict(enumerate(self.said)).get(number)
        was_there = uid is not None and uid in ids(reader_of_all())
        assert read.delete(reader_of_all(), uid, by=SYSTEM) == was_there

    def take(self, step: tuple[Any, ...]) -> None:
        acts: dict[str, Callable[..., None]] = {
            "write": self.write, "team": self.team, "no team": self.no_team,
            "grant": self.grant, "delete": self.delete,
        }  # fmt: skip
        acts[step[0]](*step[1:])
        rows = Memory.objects.exclude(deleted_at=None, superseded_by=None)
        self.ended = set(rows.values_list("uid", flat=True))


QUERIES = {text: prepare_query(text, space=SPACE, timeout=10) for text in TEXTS}


def reader(agent: str, **narrowed: Any) -> Reader:
    return reader_of(agent_called(agent), **narrowed)


def ids(reader: Reader) -> set[UUID]:
    return set(Memory.objects.visible_to(reader).values_list("uid", flat=True))


def ids_of_search(reader: Reader) -> set[int]:
    """By the statement that every leg of a search begins with, compiled for readers of a shape."""
    rows = visible(reader, None)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM ({rows.sql}) v", rows.values)
        return {row[0] for row in cursor.fetchall()}


@pytest.mark.django_db
@given(steps=st.lists(STEPS, max_size=14))
@settings(
    max_examples=40, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip
def test_every_reader_sees_what_the_contract_says(steps: list[tuple[Any, ...]]) -> None:
    tenant_id = make_tenant().pk
    world = World(tenant_id)
    with within(tenant_id):
        for step in steps:
            world.take(step)
        numbers = dict(Memory.objects.values_list("uid", "pk"))
        for agent in (*AGENTS, "stranger", None):
            for workflow in WORKFLOWS:
                for scope in (None, *SCOPES):
                    narrowed = {"workflow": workflow, "scope": scope}
                    who = reader_of_all(**narrowed) if agent is None else reader(agent, **narrowed)
                    expected = world.sees(agent, workflow, scope)
                    assert ids(who) == expected
                    assert ids_of_search(who) == {numbers[uid] for uid in expected}
                    listed = [each.uid for each in workflows.memories(who)]
                    assert listed == [uid for uid in world.said if uid in expected]
        for uid, said in world.said.items():
            for agent in AGENTS:
                assert (read.history(reader(agent), uid) is not None) == world.may_see(agent, said)
        there = [each for uid, each in world.said.items() if uid in world.sees(None, None, None)]
        for at, one in enumerate(there):
            for other in there[:at]:
                if (world.place(one), one.scope, one.workflow) != (
                    world.place(other), other.scope, other.workflow,
                ):  # fmt: skip
                    continue
                facts = {one.fact, other.fact}
                assert one.fact is None or one.fact != other.fact
                assert one.text != other.text or (None not in facts and len(facts) == 2)
