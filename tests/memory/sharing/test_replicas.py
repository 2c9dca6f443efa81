"""Replicas in the database: any history against a model, and writers at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import Replica, ReplicaOperation, SharedAgent
from memory.sharing import registers, replicas
from memory.sharing.registers import Operation
from tenants.context import within
from tests.factories import make_tenant
from tests.race import at_once

REPLICAS = ("east", "north", "west")
STEP = st.tuples(
    st.sampled_from(REPLICAS),
    st.sampled_from(REPLICAS),
    st.sampled_from(["color", "size"]),
    st.sampled_from(["write", "write", "sync", "peers"]),
)


@pytest.mark.django_db
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(STEP, max_size=14))
def test_any_history_reads_as_the_sets_of_operations_say(
    steps: list[tuple[str, str, str, str]],
) -> None:
    """The model holds whole sets and merges them; the database holds one clock a replica."""
    model: dict[str, dict[UUID, Operation]] = {name: {} for name in REPLICAS}
    issued: dict[UUID, Operation] = {}
    with within(make_tenant().pk):
        for number, (one, other, key, verb) in enumerate(steps):
            if verb == "write":
                made = replicas.write(one, key=key, value={"n": number}, agent="ada")
                model[one][made.id] = issued[made.id] = made
            else:
                peers = [other] if verb == "sync" else list(REPLICAS)
                known = model[one]
                for peer in peers:
                    known = registers.merge(known, model[peer])
                assert replicas.sync(one, peers=peers) == len(known) - len(model[one])
                model[one] = known
            held = registers.state(model[one].values())
            assert replicas.state(one) == list(held.values())
        assert set(ReplicaOperation.objects.values_list("uid", flat=True)) == set(issued)


@pytest.mark.django_db
def test_an_unknown_replica_is_empty_and_asking_makes_no_row() -> None:
    with within(make_tenant().pk):
        assert replicas.state("nobody") == []
        assert replicas.sync("nobody", peers=["nobody", "else"]) == 0
        assert not Replica.objects.exists()


@pytest.mark.django_db
def test_the_writer_is_an_agent_from_its_first_write() -> None:
    with within(make_tenant().pk):
        replicas.write("east", key="k", value=None, agent="ada", evidence="ticket-4")
        assert SharedAgent.objects.get().name == "ada"
        (held,) = replicas.state("east")
        assert (held.value, held.agent, held.evidence) == (None, "ada", "ticket-4")


@pytest.mark.django_db
def test_what_knew_wins_though_its_timestamp_is_earlier() -> None:
    with within(make_tenant().pk):
        replicas.write("east", key="k", value="old", agent="ada")
        replicas.sync("west", peers=["east"])
        replicas.write("west", key="k", value="new", agent="ada")
        ReplicaOperation.objects.filter(replica="west").update(made_at="2001-01-01T00:00:00Z")
        replicas.sync("east", peers=["west"])
        assert [each.value for each in replicas.state("east")] == ["new"]


@pytest.mark.django_db
def test_another_tenants_replica_of_that_name_is_another() -> None:
    theirs, ours = make_tenant(), make_tenant()
    with within(theirs.pk):
        replicas.write("east", key="k", value="theirs", agent="ada")
    with within(ours.pk):
        assert replicas.state("east") == []
        assert replicas.sync("west", peers=["east"]) == 0


@pytest.mark.django_db(transaction=True)
def test_no_tick_is_lost_among_writers_at_once() -> None:
    tenant = make_tenant()

    def write(number: int) -> dict[str, int]:
        try:
            with within(tenant.pk):
                made = replicas.write(
                    "east", key=f"k{number % 3}", value=number, agent=f"a{number}"
                )
                return dict(made.clock)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        clocks = list(pool.map(write, range(24)))
    assert sorted(clock["east"] for clock in clocks) == list(range(1, 25))
    with within(tenant.pk):
        assert Replica.objects.get().clock == {"east": 24}
        rows = ReplicaOperation.objects.order_by("tick")
        # The order of ticks is the order of instants: both are taken when the row is held.
        assert list(rows) == sorted(rows, key=lambda row: row.made_at)
        newest = {row.key: row.value for row in rows}
        assert {each.key: each.value for each in replicas.state("east")} == newest


@pytest.mark.django_db(transaction=True)
def test_replicas_that_learn_from_each_other_at_once_neither_wait_nor_miss() -> None:
    tenant = make_tenant()
    with within(tenant.pk):
        for name in REPLICAS:
            for number in range(3):
                replicas.write(name, key=name, value=number, agent="ada")

    def learn(one: str) -> Any:
        def act() -> int:
            total = 0
            for _ in range(5):
                with within(tenant.pk):
                    total += replicas.sync(one, peers=REPLICAS)
                with within(tenant.pk):
                    replicas.write(one, key="both", value=one, agent="ada")
            return total

        return act

    outcomes = at_once(*(learn(name) for name in REPLICAS))
    assert all(isinstance(each, int) for each in outcomes), outcomes
    with within(tenant.pk):
        last = [replicas.sync(name, peers=REPLICAS) for name in REPLICAS]
        # What was counted as new, then and now, is what was issued elsewhere: each once.
        assert [a + b for a, b in zip(outcomes, last, strict=True)] == [16, 16, 16]
        assert replicas.state("east") == replicas.state("north") == replicas.state("west")
