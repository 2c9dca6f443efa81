"""Writes at once, on connections of their own: one live memory, and a lineage that loses none."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from memory import store
from memory.models import ConflictPolicy, Draft, Event, Memory, Scope
from memory.providers.wordllama_space import SPACE
from memory.sharing import write as writing
from memory.sharing.write import Written, prepare
from tenants.actor import SYSTEM
from tenants.context import within
from tests.factories import make_tenant

pytestmark = pytest.mark.django_db(transaction=True)

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def at_once(calls: list[Callable[[], Any]], workers: int = 8) -> list[Any]:
    def run(call: Callable[[], Any]) -> Any:
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(run, calls))


def writer(tenant_id: int, text: str, agent: str = "a", **more: Any) -> Callable[[], Written]:
    draft = Draft(content=text, scope=Scope.TEAM, **more)
    prepared = prepare(agent, draft, space=SPACE)

    def run() -> Written:
        done = writing.write(prepared, tenant_id=tenant_id, by=SYSTEM)
        assert isinstance(done, Written)
        return done

    return run


@pytest.fixture
def tenant_id() -> int:
    return make_tenant().pk


def lineage(tenant_id: int) -> Iterator[Memory]:
    """From the live one back, through all that was superseded."""
    with within(tenant_id):
        (live,) = Memory.objects.live().filter(kind="shared")
        waiting = [live]
        while waiting:
            memory = waiting.pop()
            yield memory
            waiting += Memory.objects.filter(superseded_by=memory)


def test_of_a_hundred_conflicting_writes_of_a_fact_one_lives(tenant_id: int) -> None:
    with within(tenant_id):
        ConflictPolicy.objects.create(policy="timestamp_wins")
    calls = [
        writer(
            tenant_id,
            f"The release {n} deadline is {DAYS[n % 5]} at {n % 24}:{n % 60:02}.",
            f"agent {n % 7}",
            fact_key="deadline",
        )
        for n in range(100)
    ]
    done = at_once(calls)
    assert not any(each.is_duplicate for each in done)
    found = list(lineage(tenant_id))
    assert {memory.uid for memory in found} == {each.id for each in done}
    with within(tenant_id):
        starts = list(
            Memory.objects.filter(kind="shared").order_by("pk").values_list("valid_from", flat=True)
        )
        assert len(set(starts)) == 100
        assert starts == sorted(starts)
        assert Event.objects.filter(kind="memory.superseded").count() == 99


def test_contradictions_of_no_fact_leave_one_as_well(tenant_id: int) -> None:
    with within(tenant_id):
        ConflictPolicy.objects.create(policy="timestamp_wins")
    at_once([writer(tenant_id, f"The deadline is {day}.") for day in DAYS])
    assert len(list(lineage(tenant_id))) == 5


@pytest.mark.parametrize("fact", [None, "status"])
def test_the_same_text_at_once_is_one_memory(tenant_id: int, fact: str | None) -> None:
    calls = [writer(tenant_id, "The build is green.", f"{n}", fact_key=fact) for n in range(12)]
    done = at_once(calls)
    assert len({each.id for each in done}) == 1
    assert sum(not each.is_duplicate for each in done) == 1


def test_different_facts_at_once_wait_for_nobody_wrongly(tenant_id: int) -> None:
    done = at_once(
        [writer(tenant_id, f"Fact {n} is {n}.", fact_key=f"fact {n % 4}") for n in range(24)]
    )
    assert len({each.id for each in done}) == 24
    with within(tenant_id):
        assert Memory.objects.live().filter(kind="shared").count() == 4


def test_a_twin_that_has_expired_unswept_is_swept_by_the_write(tenant_id: int) -> None:
    write = writer(tenant_id, "The build is green.")
    first = write()
    with within(tenant_id):
        Memory.objects.filter(uid=first.id).update(expires_at="2020-01-01T00:00:00Z")
    second = write()
    assert not second.is_duplicate
    with within(tenant_id):
        swept = Memory.objects.get(uid=first.id)
        assert swept.closed_because == Memory.Closed.EXPIRED
        assert Event.objects.filter(kind="memory.expired").count() == 1


def test_an_instant_that_orders_lies_after_what_it_replaces(tenant_id: int) -> None:
    """The database's clock may step back: the order of writes does not."""
    with within(tenant_id):
        first = writer(tenant_id, "The status is red.", fact_key="status")
    made = first()
    with within(tenant_id):
        Memory.objects.filter(uid=made.id).update(valid_from="2100-01-01T00:00:00Z")
    after = writer(tenant_id, "The status is green.", fact_key="status")()
    with within(tenant_id):
        old, new = Memory.objects.get(uid=made.id), Memory.objects.get(uid=after.id)
        assert (new.valid_from - old.valid_from).total_seconds() == pytest.approx(1e-6)
        assert old.valid_to == new.valid_from
        assert store.hash_of("The status is green.", tenant_id) == new.hash
