"""The chat through a real server: pieces as they come, hanging up, and connections let go."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, connections

from agents.models import Message
from memory.models import RecallTrace
from memory.providers.door import using
from tests.factories import World
from tests.fakes import ScriptedLanguage, StubEmbedder
from tests.served import served

pytestmark = pytest.mark.django_db(transaction=True)


class Slow(ScriptedLanguage):
    """Says a word, then waits for `go` before each further one."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.started = threading.Semaphore(0)
        self.closed = threading.Event()

    def answer(self, *_: Any, **__: Any) -> Iterator[str]:
        try:
            yield "Green "
            self.started.release()
            for word in ("tea ", "is ", "served."):
                self.go.wait(timeout=20)
                yield word
        finally:
            self.closed.set()


@pytest.fixture
def language() -> Iterator[Slow]:
    language = Slow()
    with using(language=language, embedder=StubEmbedder()):
        yield language
        language.go.set()


@pytest.fixture
def port() -> Iterator[int]:
    """A server in a thread of this process, so that it speaks with the scripted model."""
    with served() as address:
        yield int(address.rpartition(":")[2])


def until(holds: Callable[[], Any], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


def ask(port: int, world: World) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    body = json.dumps({"messages": [{"role": "user", "content": "which tea"}]})
    path = f"/api/public/agents/{world.agent.uid}/chat"
    client.request("POST", path, body, {"Content-Type": "application/json"})
    return client, client.getresponse()


def said(world: World) -> list[tuple[str, str, bool]]:
    with world.inside():
        rows = Message.objects.order_by("conversation_id", "position")
        return [(m.role, m.content, m.complete) for m in rows]


def open_connections() -> int:
    """Connections to this database besides the one that asks."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def test_pieces_arrive_as_they_are_said_and_the_whole_is_captured(
    port: int, language: Slow
) -> None:
    world = World()
    client, answer = ask(port, world)
    assert answer.status == 200
    assert answer.read1(100) == b"Green "  # the rest is not said yet
    language.go.set()
    assert answer.read() == b"tea is served."
    client.close()
    until(lambda: len(said(world)) == 2)
    assert said(world)[1] == ("assistant", "Green tea is served.", True)


def test_hanging_up_captures_what_was_said(port: int, language: Slow) -> None:
    world = World()
    client, answer = ask(port, world)
    assert answer.read1(100) == b"Green "
    language.started.acquire(timeout=20)
    answer.close()
    client.close()
    time.sleep(0.3)  # the server hears of it while the model is silent
    language.go.set()
    until(lambda: len(said(world)) == 2)
    role, content, complete = said(world)[1]
    assert (role, complete) == ("assistant", False)
    assert content.startswith("Green ")
    assert "served" not in content
    assert language.closed.is_set()
    with world.inside():
        reply = Message.objects.get(role="assistant")
        assert RecallTrace.objects.get().message_id == reply.pk
    until(lambda: open_connections() == 0)


def test_ten_open_streams_hold_no_connection(port: int, language: Slow) -> None:
    world = World()
    streams = [ask(port, world) for _ in range(10)]
    for _, answer in streams:
        assert answer.read1(100) == b"Green "
        assert language.started.acquire(timeout=20)
    connections["owner"].close()
    until(lambda: open_connections() == 0)  # a closed one takes Postgres a moment
    language.go.set()
    for client, answer in streams:
        assert answer.read() == b"tea is served."
        client.close()
    until(lambda: len(said(world)) == 20)
    until(lambda: open_connections() == 0)
