"""What went in unchecked is compared again; a person is told, and decides about a memory that
stands already."""

from typing import Any

import pytest

from memory import review, sealing
from memory.interfaces import tasks
from memory.models import ConflictPolicy, Event, Memory, Mutation
from memory.review.refusals import Unreadable
from memory.sharing import recheck
from tenants.caller import Caller
from tenants.context import within
from tenants.directory import tenants_with_work
from tests.factories import make_member, make_tenant
from tests.memory.interfaces.wire.conftest import Wire
from tests.sealed import occurrences, put_key, remove_key

FRIDAY, MONDAY = "The deadline is Friday.", "The deadline is Monday."


@pytest.fixture
def wire(db: None) -> Wire:
    return Wire(make_tenant())


@pytest.fixture
def admin(wire: Wire) -> Caller:
    with within(wire.tenant.pk):
        return make_member("admin")


def written(wire: Wire, text: str, *, unchecked: bool = False, **more: Any) -> Memory:
    uid = wire.write(text, more.pop("agent", "a"), scope="team", **more)["writeId"]
    with within(wire.tenant.pk):
        rows = Memory.objects.filter(uid=uid)
        rows.update(unchecked=unchecked)
        return rows.get()


def policy(wire: Wire, kind: str = "timestamp_wins") -> None:
    """After the writes: they went in as if nobody had compared them."""
    with within(wire.tenant.pk):
        ConflictPolicy.objects.create(policy=kind)


def run(wire: Wire) -> int:
    done = tasks.work("sweep", wire.tenant.pk)
    assert done.failed == 0, done.errors
    return done.mutated


def live(wire: Wire) -> set[str]:
    with within(wire.tenant.pk):
        return {str(text) for _, text in sealing.opened(Memory.objects.live())}


def raised(wire: Wire) -> tuple[Memory, Memory, Mutation]:
    older = written(wire, FRIDAY, agent="b")
    newer = written(wire, MONDAY, unchecked=True)
    policy(wire)
    assert tenants_with_work("sweep") == [wire.tenant.pk]
    assert run(wire) == 1
    with within(wire.tenant.pk):
        return older, newer, Mutation.objects.pending().get()


@pytest.mark.parametrize("kind", ["timestamp_wins", "planner_wins", "human_in_loop"])
def test_a_contradiction_is_told_and_nothing_is_deleted(wire: Wire, kind: str) -> None:
    older = written(wire, FRIDAY, agent="b")
    newer = written(wire, MONDAY, unchecked=True)
    policy(wire, kind)
    assert run(wire) == 1
    assert live(wire) == {FRIDAY, MONDAY}
    assert tenants_with_work("sweep") == []
    assert run(wire) == 0
    with within(wire.tenant.pk):
        mutation = Mutation.objects.get()
        assert (mutation.status, mutation.draft["content"]) == ("pending", MONDAY)
        assert mutation.writer_id == newer.writer_id
        (conflict,) = mutation.conflicts
        assert (conflict["id"], conflict["severity"]) == (older.pk, "high")
        (event,) = Event.objects.filter(kind="memory.conflict_detected")
        assert event.detail["writeId"] == str(mutation.uid)
        assert event.detail["policy"] == kind


@pytest.mark.parametrize("kind", ["ignore", ""])
def test_without_a_policy_that_compares_nothing_is_raised(wire: Wire, kind: str) -> None:
    written(wire, FRIDAY)
    written(wire, MONDAY, unchecked=True)
    if kind:
        policy(wire, kind)
    assert run(wire) == 0
    assert tenants_with_work("sweep") == []


def test_neither_a_restatement_nor_another_workflows_memory_is_raised(wire: Wire) -> None:
    written(wire, "The deadline of the launch is Monday.")
    written(wire, FRIDAY, workflowId="other")
    written(wire, MONDAY, unchecked=True)
    policy(wire)
    assert run(wire) == 0
    with within(wire.tenant.pk):
        assert not Mutation.objects.exists()
        assert not Memory.objects.filter(unchecked=True).exists()


