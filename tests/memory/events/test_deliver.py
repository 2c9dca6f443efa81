"""Told once, told again under one id, given up, paused, replayed, erased (field fault 23)."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from memory import store
from memory.events import deliver, post, subscriptions
from memory.events.deliver import JITTER, LONGEST_ASKED, WAITS
from memory.events.dispatch import dispatch
from memory.lifecycle import retention
from memory.models import Delivery, Event, Memory, Webhook
from memory.stages import Tally, claim
from tenants.actor import COMMAND, SYSTEM
from tenants.directory import tenants_with_work
from tenants.models import AuditEntry
from tests.factories import World, make_memory
from tests.hooked import WORDS, Hooked
from tests.race import at_once
from tests.receivers import receiving

pytestmark = pytest.mark.django_db
TRIES = len(WAITS) + 1


def waits(row: Delivery) -> timedelta:
    """From the last attempt to the next one, to the second."""
    last = row.tries.order_by("-id").values_list("at", flat=True).first()
    assert row.not_before is not None
    assert last is not None
    return timedelta(seconds=round((row.not_before - last).total_seconds(), 0))


# --- told --------------------------------------------------------------------------------------


def test_a_write_is_told_with_its_words_and_two_signatures(hooked: Hooked) -> None:
    number = hooked.write()
    hooked.work()
    (taken,) = hooked.taken
    taken.verify(hooked.secret)
    assert taken.headers["content-type"].startswith("application/json")
    assert taken.headers["x-keepsake-event"] == "memory.written"
    with hooked.inside():
        memory = Memory.objects.get(pk=number)
        event = Event.objects.get(kind="memory.written")
    assert WORDS.encode() in taken.body
    told = taken.json
    assert (told["event"], told["orgId"]) == ("memory.written", hooked.tenant.slug)
    assert told["timestamp"] == event.created_at.isoformat().replace("+00:00", "Z")
    payload = told["payload"]
    assert payload["memoryId"] == str(memory.uid)
    assert (payload["agentId"], payload["scope"]) == ("planner", "global")
    assert (payload["content"], payload["encrypted"]) == (WORDS, False)
    assert str(number) not in payload.values()
    row = hooked.delivery()
    assert (row.status, row.body, str(row.uid)) == ("delivered", None, taken.id)
    assert hooked.attempts() == [(200, "")]


def test_told_once_however_often_the_stage_runs(hooked: Hooked) -> None:
    hooked.write()
    for _ in range(3):
        hooked.work()
        hooked.time_passes()
    assert len(hooked.taken) == 1


def test_a_timeout_after_accepting_then_200_is_one_id_and_the_same_bytes(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post, "SECONDS", 0.3)
    over = threading.Event()
    hooked.receiver.answers = [lambda _: over.wait(timeout=10), 500]
    hooked.write()
    hooked.work()
    over.set()
    monkeypatch.setattr(post, "SECONDS", 5.0)
    assert len(hooked.taken) == 1  # the retry waits for its time
    for _ in range(3):
        hooked.time_passes()
        hooked.work()
    assert len(hooked.taken) == 3
    assert len({taken.id for taken in hooked.taken}) == 1
    assert len({taken.body for taken in hooked.taken}) == 1
    for taken in hooked.taken:
        taken.verify(hooked.secret)
    assert [status for status, _ in hooked.attempts()] == [None, 500, 200]
    row = hooked.delivery()
    assert (row.status, row.attempts, row.body) == ("delivered", 3, None)


def test_a_worker_killed_after_sending_sends_again_under_the_same_id(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    hooked.write()
    with monkeypatch.context() as patch:
        patch.setattr(deliver, "_write_down", die)
        with pytest.raises(Killed):
            hooked.work()
    hooked.work()
    assert len(hooked.taken) == 1  # its lease still holds it
    hooked.time_passes()
    hooked.work()
    first, second = hooked.taken
    assert (first.id, first.body) == (second.id, second.body)
    assert hooked.delivery().status == "delivered"


def test_a_result_that_comes_after_the_lease_was_lost_is_dropped(hooked: Hooked) -> None:
    hooked.write()
    with hooked.inside():
        dispatch()
        (row,) = claim(deliver._next(), limit=1, lease=deliver.LEASE)
        Delivery.objects.update(lease_token=None)
        deliver._write_down(row, post.Answer(200, "", 1), Tally())
    assert hooked.delivery().status == "waiting"


# --- failing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 404, 500])
def test_it_is_tried_over_hours_and_then_given_up(hooked: Hooked, status: int) -> None:
    hooked.receiver.answers = [status] * 20
    hooked.write()
    for wait in WAITS:
        hooked.work()
        row = hooked.delivery()
        assert row.status == "waiting"
        with hooked.inside():
            assert wait <= waits(row) <= wait * (1 + JITTER)
        hooked.time_passes()
    hooked.work()
    hooked.time_passes()
    hooked.work()
    row = hooked.delivery()
    assert (row.status, row.attempts, row.failed_because) == ("failed", TRIES, f"HTTP {status}")
    assert row.ended_at is not None
    assert row.body is not None  # for a replay
    assert hooked.attempts() == [(status, f"HTTP {status}")] * TRIES
    assert len({taken.id for taken in hooked.taken}) == 1


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [
        ("900", timedelta(seconds=900), timedelta(seconds=900)),
        ("1", WAITS[0], WAITS[0] * (1 + JITTER)),  # our own patience is longer
        ("8640000", LONGEST_ASKED, LONGEST_ASKED),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_honoured_up_to_a_cap(
    hooked: Hooked, status: int, asked: str, least: timedelta, most: timedelta
) -> None:
    hooked.receiver.answers = [(status, {"Retry-After": asked})]
    hooked.write()
    hooked.work()
    row = hooked.delivery()
    with hooked.inside():
        assert least <= waits(row) <= most


def test_nothing_a_receiver_says_is_kept(hooked: Hooked) -> None:
    hooked.receiver.answers = [(500, {"X-Note": "the receiver's own words"})]
    hooked.write()
    hooked.work()
    assert hooked.attempts() == [(500, "HTTP 500")]


def test_a_receiver_that_is_away_holds_up_no_other_and_is_left_alone(hooked: Hooked) -> None:
    with receiving() as other:
        hooked.subscribe(other.url)
        hooked.receiver.answers = [500] * 50
        for number in range(5):
            hooked.write(f"Note number {number}.")
        hooked.work()
        assert len(other.taken) == 5
        assert len(hooked.taken) == 1  # one try; the other four wait with it, uncounted
    rows = [row for row in hooked.deliveries() if row.webhook_id == hooked.hook.pk]
    assert sorted(row.attempts for row in rows) == [0, 0, 0, 0, 1]
    assert all(row.not_before is not None for row in rows)


def test_a_4xx_about_one_delivery_does_not_hold_up_the_next(hooked: Hooked) -> None:
    hooked.receiver.answers = [400]
    hooked.write("The first.")
    hooked.write("The second.")
    hooked.work()
    assert [row.status for row in hooked.deliveries()] == ["waiting", "delivered"]


# --- pausing -----------------------------------------------------------------------------------


def give_up(hooked: Hooked, times: int) -> None:
    hooked.receiver.answers = [500] * (times * TRIES)
    for _ in range(times):
        hooked.write(f"Lost note {len(hooked.taken)}.")
        for _ in range(TRIES):
            hooked.work()
            hooked.time_passes()


def test_a_webhook_that_keeps_failing_is_paused_and_says_so(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "PAUSE_AFTER", 2)
    give_up(hooked, 1)
    assert hooked.reread().active
    give_up(hooked, 1)
    hook = hooked.reread()
    assert (hook.active, hook.failures) == (False, 2)
    assert "2 deliveries in a row" in hook.paused_because
    with hooked.inside():
        entry = AuditEntry.objects.get(verb="webhook.paused")
    assert (entry.actor, entry.subject_id) == ("system", hook.pk)
    before = len(hooked.taken)
    hooked.write("Unheard.")
    hooked.work()
    assert len(hooked.taken) == before
    assert len(hooked.deliveries()) == 2  # paused, it hears of nothing new


def test_a_delivery_that_is_taken_forgives_the_failures_before(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "PAUSE_AFTER", 2)
    for _ in range(3):
        give_up(hooked, 1)
        hooked.write(f"Heard {len(hooked.taken)}.")
        hooked.work()
        assert hooked.reread().failures == 0
    assert hooked.reread().active


def test_410_pauses_at_once(hooked: Hooked) -> None:
    hooked.receiver.answers = [410]
    hooked.write()
    hooked.work()
    assert hooked.delivery().status == "failed"
    hook = hooked.reread()
    assert (hook.active, hook.paused_because) == (False, subscriptions.GONE)


def test_what_was_on_its_way_waits_while_paused_and_goes_out_when_resumed(hooked: Hooked) -> None:
    hooked.write()
    with hooked.inside():
        dispatch()
        hook = subscriptions.find(hooked.hook.uid)
        assert hook is not None
        subscriptions.pause(hook, by=COMMAND)
    hooked.work()
    assert hooked.taken == []
    assert hooked.delivery().parked_at is not None  # so that no run looks for it
    with hooked.inside():
        hook = subscriptions.find(hooked.hook.uid)
        assert hook is not None
        subscriptions.resume(hook, by=COMMAND)
    hooked.work()
    assert len(hooked.taken) == 1
    hook = hooked.reread()
    assert (hook.active, hook.paused_because, hook.failures) == (True, "", 0)


def test_paused_while_its_delivery_was_under_way(hooked: Hooked) -> None:
    hooked.write()
    with hooked.inside():
        dispatch()
        (row,) = claim(deliver._next(), limit=1, lease=deliver.LEASE)
        Webhook.objects.update(active=False)
        deliver._write_down(row, post.Answer(500, "HTTP 500", 1), Tally())
    assert hooked.delivery().parked_at is not None


# --- replay ------------------------------------------------------------------------------------


def test_a_replay_sends_the_same_bytes_under_the_same_id_and_is_audited(hooked: Hooked) -> None:
    give_up(hooked, 1)
    row = hooked.delivery()
    with hooked.inside():
        subscriptions.replay(row.pk, by=hooked.admin.actor)
        entry = AuditEntry.objects.get(verb="delivery.replayed")
    assert (entry.user_id, entry.subject_id) == (hooked.admin.user_id, row.pk)
    hooked.work()
    assert hooked.delivery().status == "delivered"
    assert len({(taken.id, taken.body) for taken in hooked.taken}) == 1
    assert len(hooked.attempts()) == TRIES + 1


def test_what_cannot_be_replayed_says_why(hooked: Hooked) -> None:
    hooked.write()
    with hooked.inside():
        dispatch()
    number = hooked.delivery().pk

    def refused() -> str:
        with hooked.inside(), pytest.raises(subscriptions.NotReplayable) as caught:
            subscriptions.replay(number, by=COMMAND)
        return str(caught.value)

    assert "still on its way" in refused()
    hooked.work()
    assert "its body is gone" in refused()
    with hooked.inside():
        Delivery.objects.update(status="failed", body=b"{}")
        Webhook.objects.update(active=False)
    assert "paused" in refused()
    number = 0
    assert "not there" in refused()


# --- the end of a memory -----------------------------------------------------------------------


def test_an_erase_ends_what_was_not_delivered_and_only_its_end_is_told(hooked: Hooked) -> None:
    kept = hooked.write("Something else.")
    hooked.work()
    number = hooked.write()
    hooked.receiver.answers = [500]
    hooked.work()
    with hooked.inside():
        uid = str(Memory.objects.get(pk=number).uid)
        store.erase(Memory.objects.filter(pk=number))
    row = hooked.deliveries()[-1]
    assert (row.status, row.body, row.lease_token) == ("erased", None, None)
    hooked.time_passes()
    hooked.work()
    last = hooked.taken[-1]
    assert last.json["event"] == "memory.deleted"
    assert last.json["payload"]["memoryId"] == uid
    assert last.json["payload"]["agentId"] == "planner"
    assert WORDS.encode() not in last.body
    assert [row.status for row in hooked.deliveries()] == ["delivered", "erased", "delivered"]
    with hooked.inside():
        assert Memory.objects.get(pk=kept)


def test_an_erase_takes_the_body_that_a_replay_would_have_sent(hooked: Hooked) -> None:
    give_up(hooked, 1)
    with hooked.inside():
        store.erase(Memory.objects.all())
    row = hooked.deliveries()[0]
    assert (row.status, row.body) == ("erased", None)


def test_a_memory_erased_before_anybody_heard_of_it_is_told_as_deleted_only(
    hooked: Hooked,
) -> None:
    hooked.write()
    with hooked.inside():
        store.erase(Memory.objects.all())
    hooked.work()
    assert [taken.json["event"] for taken in hooked.taken] == ["memory.deleted"]


def test_the_end_of_a_closed_memory_is_told_once(hooked: Hooked) -> None:
    number = hooked.write()
    with hooked.inside():
        memory = Memory.objects.get(pk=number)
        store.close(memory, because=Memory.Closed.EXPIRED, by=SYSTEM)
        store.erase([memory])
    hooked.work()
    assert [taken.json["event"] for taken in hooked.taken] == ["memory.expired"]


def test_bodies_go_after_thirty_days_and_what_waited_is_given_up(hooked: Hooked) -> None:
    hooked.write("Paused.")
    with hooked.inside():
        dispatch()
        assert deliver.let_go(10) == 0
        hook = Webhook.objects.get()
        subscriptions.pause(hook, by=COMMAND)
        Delivery.objects.update(created_at=Now() - timedelta(days=30, seconds=1))
        assert deliver.let_go(10) == 1
    row = hooked.delivery()
    assert (row.status, row.body, row.parked_at) == ("failed", None, None)
    assert row.failed_because == "not delivered within 30 days"
    assert row.ended_at is not None


# --- who hears of what -------------------------------------------------------------------------


def test_only_shared_memory_is_told_of_and_the_rest_is_done_with(hooked: Hooked) -> None:
    with hooked.inside():
        memory = make_memory(hooked.agent, hooked.visitor)
        store.close(memory, because=Memory.Closed.DELETED, by=COMMAND)
    hooked.work()
    assert hooked.taken == []
    with hooked.inside():
        assert not Event.objects.filter(dispatched_at=None).exists()


def test_another_tenant_hears_nothing(hooked: Hooked) -> None:
    with receiving() as other:
        stranger = Hooked(other)
        hooked.write()
        hooked.work()
        stranger.work()
        assert len(hooked.taken) == 1
        assert other.taken == []


def test_two_receivers_are_told_under_two_ids_with_their_own_secrets(hooked: Hooked) -> None:
    with receiving() as other:
        _, secret = hooked.subscribe(other.url)
        hooked.write()
        hooked.work()
        hooked.taken[0].verify(hooked.secret)
        other.taken[0].verify(secret)
        assert hooked.taken[0].id != other.taken[0].id
        assert hooked.taken[0].body == other.taken[0].body


def test_a_secret_sealed_under_another_master_key_signs_nothing(
    hooked: Hooked, settings: Any
) -> None:
    hooked.write()
    settings.MASTER_KEY = "another key of the same length as was expected"
    hooked.work()
    assert hooked.taken == []
    assert hooked.attempts() == [(None, "not sent: the webhook's secret cannot be opened")]


# --- two at once -------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_dispatchers_make_one_delivery(hooked: Hooked) -> None:
    for number in range(20):
        hooked.write(f"Note {number}.")

    def work() -> None:
        deliver.step(hooked.tenant.pk)

    assert at_once(work, work, work) == [None] * 3
    hooked.work()
    assert len(hooked.deliveries()) == 20
    assert len(hooked.taken) == 20
    assert len({taken.id for taken in hooked.taken}) == 20


def elsewhere(act: Callable[[], Any]) -> None:
    (result,) = at_once(act)
    if isinstance(result, Exception):
        raise result


@pytest.mark.django_db(transaction=True)
def test_a_dispatcher_waits_for_no_erase_and_renders_nothing_it_holds(hooked: Hooked) -> None:
    number = hooked.write()
    with hooked.inside():
        going = list(Memory.objects.filter(pk=number).select_for_update())
        elsewhere(hooked.work)  # the event is left for the next run
        assert Delivery.objects.count() == 0
        store.erase(going)
    hooked.work()
    assert [taken.json["event"] for taken in hooked.taken] == ["memory.deleted"]


@pytest.mark.django_db(transaction=True)
def test_a_memory_erased_while_it_is_sent_ends_as_erased(hooked: Hooked) -> None:
    number = hooked.write()

    def erase() -> None:
        with hooked.inside():
            store.erase(Memory.objects.filter(pk=number).select_for_update())

    hooked.receiver.answers = [lambda _: elsewhere(erase), 200]
    hooked.work()
    assert [row.status for row in hooked.deliveries()] == ["erased", "delivered"]
    assert [taken.json["event"] for taken in hooked.taken] == ["memory.written", "memory.deleted"]


@pytest.mark.django_db(transaction=True)
def test_a_webhook_removed_while_events_are_fanned_out_for_it_breaks_nothing(
    hooked: Hooked,
) -> None:
    hooked.write()

    def remove() -> None:
        with hooked.inside():
            hook = subscriptions.find(hooked.hook.uid)
            assert hook is not None
            subscriptions.remove(hook, by=COMMAND)

    assert at_once(remove, hooked.work) == [None, None]
    assert hooked.deliveries() == []


def test_a_tenant_without_work_is_not_found(hooked: Hooked) -> None:
    World()
    hooked.write()
    assert tenants_with_work("deliver") == [hooked.tenant.pk]
    hooked.work()
    assert tenants_with_work("deliver") == []


def test_the_nightly_retention_lets_old_bodies_go(hooked: Hooked) -> None:
    hooked.receiver.answers = [500]
    hooked.write()
    hooked.work()
    with hooked.inside():
        Delivery.objects.update(created_at=Now() - timedelta(days=31))
    assert retention.step(hooked.tenant.pk).processed == 1
    row = hooked.delivery()
    assert (row.status, row.body) == ("failed", None)


def test_an_event_that_is_old_enough_goes_with_what_was_told_of_it(hooked: Hooked) -> None:
    hooked.write()
    hooked.work()
    with hooked.inside():
        Event.objects.update(created_at=Now() - timedelta(days=31))
    retention.step(hooked.tenant.pk)
    assert (hooked.deliveries(), hooked.attempts()) == ([], [])
