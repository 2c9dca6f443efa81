"""Celery only wakes: after the commit or never, and a message that comes twice does nothing twice
(field fault 18)."""

import importlib
import json
import threading
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import Client
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from memory.interfaces import tasks
from memory.models import MemoryVector, Observation, Run, Unembedded, Webhook
from memory.providers.door import using
from memory.providers.errors import Unavailable
from tests.factories import World, make_conversation, make_key, make_memory
from tests.fakes import Meanwhile, ScriptedLanguage, StubEmbedder
from tests.hooked import Hooked
from tests.race import at_once
from tests.receivers import receiving

OBSERVED = (
    '{"observations": [{"statement": "The user likes tea.", "quote": "I like tea", "turn": 1}]}'
)


def capture(world: World, *ids: str) -> Any:
    with world.inside():
        key = make_key()
    messages = [{"id": id_, "role": "user", "content": f"I like {id_} tea"} for id_ in ids]
    body = {"visitor": "v", "conversation": "c", "messages": messages}
    return Client().post(
        f"/api/agents/{world.agent.slug}/capture",
        json.dumps(body),
        "application/json",
        headers={"Authorization": f"Bearer {key}"},
    )


@pytest.fixture
def at_once_elsewhere(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """A broker that executes at once, in another thread and on another connection."""
    sent: list[tuple[str, int]] = []

    def execute(stage: str) -> Any:
        def apply_async(args: tuple[int], **_: Any) -> None:
            sent.append((stage, args[0]))

            def elsewhere() -> None:
                tasks.work(stage, *args)
                connection.close()

            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join(timeout=20)
            assert not thread.is_alive(), "the task waits for its sender: sent before the commit"

        return apply_async

    for stage, task in tasks.TASKS.items():
        monkeypatch.setattr(task, "apply_async", execute(stage))
    return sent


@pytest.mark.django_db(transaction=True)
def test_the_task_finds_what_was_captured(at_once_elsewhere: list[tuple[str, int]]) -> None:
    world, embedder = World(), StubEmbedder(fail=Unavailable("away"))
    with using(embedder=embedder):
        answer = capture(world, "green", "black")  # no vector at hand
        assert answer.json()["accepted"] == 2
        assert at_once_elsewhere == [("embed", world.tenant.pk)]
    with world.inside():
        rows = Unembedded.objects.all()
        assert [row.failed_because for row in rows] == ["unavailable"] * 2  # it saw both


@pytest.mark.django_db(transaction=True)
def test_the_task_sees_the_rows_it_was_woken_for(
    at_once_elsewhere: list[tuple[str, int]],
) -> None:
    world = World()
    with using(embedder=StubEmbedder()):
        with world.inside():
            memory = make_memory(world.agent)
            tasks.wake("embed", world.tenant.pk)
            assert at_once_elsewhere == []
        assert at_once_elsewhere == [("embed", world.tenant.pk)]
    with world.inside():
        assert MemoryVector.objects.get().memory_id == memory.pk


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_wakes_nobody(at_once_elsewhere: list[tuple[str, int]]) -> None:
    world = World()
    with world.inside():
        tasks.wake("embed", world.tenant.pk)
        transaction.set_rollback(True)
    assert at_once_elsewhere == []


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_is_counted_and_breaks_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise ConnectionError("redis://user:password@broker")

    monkeypatch.setattr(tasks.TASKS["embed"], "apply_async", away)
    world = World()
    with using(embedder=StubEmbedder(fail=Unavailable("away"))):
        assert capture(world, "green").json()["accepted"] == 1
    run = Run.objects.get(stage="wake")
    assert (run.failed, run.error) == (1, "ConnectionError × 1")


@pytest.mark.django_db(transaction=True)
def test_a_task_that_comes_twice_asks_and_writes_once() -> None:
    world = World()
    with world.inside():
        make_conversation(world.agent, world.visitor, "user: I like tea")
    language = ScriptedLanguage(OBSERVED)
    with using(language=language, embedder=StubEmbedder()):
        for _ in range(2):
            tasks.observe.apply(args=(world.tenant.pk,)).get()
    assert len(language.transport.requests) == 1
    with world.inside():
        assert Observation.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_copies_of_a_task_at_the_same_time_ask_and_write_once() -> None:
    world = World()
    with world.inside():
        make_conversation(world.agent, world.visitor, "user: I like tea")
    both_started = threading.Barrier(2)
    finished = threading.Event()
    language = Meanwhile(lambda: finished.wait(timeout=10), OBSERVED)

    def one() -> None:
        both_started.wait(timeout=10)
        tasks.work("observe", world.tenant.pk)

    def other() -> None:
        both_started.wait(timeout=10)
        tasks.work("observe", world.tenant.pk)

    def let_go() -> None:
        threading.Event().wait(0.5)
        finished.set()

    with using(language=language, embedder=StubEmbedder()):
        assert at_once(one, other, let_go) == [None, None, None]
    assert len(language.transport.requests) == 1
    with world.inside():
        assert Observation.objects.count() == 1


@pytest.mark.django_db
def test_the_stages_are_scheduled_once_and_an_operators_change_stays() -> None:
    migration = importlib.import_module("config.migrations.0001_schedule_stages")

    class Editor:
        connection = connection

    migration.schedule(apps, Editor)
    importlib.import_module("config.migrations.0002_schedule_retention").schedule(apps, Editor)
    importlib.import_module("config.migrations.0003_schedule_keeping").schedule(apps, Editor)
    importlib.import_module("config.migrations.0004_schedule_deliver").schedule(apps, Editor)
    importlib.import_module("config.migrations.0005_schedule_graph").schedule(apps, Editor)
    importlib.import_module("config.migrations.0006_schedule_automation").schedule(apps, Editor)
    made = {each.task: each for each in PeriodicTask.objects.exclude(name__startswith="celery")}
    own = {"memory.retention", "agents.scheduled"}
    assert set(made) == {*own, *(task.name for task in tasks.TASKS.values())}
    assert [made[f"memory.{s}"].crontab.minute for s in ("observe", "reconcile")] == ["0", "10"]
    nightly = CrontabSchedule.objects.create(minute="30", hour="2")
    PeriodicTask.objects.filter(task="memory.observe").update(crontab=nightly, enabled=False)
    migration.schedule(apps, Editor)
    observe = PeriodicTask.objects.get(task="memory.observe")
    assert (observe.crontab, observe.enabled) == (nightly, False)


def test_extraction_runs_on_its_own_queue_within_its_limits() -> None:
    task = tasks.TASKS["extract"]
    route = task.app.amqp.router.route({}, task.name)
    assert route["queue"].name == "ai_agent"
    assert (task.soft_time_limit, task.time_limit) == (60, 90)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_heard", [True, False])
def test_a_shared_write_wakes_the_deliveries_if_anybody_listens(
    at_once_elsewhere: list[tuple[str, int]], settings: Any, is_heard: bool
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        hooked = Hooked(receiver)
        if not is_heard:
            with hooked.inside():
                Webhook.objects.update(active=False)
        hooked.write()
        assert at_once_elsewhere == [("deliver", hooked.tenant.pk)] * is_heard
        assert len(receiver.taken) == is_heard  # the task saw what it was woken for


@pytest.mark.django_db(transaction=True)
def test_a_shared_write_that_is_rolled_back_is_told_to_nobody(
    at_once_elsewhere: list[tuple[str, int]], settings: Any
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        hooked = Hooked(receiver)
        with hooked.inside():
            hooked.write()
            transaction.set_rollback(True)
        assert at_once_elsewhere == []
        hooked.work()
        assert receiver.taken == []
