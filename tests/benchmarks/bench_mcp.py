"""A tool call over MCP against the same call in this process, in turn; and fifty clients at once.

A real server (uvicorn, two workers) on the loopback; the clients and it share the machine. What
is aimed at: at most 20 ms above the engine's own time at the median, and fifty without an error.
A plain POST is told beside the official client, since the two pay for different things: one
compares each answer with its schema, the other is the bare request.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from django.db import connection
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from agents.models import Visitor
from memory.interfaces.mcp.calls import Session, call
from tenants.auth import authenticate
from tests.benchmarks.measuring import p50, p95, table
from tests.factories import World, make_key
from tests.memory.interfaces.mcp.conftest import envelope
from tests.served import web

pytestmark = [pytest.mark.bench, pytest.mark.django_db(transaction=True)]

ROUNDS, WARM = 60, 10
CLIENTS, CALLS = 50, 4  # each client makes so many after it has connected
LONGEST = 180  # seconds that anything here may take
ERAS = ["legacy", "auto"]  # with a handshake, and each request by itself
NOTES = 200  # shared memories to search among


@contextmanager
def filled() -> Iterator[tuple[World, str]]:
    world = World()
    with world.inside():
        key = make_key(tier="enterprise")
    caller = Session(authenticate({"Authorization": f"Bearer {key}"}), "mira")
    for number in range(NOTES):
        note = {"content": f"Order {number} ships on day {number % 28 + 1}.", "agentId": "a",
                "scope": "global"}  # fmt: skip
        assert call(caller, "memory_write", note).error is None
    assert call(caller, "remember", {"content": "I live in Porto.", "key": "home"}).error is None
    yield world, key


def headers_of(key: str, person: str) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {key}",
        "X-Keepsake-Person": person,
        "Accept": "application/json, text/event-stream",
    }


async def with_client(
    address: str, key: str, person: str, era: str, act: Callable[[Client], Awaitable[Any]]
) -> Any:
    async with (
        httpx2.AsyncClient(headers=headers_of(key, person), timeout=60) as http,
        Client(streamable_http_client(address + "/mcp", http_client=http), mode=era) as client,
    ):
        return await act(client)


@pytest.mark.parametrize("era", ERAS)
def test_a_call_above_the_engines_own_time(era: str) -> None:
    kinds: list[tuple[str, Callable[[int], dict[str, Any]]]] = [
        ("list_memories", lambda n: {}),
        ("remember", lambda n: {"content": f"My lucky number is {n}.", "key": "lucky"}),
        ("memory_search", lambda n: {"query": f"when does order {n} ship?", "agentId": "b"}),
    ]
    with filled() as (_, key), web() as address:
        caller = Session(authenticate({"Authorization": f"Bearer {key}"}), "mira")

        async def compare(client: Client) -> list[list[object]]:
            rows: list[list[object]] = []
            loop, aside = asyncio.get_running_loop(), ThreadPoolExecutor(1)  # one kept connection
            plain = httpx2.AsyncClient(headers=headers_of(key, "mira"), timeout=60)
            for name, arguments in kinds:
                over, within, bare = [], [], []
                for number in range(ROUNDS + WARM):
                    started = time.perf_counter()
                    result = await client.call_tool(name, arguments(3 * number))
                    over.append((time.perf_counter() - started) * 1000)
                    assert not result.is_error, result.content
                    started = time.perf_counter()
                    answer = await loop.run_in_executor(
                        aside, call, caller, name, arguments(3 * number + 1)
                    )
                    within.append((time.perf_counter() - started) * 1000)
                    assert answer.error is None
                    body, more = envelope(
                        era, "tools/call", name=name, arguments=arguments(3 * number + 2)
                    )
                    more = {each.replace("_", "-"): value for each, value in more.items()}
                    started = time.perf_counter()
                    plainly = await plain.post(address + "/mcp", json=body, headers=more)
                    bare.append((time.perf_counter() - started) * 1000)
                    assert not plainly.json()["result"].get("isError")
                within, bare, over = within[WARM:], bare[WARM:], over[WARM:]
                rows.append([
                    name, p50(within), p50(over), p50(over) - p50(within), p95(over), p50(bare),
                ])  # fmt: skip
            await plain.aclose()
            await loop.run_in_executor(aside, lambda: connection.close())
            aside.shutdown()
            return rows

        rows = asyncio.run(
            asyncio.wait_for(with_client(address, key, "mira", era, compare), LONGEST)
        )
    print(f"\nload {os.getloadavg()[0]:.1f} over the last minute")
    table(
        f"MCP over HTTP ({era}), ms, {ROUNDS} calls each, in turn with the engine alone",
        ["tool", "engine p50", "MCP p50", "above it", "MCP p95", "a plain POST p50"],
        rows,
    )


@pytest.mark.parametrize("era", ERAS)
def test_fifty_clients_at_once(era: str) -> None:
    taken: list[float] = []
    errors: list[str] = []

    async def one(address: str, key: str, number: int) -> None:
        async def act(client: Client) -> None:
            for turn in range(CALLS):
                asked: list[tuple[str, dict[str, Any]]] = [
                    ("remember", {"content": f"I am number {number}.", "key": "number"}),
                    ("list_memories", {}),
                    ("memory_search", {"query": f"order {number}", "agentId": f"a{number}"}),
                    ("scratch_set", {"workflowId": "w", "key": f"k{number}", "value": number}),
                ]
                name, arguments = asked[turn % len(asked)]
                started = time.perf_counter()
                result = await client.call_tool(name, arguments)
                taken.append((time.perf_counter() - started) * 1000)
                if result.is_error:
                    errors.append(str(result.content))

        try:
            await with_client(address, key, f"p{number}", era, act)
        except Exception as problem:
            errors.append(repr(problem))

    with filled() as (world, key), web() as address:

        async def everybody() -> None:
            await asyncio.gather(*(one(address, key, number) for number in range(CLIENTS)))

        started = time.perf_counter()
        asyncio.run(asyncio.wait_for(everybody(), LONGEST))
        seconds = time.perf_counter() - started
        with world.inside():
            people = Visitor.objects.filter(host_id__startswith="p").count()
    print(f"\nload {os.getloadavg()[0]:.1f} over the last minute")
    table(
        f"{CLIENTS} MCP clients at once ({era})",
        ["calls", "errors", "p50 ms", "p95 ms", "seconds in all", "people made"],
        [[len(taken), len(errors), p50(taken), p95(taken), seconds, people]],
    )
    assert errors == []
    assert len(taken) == CLIENTS * CALLS
