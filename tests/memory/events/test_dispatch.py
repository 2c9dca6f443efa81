"""Who is told of an event, and with which words."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from memory import store
from memory.events import deliver
from memory.events import dispatch as module
from memory.events.dispatch import dispatch
from memory.events.envelope import SUBSCRIBABLE
from memory.events.outbox import announce_conflict
from memory.events.post import post
from memory.models import ConflictPolicy, Delivery, Event, Memory, SharedAgent, Webhook
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tests.dying import Hiccup, Killed, at_every_statement
from tests.factories import World
from tests.hooked import WORDS, Hooked
from tests.race import at_once
from tests.receivers import receiving
from tests.sealed import make_shared, put_key

pytestmark = pytest.mark.django_db
Kind = Event.Kind


@pytest.fixture
def world() -> World:
    return World()


def hook(events: Any = SUBSCRIBABLE, url: str = "https://a.example.com/", **more: Any) -> Webhook:
    return Webhook.objects.create(url=url, events=list(events), secret=b"", **more)


def bodies() -> list[Any]:
    rows = Delivery.objects.order_by("id").values_list("body", flat=True)
    return [json.loads(bytes(body)) for body in rows if body is not None]


def happen(kind: Event.Kind) -> None:
    if kind.startswith("memory.conflict"):
        announce_conflict(kind, write=uuid4(), detail={"agentId": "a", "conflicts": []})
    else:
        memory = make_shared(f"Note {uuid4()}")
        Event.objects.filter(memory_id=memory.pk).update(kind=kind)


@pytest.mark.parametrize("kind", SUBSCRIBABLE)
def test_each_hears_of_what_it_subscribed_to_and_nothing_else(
    world: World, kind: Event.Kind
) -> None:
    with world.inside():
        hers = hook([kind])
        hook([each for each in SUBSCRIBABLE if each != kind], "https://b.example.com/")
        happen(kind)
        assert dispatch() == 1
        row = Delivery.objects.get()
        assert (row.webhook, row.url, row.status) == (hers, hers.url, "waiting")
        assert bodies()[0]["event"] == kind


def test_a_webhook_hears_of_what_is_younger_than_itself_and_only_while_active(
    world: World,
) -> None:
    with world.inside():
        make_shared("Older.")
        hook()
        hook(url="https://paused.example.com/", active=False)
        assert dispatch() == 1
        assert bodies() == []
        make_shared("Younger.")
        assert dispatch() == 1
        assert [body["payload"]["content"] for body in bodies()] == ["Younger."]


def test_nobody_listens_and_the_events_are_done_with(world: World) -> None:
    with world.inside():
        make_shared("Unheard.")
        assert dispatch() == 1
        assert dispatch() == 0
        assert not Delivery.objects.exists()


def test_a_batch_leaves_the_rest_for_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVENTS", 2)
    with world.inside():
        hook()
        for number in range(5):
            make_shared(f"Note {number}.")
        assert [dispatch() for _ in range(4)] == [2, 2, 1, 0]
        assert [b["payload"]["content"] for b in bodies()] == [f"Note {n}." for n in range(5)]


def test_what_is_sealed_is_told_without_its_words(world: World) -> None:
    with world.inside():
        hook()
        make_shared(WORDS, put_key(world.tenant))
        dispatch()
        (body,) = bodies()
        assert (body["payload"]["content"], body["payload"]["encrypted"]) == (None, True)
        assert "Zoë" not in json.dumps(body, ensure_ascii=False)


def test_a_text_that_comes_under_the_customers_key_is_not_sent_in_the_clear(world: World) -> None:
    with world.inside():
        hook()
        memory = make_shared(WORDS)
        dispatch()
        store.seal(Memory.objects.select_for_update().get(pk=memory.pk), put_key(world.tenant))
        row = Delivery.objects.get()
        assert (row.status, row.body) == ("erased", None)


def test_a_superseded_memory_names_what_stands_instead(world: World) -> None:
    with world.inside():
        old = make_shared("Deadline is Friday.", fact_key="deadline")
        dispatch()
        hook()
        draft = old.as_draft.model_copy(update={"content": "Deadline is Monday."})
        new = store.share(draft, writer=agent_called("b"), by=SYSTEM, instead_of=[(old, "fact")])
        dispatch()
        superseded, written = bodies()
        assert superseded["payload"]["supersededBy"] == str(new.uid)
        assert superseded["payload"]["memoryId"] == str(old.uid)
        assert superseded["payload"]["agentId"] == "a"
        assert (written["payload"]["agentId"], written["payload"]["factKey"]) == ("b", "deadline")
        assert "content" not in superseded["payload"]


def test_no_payload_holds_a_number_of_ours(world: World) -> None:
    with world.inside():
        hook()
        for kind in SUBSCRIBABLE:
            happen(kind)
        Event.objects.update(created_at=Now() + timedelta(seconds=1))
        dispatch()
        for body in bodies():
            assert "writerId" not in body["payload"]
            assert not any(
                isinstance(value, int) and value is not False for value in body["payload"].values()
            )


def test_a_policy_that_is_gone_or_has_no_address_tells_nobody(world: World) -> None:
    with world.inside():
        policy = ConflictPolicy.objects.create(policy="human_in_loop")
        for uid in (str(policy.uid), str(uuid4()), "no id", None):
            detail: dict[str, Any] = {"policyId": uid, "agentId": "a", "conflicts": []}
            announce_conflict(Kind.CONFLICT_DETECTED, write=uuid4(), detail=detail)
        assert dispatch() == 4
        assert not Delivery.objects.exists()


def test_a_policys_address_hears_of_its_own_detected_conflicts_only(world: World) -> None:
    with world.inside():
        here = ConflictPolicy.objects.create(
            policy="human_in_loop", workflow="w", webhook_url="https://w.example.com/"
        )
        ConflictPolicy.objects.create(
            policy="human_in_loop", webhook_url="https://all.example.com/"
        )
        detail = {"policyId": str(here.uid), "agentId": "a", "conflicts": []}
        for kind in (Kind.CONFLICT_DETECTED, Kind.CONFLICT_BLOCKED, Kind.CONFLICT_RESOLVED):
            announce_conflict(kind, write=uuid4(), detail=detail)
        dispatch()
        row = Delivery.objects.get()
        assert (row.url, row.event.kind) == ("https://w.example.com/", Kind.CONFLICT_DETECTED)


@pytest.mark.django_db(transaction=True)
def test_events_that_another_dispatcher_holds_are_left_to_it(world: World) -> None:
    with world.inside():
        hook()
        make_shared("Held.")
    with world.inside():
        assert dispatch() == 1

        def other() -> int:
            with world.inside():
                return dispatch()

        assert at_once(other) == [0]
    with world.inside():
        assert Delivery.objects.count() == 1


@pytest.mark.parametrize("kind", [Killed, Hiccup])
def test_killed_at_any_statement_it_is_told_under_one_id(
    settings: Any, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    timed = lambda *call: replace(post(*call), milliseconds=5)  # noqa: E731
    monkeypatch.setattr(deliver, "post", timed)  # worlds are compared, durations are not
    with receiving() as receiver:

        def prepare() -> Hooked:
            receiver.taken.clear()
            hooked = Hooked(receiver)
            hooked.write()
            return hooked

        def act(world: World) -> None:
            while deliver.step(world.tenant.pk).taken:
                pass
            ids = {taken.id for taken in receiver.taken}
            assert len(ids) <= 1
            assert len({taken.body for taken in receiver.taken}) <= 1

        assert at_every_statement(prepare, act, kind) > 10


def test_agents_are_named_as_they_are_called(world: World) -> None:
    with world.inside():
        hook()
        make_shared("By somebody.", writer="Zoë's agent")
        assert SharedAgent.objects.get().name == "Zoë's agent"
        dispatch()
        assert bodies()[0]["payload"]["agentId"] == "Zoë's agent"
