"""Vector clocks: no tick and no lesson is lost, and what teaches nothing writes nothing."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from memory import clocks
from memory.models import SharedAgent, VectorClock
from memory.sharing.agents import agent_called
from tenants.context import within
from tenants.models import Tenant
from tests.factories import make_tenant

CLOCKS = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 9), max_size=4)


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant()


def row(agent: SharedAgent, scope: str) -> tuple[int, dict[str, int]]:
    found = VectorClock.objects.get(agent=agent, scope=scope)
    return found.ticks, found.seen


def test_each_scope_counts_by_itself(tenant: Tenant) -> None:
    with within(tenant.pk):
        agent = agent_called("planner")
        assert clocks.tick(agent.pk, agent.name, "team")[0] == {"planner": 1}
        assert clocks.tick(agent.pk, agent.name, "team")[0] == {"planner": 2}
        assert clocks.tick(agent.pk, agent.name, "global")[0] == {"planner": 1}


def test_a_write_carries_what_its_writer_had_seen(tenant: Tenant) -> None:
    with within(tenant.pk):
        a, b = agent_called("a"), agent_called("b")
        first, _ = clocks.tick(a.pk, a.name, "team")
        blind, _ = clocks.tick(b.pk, b.name, "team")
        clocks.learn(b.pk, b.name, [("team", first), ("team", {"c": 4, "b": 9})])
        told, _ = clocks.tick(b.pk, b.name, "team")
    assert not clocks.knew(blind, first)
    assert clocks.knew(told, first)
    assert told == {"a": 1, "b": 2, "c": 4}  # nobody teaches an agent its own ticks


def test_a_lesson_never_takes_another_back(tenant: Tenant) -> None:
    with within(tenant.pk):
        agent = agent_called("b")
        clocks.learn(agent.pk, "b", [("team", {"a": 5})])
        clocks.learn(agent.pk, "b", [("team", {"a": 3, "c": 1})])
        assert row(agent, "team") == (0, {"a": 5, "c": 1})


def test_what_is_known_already_writes_nothing(tenant: Tenant) -> None:
    with within(tenant.pk):
        agent = agent_called("b")
        clocks.learn(agent.pk, "b", [("team", {"a": 5})])
    with within(tenant.pk), connection.cursor() as cursor:
        cursor.execute("SELECT ctid FROM memory_vectorclock")  # where the row's version lies
        before = cursor.fetchall()
        clocks.learn(agent.pk, "b", [("team", {"a": 5}), ("team", {"a": 2}), ("global", {"b": 7})])
        cursor.execute("SELECT ctid FROM memory_vectorclock")
        assert cursor.fetchall() == before


@pytest.mark.django_db(transaction=True)
def test_no_tick_is_lost_among_writers_at_once() -> None:
    tenant = make_tenant()
    with within(tenant.pk):
        agent = agent_called("busy")

    def write(number: int) -> int:
        try:
            with within(tenant.pk):
                clocks.learn(agent.pk, "busy", [("team", {f"other-{number % 5}": number + 1})])
                return clocks.tick(agent.pk, "busy", "team")[0]["busy"]
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        ticks = sorted(pool.map(write, range(40)))
    with within(tenant.pk):
        assert ticks == list(range(1, 41))
        assert row(agent, "team") == (40, {f"other-{n}": 36 + n for n in range(5)})


@given(CLOCKS, CLOCKS, CLOCKS)
def test_merging_is_the_least_clock_that_knows_both(
    a: dict[str, int], b: dict[str, int], c: dict[str, int]
) -> None:
    both = clocks.merged(a, b)
    assert clocks.knew(both, a)
    assert clocks.knew(both, b)
    assert both == clocks.merged(b, a) == clocks.merged(both, a)
    assert clocks.merged(both, c) == clocks.merged(a, clocks.merged(b, c))
    if clocks.knew(c, a) and clocks.knew(c, b):
        assert clocks.knew(c, both)
