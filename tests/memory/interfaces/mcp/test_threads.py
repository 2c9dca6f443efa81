"""Blocking work beside the loop: no tenant takes every thread, no connection stays behind."""

import asyncio
import logging
import threading
import time
from typing import Any

import pytest
from django.db import connection
from mcp import MCPError
from mcp.client.client import Client

from memory.interfaces.mcp import server as protocol
from memory.interfaces.mcp import threads
from memory.interfaces.mcp.calls import Answer, Session
from memory.interfaces.mcp.server import make_server
from memory.interfaces.mcp.threads import CALLS, OF_ONE_TENANT, Turns, admit
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Tenant
from tests.memory.interfaces.mcp.conftest import ERAS, Mcp

PATIENCE = 20  # seconds: what is waited for comes at once, or never


def test_threads_are_fewer_than_a_process_has_connections(settings: Any) -> None:
    """A pool has 16 (settings), and pages need some while every thread waits for a model."""
    assert threads.ADMISSIONS + CALLS <= 12
    assert OF_ONE_TENANT < CALLS


def test_a_tenant_whose_calls_hang_does_not_hold_up_another() -> None:
    release, entered = threading.Event(), threading.Semaphore(0)

    def hang() -> str:
        entered.release()
        assert release.wait(PATIENCE)
        return "late"

    async def both() -> None:
        turns = Turns()
        slow = [asyncio.ensure_future(turns.run(1, hang)) for _ in range(CALLS * 3)]
        try:
            for _ in range(OF_ONE_TENANT):
                assert await asyncio.to_thread(entered.acquire, timeout=PATIENCE)
            other = asyncio.wait_for(turns.run(2, lambda: "at once"), PATIENCE)
            assert await other == "at once"
            assert await asyncio.wait_for(admit(lambda: "let in"), PATIENCE) == "let in"
            assert not any(each.done() for each in slow)
        finally:
            release.set()
        assert await asyncio.gather(*slow) == ["late"] * len(slow)

    asyncio.run(both())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fails", [False, True])
def test_no_connection_stays_with_a_thread(world: Mcp, fails: bool) -> None:
    left: list[Any] = []

    def look() -> None:
        with within(world.tenant.pk):
            Tenant.objects.get(pk=world.tenant.pk)
        left.append(connection)
        if fails:
            raise ValueError("as told")

    async def many() -> list[Any]:
        turns = Turns()
        calls = [turns.run(1, look) for _ in range(20)]
        return await asyncio.gather(*calls, return_exceptions=True)

    done = asyncio.run(many())
    assert {type(each) for each in done} == {ValueError if fails else type(None)}
    end = time.monotonic() + PATIENCE
    while connections_of_others():  # the server ends them a moment after we let go
        assert time.monotonic() < end, "a connection was kept"
        time.sleep(0.02)


def connections_of_others() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND usename = current_user AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def hanging(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """`remember` waits until the second is set; the first says that it has begun."""
    begun, release = threading.Event(), threading.Event()

    def slow(session: Session, name: str, arguments: Any) -> Answer:
        if name == "remember":
            begun.set()
            assert release.wait(PATIENCE)
        return Answer({"memories": [], "total": 0})

    monkeypatch.setattr(protocol, "call", slow)
    return begun, release


async def anybody(context: Any) -> Session:
    return Session(Caller(1, "organisation", token_id=1))


@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_is_given_up_leaves_the_server_whole(
    monkeypatch: pytest.MonkeyPatch, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    begun, release = hanging(monkeypatch)

    async def talk() -> list[Any]:
        async with Client(make_server(anybody), mode=era) as client:
            for _ in range(OF_ONE_TENANT * 2):  # more than there are turns
                begun.clear()
                call = asyncio.ensure_future(client.call_tool("remember", {}))
                assert await asyncio.to_thread(begun.wait, PATIENCE)
                call.cancel()
                release.set()
                with pytest.raises(asyncio.CancelledError):
                    await call
                release.clear()
            return [await client.call_tool("list_memories", {}) for _ in range(3)]

    with caplog.at_level(logging.WARNING):
        answers = asyncio.run(asyncio.wait_for(talk(), PATIENCE * 2))
    assert [each.structured_content for each in answers] == [{"memories": [], "total": 0}] * 3
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


@pytest.mark.parametrize("era", ERAS)
def test_who_may_not_call_is_told_so_in_words(era: str) -> None:
    """Over stdio a key may end between two calls: an error of the tool, of the protocol else."""

    async def nobody(context: Any) -> Session:
        raise MCPError(-32600, "the key is not valid")

    async def talk() -> tuple[Any, list[str]]:
        async with Client(make_server(nobody), mode=era) as client:
            called = await client.call_tool("list_memories", {})
            said = []
            for ask in (client.list_tools, client.list_prompts):
                with pytest.raises(MCPError) as problem:
                    await ask()
                said.append(problem.value.message)
            return called, said

    called, said = asyncio.run(talk())
    assert called.is_error
    assert {called.content[0].text, *said} == {"the key is not valid"}