def test_what_ended_meanwhile_need_not_be_compared(wire: Wire) -> None:
    written(wire, FRIDAY)
    memory = written(wire, MONDAY, unchecked=True, factKey="deadline")
    written(wire, "The deadline is Tuesday.", factKey="deadline")
    policy(wire)
    with within(wire.tenant.pk):
        assert Memory.objects.get(pk=memory.pk).superseded_by_id is not None
    assert run(wire) == 0
    assert tenants_with_work("sweep") == []


def test_one_that_cannot_be_compared_does_not_hold_up_the_others(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = written(wire, "Something else entirely.", unchecked=True)
    written(wire, FRIDAY)
    written(wire, MONDAY, unchecked=True)
    policy(wire)
    real = recheck._recheck

    def fails(tenant_id: int, number: int, space: str) -> bool:
        if number == bad.pk:
            raise ZeroDivisionError
        return real(tenant_id, number, space)

    monkeypatch.setattr(recheck, "_recheck", fails)
    done = recheck.step(wire.tenant.pk)
    assert (done.taken, done.processed, done.mutated, done.failed) == (2, 1, 1, 1)
    done = recheck.step(wire.tenant.pk)
    assert done.stop, "it is tried again by the next run, not for ever in this one"


# --- the decision -----------------------------------------------------------------------------


def test_supersede_ends_the_other_and_an_undo_brings_it_back(wire: Wire, admin: Caller) -> None:
    older, newer, mutation = raised(wire)
    review.approve(mutation_id=mutation.pk, by=admin)
    assert live(wire) == {MONDAY}
    told = wire.get(f"memory/{older.uid}/history").json()
    assert told["supersededBy"]["id"] == str(newer.uid)
    fresh = review.undo(mutation_id=mutation.pk, by=admin).fresh
    assert live(wire) == {FRIDAY, MONDAY}
    assert fresh is not None
    review.approve(mutation_id=fresh.pk, by=admin)
    assert live(wire) == {MONDAY}


def test_keep_both_changes_nothing(wire: Wire, admin: Caller) -> None:
    _, _, mutation = raised(wire)
    review.keep_both(mutation_id=mutation.pk, by=admin)
    assert live(wire) == {FRIDAY, MONDAY}
    review.undo(mutation_id=mutation.pk, by=admin)
    assert live(wire) == {FRIDAY, MONDAY}


def test_drop_ends_what_it_is_about_and_an_undo_brings_it_back(wire: Wire, admin: Caller) -> None:
    _, _, mutation = raised(wire)
    review.reject(mutation_id=mutation.pk, by=admin)
    assert live(wire) == {FRIDAY}
    review.undo(mutation_id=mutation.pk, by=admin)
    assert live(wire) == {FRIDAY, MONDAY}


def test_what_was_deleted_meanwhile_is_not_written_again(wire: Wire, admin: Caller) -> None:
    _, newer, mutation = raised(wire)
    wire.delete(f"memory/{newer.uid}")
    with pytest.raises(Unreadable):
        review.approve(mutation_id=mutation.pk, by=admin)
    review.reject(mutation_id=mutation.pk, by=admin)
    assert live(wire) == {FRIDAY}


def test_under_a_customers_key_all_of_it_is_sealed(wire: Wire, admin: Caller) -> None:
    with within(wire.tenant.pk):
        put_key(wire.tenant)
    _, _, mutation = raised(wire)
    with within(wire.tenant.pk):
        assert occurrences("deadline is") == []
    review.approve(mutation_id=mutation.pk, by=admin)
    fresh = review.undo(mutation_id=mutation.pk, by=admin).fresh
    assert fresh is not None
    with within(wire.tenant.pk):
        assert occurrences("deadline is") == []
        assert sealing.proposals_opened([fresh])[0][1].content == MONDAY
    assert live(wire) == {FRIDAY, MONDAY}
    review.reject(mutation_id=fresh.pk, by=admin)
    assert live(wire) == {FRIDAY}


def test_a_memory_whose_key_is_gone_is_let_be(wire: Wire) -> None:
    with within(wire.tenant.pk):
        put_key(wire.tenant)
    written(wire, MONDAY, unchecked=True)
    policy(wire)
    with within(wire.tenant.pk):
        remove_key()
    assert run(wire) == 0
    assert tenants_with_work("sweep") == []
