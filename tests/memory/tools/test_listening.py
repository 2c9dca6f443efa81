"""Listeners: what they hear, what they do, and how a loop of them ends by itself (D40)."""

import pytest

from agents.models import Visitor
from memory import tools
from memory.events.hearing import DEEPEST
from memory.interfaces import tasks
from memory.models import Event, Hearing, Listener, Memory
from memory.tools import Person, ToolError, listening
from tenants.actor import Actor
from tenants.directory import tenants_with_work
from tests.factories import World, make_memory, make_visitor
from tests.race import at_once

pytestmark = pytest.mark.django_db

PORTO = "The user lives in Porto."


class Heard(World):
    def listen(self, event: str, tool: str, arguments: object, **filter: str) -> Listener:
        with self.inside():
            return Listener.objects.create(
                name="test", event=event, tool=tool, arguments=arguments, **filter
            )

    def person(self, visitor: Visitor | None = None) -> Person:
        return Person(self.tenant.pk, (visitor or self.visitor).pk, Actor.person(), "page")

    def work(self) -> int:
        done = 0
        while (tally := listening.step(self.tenant.pk)).taken:
            done += tally.processed
        return done

    def texts(self, visitor: Visitor | None = None) -> dict[str | None, str]:
        with self.inside():
            rows = Memory.objects.as_of().filter(visitor=visitor or self.visitor)
            return dict(rows.values_list("slug", "content"))


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_a_listener_runs_its_tool_for_the_person_of_the_event(heard: Heard) -> None:
    heard.listen(
        "memory.created", "remember",
        {"content": "Has told where they live: {content}", "key": "told-{key}", "category": "log"},
        category="fact", key_prefix="home",
    )  # fmt: skip
    with heard.inside():
        other = make_visitor()
    tools.remember(heard.person(), content=PORTO, key="home-city", category="Fact")
    tools.remember(heard.person(), content="Plays the oboe.", key="home-music", category="hobby")
    tools.remember(heard.person(other), content="Keeps bees.", key="pets", category="fact")
    assert heard.tenant.pk in tenants_with_work("listen", 10)
    assert heard.work() == 1
    assert heard.tenant.pk not in tenants_with_work("listen", 10)
    assert heard.texts()["told-home-city"] == f"Has told where they live: {PORTO}"
    assert list(heard.texts(other)) == ["pets"]
    with heard.inside():
        row = Hearing.objects.get()
        assert (row.status, row.said) == ("done", "saved")
        assert Event.objects.get(key="told-home-city").depth == 1


def test_a_loop_ends_by_itself_and_says_so(heard: Heard) -> None:
    heard.listen("memory.updated", "update_memory", {"key": "{key}", "content": "{content}!"})
    tools.remember(heard.person(), content=PORTO, key="home-city")
    assert heard.work() == 0
    tools.update_memory(heard.person(), key="home-city", content="Lisbon")
    assert heard.work() == DEEPEST
    assert heard.texts() == {"home-city": "Lisbon" + "!" * DEEPEST}
    with heard.inside():
        depths = list(
            Event.objects.filter(kind="memory.updated")
            .order_by("id")
            .values_list("depth", flat=True)
        )
        assert depths == list(range(DEEPEST + 1))
        last = Hearing.objects.latest("id")
        assert last.status == "stopped"
        assert "ends at depth 5" in last.said
        assert last.ended_at is not None
    tools.update_memory(heard.person(), key="home-city", content="Faro")  # a new chain begins anew
    assert heard.work() == DEEPEST


def test_two_listeners_that_answer_each_other_end_too(heard: Heard) -> None:
    heard.listen("memory.created", "forget", {"id": "{id}"}, key_prefix="ping")
    heard.listen("memory.deleted", "remember", {"content": "Ping once more.", "key": "ping"})
    tools.remember(heard.person(), content="Ping.", key="ping")
    assert heard.work() <= DEEPEST
    with heard.inside():
        assert not Hearing.objects.filter(status="waiting").exists()


def test_what_the_tool_refuses_is_written_down(heard: Heard) -> None:
    heard.listen("memory.created", "forget", {"key": "nobody-has-this"})
    tools.remember(heard.person(), content=PORTO)
    assert heard.work() == 1
    with heard.inside():
        row = Hearing.objects.get()
        assert row.status == "refused"
        assert "no memory of this person" in row.said
        assert PORTO not in row.said


def test_what_an_event_brings_is_not_filled_in_again(heard: Heard) -> None:
    heard.listen("memory.created", "remember", {"content": "Heard: {content}", "key": "copy"},
                 key_prefix="source")  # fmt: skip
    tools.remember(heard.person(), content="Writes {key} and {id} in notes.", key="source")
    heard.work()
    assert heard.texts()["copy"] == "Heard: Writes {key} and {id} in notes."


def test_only_profiles_are_heard_and_only_by_active_listeners(heard: Heard) -> None:
    listener = heard.listen("memory.created", "remember", {"content": "Heard.", "key": "heard"})
    with heard.inside():
        make_memory(heard.agent, heard.visitor, "Likes tea.")
        assert not Hearing.objects.exists()
    tools.remember(heard.person(), content=PORTO)
    with heard.inside():
        Listener.objects.filter(pk=listener.pk).update(active=False)
    heard.work()
    with heard.inside():
        assert Hearing.objects.get().status == "refused"
    tools.remember(heard.person(), content="Plays the oboe.")
    with heard.inside():
        assert Hearing.objects.count() == 1


def test_an_erase_takes_what_was_heard_along(heard: Heard) -> None:
    from memory.lifecycle.erase import erase_person
    from tenants.actor import SYSTEM

    heard.listen("memory.created", "remember", {"content": "Heard.", "key": "heard"})
    tools.remember(heard.person(), content=PORTO)
    erase_person(tenant_id=heard.tenant.pk, visitor_id=heard.visitor.pk, by=SYSTEM)
    with heard.inside():
        assert not Hearing.objects.exists()
    assert heard.work() == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "is_right"),
    [
        ("remember", {"content": "{content}", "key": "copy-{key}"}, True),
        ("forget", {"id": "{id}"}, True),
        ("remember", {"key": "x"}, False),
        ("remember", {"content": "x", "user": "y"}, False),
        ("forget", [], False),
        ("forget", {"id": "{id}", "key": "k"}, False),
    ],
)
def test_what_could_never_be_called_is_refused_when_it_is_written(
    tool: str, arguments: object, is_right: bool
) -> None:
    if is_right:
        listening.check(tool, arguments)
        return
    with pytest.raises(ToolError):
        listening.check(tool, arguments)


def test_a_write_that_is_heard_wakes_the_stage(
    heard: Heard, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: object
) -> None:
    woken: list[str] = []
    monkeypatch.setattr(tasks, "_send", lambda stage, tenant_id: woken.append(stage))
    heard.listen("memory.created", "remember", {"content": "Heard.", "key": "heard"})
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        tools.remember(heard.person(), content=PORTO)
    assert "listen" in woken


@pytest.mark.django_db(transaction=True)
def test_two_workers_answer_once() -> None:
    heard = Heard()
    heard.listen("memory.created", "remember", {"content": "Heard.", "key": "heard"},
                 key_prefix="home")  # fmt: skip
    tools.remember(heard.person(), content=PORTO, key="home-city")
    done = at_once(*[lambda: listening.step(heard.tenant.pk)] * 2)
    assert sorted(each.processed for each in done) == [0, 1]
