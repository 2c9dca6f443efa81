"""How stages take work: fairly over tenants, once, and one failure stops nobody else."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from agents.models import Conversation
from memory import stages
from memory.models import Run
from memory.providers.errors import QuotaExceeded
from memory.stages import Tally, claim, still_mine
from tenants.directory import tenants_with_work
from tests.factories import World, make_conversation
from tests.race import at_once

LEASE = timedelta(seconds=60)


@pytest.mark.django_db
def test_each_tenant_gets_a_batch_in_turn_until_none_has_work() -> None:
    left = {1: 3, 2: 1, 3: 2}
    order: list[int] = []

    def step(tenant_id: int) -> Tally:
        order.append(tenant_id)
        if not left[tenant_id]:
            return Tally()
        left[tenant_id] -= 1
        return Tally(taken=1, processed=1)

    total = stages.run("test", step, tenants=[1, 2, 3])
    assert order == [1, 2, 3, 1, 2, 3, 1, 3, 1]
    assert total.processed == 6


@pytest.mark.django_db
def test_a_tenant_that_fails_is_counted_and_the_others_go_on() -> None:
    def step(tenant_id: int) -> Tally:
        if tenant_id == 2:
            raise ZeroDivisionError
        return Tally(processed=1)

    total = stages.run("test", step, tenants=[1, 2, 3])
    assert (total.processed, total.failed, total.errors) == (2, 1, {"ZeroDivisionError": 1})
    run = Run.objects.get(stage="test")
    assert (run.processed, run.failed, run.error) == (2, 1, "ZeroDivisionError × 1")
    assert run.finished_at is not None


@pytest.mark.django_db
def test_an_empty_wallet_ends_the_tenants_turn() -> None:
    calls: list[int] = []

    def step(tenant_id: int) -> Tally:
        calls.append(tenant_id)
        tally = Tally(taken=1)
        tally.fail(QuotaExceeded("empty"))
        return tally

    stages.run("test", step, tenants=[1, 2])
    assert calls == [1, 2]


@pytest.mark.django_db
def test_time_that_is_over_ends_a_run() -> None:
    calls: list[int] = []
    stages.run("test", lambda t: calls.append(t) or Tally(taken=1), tenants=[1], seconds=0)  # type: ignore[func-returns-value]
    assert calls == []


@pytest.mark.django_db
def test_runs_of_one_period_add_up_in_one_row() -> None:
    for _ in range(2):
        stages.run("test", lambda _: Tally(processed=3), tenants=[1])
    run = Run.objects.get(stage="test")
    assert (run.runs, run.processed) == (2, 6)
    assert (run.period.minute, run.period.second) == (0, 0)


@pytest.mark.django_db
def test_the_directory_names_who_has_work_the_longest_waiting_first() -> None:
    idle, busy = World(), World()
    with busy.inside():
        make_conversation(busy.agent, busy.visitor, "user: hello")
    assert tenants_with_work("observe") == [busy.tenant.pk]
    assert tenants_with_work("reconcile") == []
    with idle.inside():
        make_conversation(idle.agent, idle.visitor, "user: hello")
        Conversation.objects.update(last_received_at=Now() - timedelta(days=9))
    assert tenants_with_work("observe") == [idle.tenant.pk, busy.tenant.pk]
    assert tenants_with_work("observe", 1) == [idle.tenant.pk]


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_hold_one_row() -> None:
    world = World()
    with world.inside():
        for _ in range(6):
            make_conversation(world.agent, world.visitor, "user: hello")

    def take() -> set[int]:
        with world.inside():
            return {
                row.pk for row in claim(Conversation.objects.order_by("id"), limit=4, lease=LEASE)
            }

    first, second = at_once(take, take)
    assert not first & second
    assert len(first) + len(second) <= 6
    third = take()
    assert not third & (first | second)
    assert len(first | second | third) == 6


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fields",
    [
        {"lease_until": timedelta(minutes=1)},
        {"not_before": timedelta(minutes=1)},
        {"parked_at": timedelta(minutes=-1)},
    ],
)
def test_a_row_that_is_held_waiting_or_parked_is_not_taken(fields: dict[str, timedelta]) -> None:
    world = World()
    with world.inside():
        make_conversation(world.agent, world.visitor, "user: hello")
        Conversation.objects.update(**{name: Now() + delta for name, delta in fields.items()})
        assert claim(Conversation.objects.all(), limit=1, lease=LEASE) == []


@pytest.mark.django_db
def test_a_claim_that_ran_out_is_taken_over_and_the_first_holder_notices() -> None:
    world = World()
    with world.inside():
        make_conversation(world.agent, world.visitor, "user: hello")
        (first,) = claim(Conversation.objects.all(), limit=1, lease=LEASE)
        Conversation.objects.update(lease_until=Now() - timedelta(seconds=1))
        (second,) = claim(Conversation.objects.all(), limit=1, lease=LEASE)
        assert still_mine(first) is None
        assert still_mine(second) is not None
        stages.give_up(first, ZeroDivisionError())
        second.refresh_from_db()
        assert second.attempts == 0
