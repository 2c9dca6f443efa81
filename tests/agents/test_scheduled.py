"""Agents that are asked by the clock: once a time, for a person, kept, and nothing learned."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from agents import scheduled
from agents.models import Agent, Conversation, Message, Mode, ScheduledRun, Visitor
from memory import tools
from memory.learning import observe
from memory.models import Mutation
from memory.providers.door import using
from memory.providers.errors import Unavailable
from memory.providers.types import Call
from memory.tools import Person
from tenants.actor import Actor
from tenants.directory import tenants_with_work
from tests.factories import World
from tests.fakes import ScriptedLanguage, StubEmbedder
from tests.race import at_once

PORTO = "The user lives in Porto."


class Clock(World):
    def __init__(self) -> None:
        super().__init__()
        self.language = ScriptedLanguage()
        with self.inside():
            Agent.objects.update(tools=True)
            self.run = ScheduledRun.objects.create(
                name="Morning", agent=self.agent, visitor=self.visitor,
                prompt="What is on today?", crontab="0 7 * * *",
                next_run_at=datetime.now(UTC) - timedelta(minutes=1),
            )  # fmt: skip

    def again(self) -> ScheduledRun:
        with self.inside():
            return ScheduledRun.objects.get()


@pytest.fixture
def clock(db: None) -> Iterator[Clock]:
    made = Clock()
    with using(language=made.language, embedder=StubEmbedder()):
        yield made


def test_it_is_asked_with_the_persons_memory_and_kept_as_a_conversation(clock: Clock) -> None:
    person = Person(clock.tenant.pk, clock.visitor.pk, Actor.person(), "page")
    tools.remember(person, content=PORTO)
    clock.language.say("Nothing is on.")
    assert clock.tenant.pk in tenants_with_work("scheduled", 10)
    assert scheduled.step(clock.tenant.pk).processed == 1
    assert PORTO in clock.language.transport.requests[0].text
    with clock.inside():
        kept = Conversation.objects.get()
        assert (kept.channel, kept.visitor_id) == ("scheduled", clock.visitor.pk)
        said = list(Message.objects.order_by("position").values_list("role", "content"))
        assert said == [("user", "What is on today?"), ("assistant", "Nothing is on.")]
    run = clock.again()
    assert run.last_conversation == kept.uid
    assert run.next_run_at is not None
    assert run.next_run_at > datetime.now(UTC)
    assert (run.next_run_at.hour, run.next_run_at.minute) == (7, 0)
    assert scheduled.step(clock.tenant.pk).taken == 0
    assert clock.tenant.pk not in tenants_with_work("scheduled", 10)


def test_nothing_is_learned_from_what_no_person_said(clock: Clock) -> None:
    clock.language.say("Nothing is on.")
    scheduled.step(clock.tenant.pk)
    with clock.inside():
        Conversation.objects.update(last_received_at=datetime.now(UTC) - timedelta(days=2))
    assert observe.step(clock.tenant.pk).taken == 0


def test_its_tools_propose_for_the_person(clock: Clock) -> None:
    call = Call("a", "remember", json.dumps({"content": PORTO, "key": "home-city"}))
    clock.language.say([call], "Noted.")
    scheduled.step(clock.tenant.pk)
    with clock.inside():
        mutation = Mutation.objects.get()
        assert (mutation.visitor_id, mutation.flags) == (clock.visitor.pk, ["no-evidence"])
        uid = Conversation.objects.get().uid
        assert mutation.made_by["conversation"] == str(uid)


def test_for_nobody_there_is_no_profile_and_there_are_no_tools(clock: Clock) -> None:
    with clock.inside():
        ScheduledRun.objects.update(visitor=None)
    clock.language.say("Hello.")
    scheduled.step(clock.tenant.pk)
    assert clock.language.transport.requests[0].functions == ()


def test_a_new_one_waits_for_its_first_time(clock: Clock) -> None:
    with clock.inside():
        ScheduledRun.objects.update(next_run_at=None)
    assert scheduled.step(clock.tenant.pk).processed == 0
    assert clock.language.transport.requests == []
    assert clock.again().next_run_at is not None


def test_no_answer_is_tried_again_and_parked_in_the_end(clock: Clock) -> None:
    for _ in range(5):
        clock.language.say(Unavailable("away"))
        assert scheduled.step(clock.tenant.pk).failed == 1
        with clock.inside():
            ScheduledRun.objects.update(not_before=None)
    run = clock.again()
    assert run.parked_at is not None
    assert run.failed_because == "NoAnswer"
    with clock.inside():
        assert not Conversation.objects.exists()


def test_a_person_switched_off_keeps_no_conversation(clock: Clock) -> None:
    with clock.inside():
        Visitor.objects.update(auto_capture_enabled=False)
    clock.language.say("Hello.")
    scheduled.step(clock.tenant.pk)
    with clock.inside():
        assert not Conversation.objects.exists()
    assert "not kept" in clock.again().last_said


@pytest.mark.django_db(transaction=True)
def test_two_ticks_at_once_ask_once() -> None:
    clock = Clock()
    with clock.inside():
        Agent.objects.update(mode=Mode.AUTOMATIC)
    with using(language=clock.language, embedder=StubEmbedder()):
        clock.language.say("Hello.", "Hello.")
        done = at_once(*[lambda: scheduled.step(clock.tenant.pk)] * 2)
    assert sum(each.processed for each in done) == 1
    assert len(clock.language.transport.requests) == 1


def test_an_outside_clock_asks_for_it_too(clock: Clock, settings: Any) -> None:
    settings.CRON_SECRET = "a secret of enough length"
    clock.language.say("Nothing is on.")
    headers = {"x-cron-secret": settings.CRON_SECRET}
    answer = Client().post("/api/cron/agents-scheduled", headers=headers)
    assert answer.json() == {"ok": True, "processed": 1, "failed": 0}
