"""A real server with `/mcp`, and the official client over it."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx2
import pytest
import uvicorn
from django.core.asgi import get_asgi_application
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from config.mounted import mounted
from tests.factories import World, make_key
from tests.ports import free_port

T = TypeVar("T")


class Mcp(World):
    """A tenant, keys of it, and calls through the official client."""

    base: str

    def key(self, **fields: Any) -> str:
        with self.inside():
            return make_key(**fields)

    @asynccontextmanager
    async def client(
        self, key: str, person: str | None = None, **options: Any
    ) -> AsyncIterator[Client]:
        headers: dict[str, Any] = {"Authorization": f"Bearer {key}"}
        if person is not None:
            headers["X-Keepsake-Person"] = person.encode()
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(
                streamable_http_client(self.base + "/mcp", http_client=http), **options
            ) as client,
        ):
            yield client

    def run(self, act: Callable[[Client], Awaitable[T]], key: str, **options: Any) -> T:
        async def within_client() -> T:
            async with self.client(key, **options) as client:
                return await act(client)

        return asyncio.run(within_client())

    def call(self, token: str, tool: str, person: str | None = None, /, **arguments: Any) -> Any:
        """The result of one tool call."""
        return self.run(lambda client: client.call_tool(tool, arguments), token, person=person)


@pytest.fixture
def world() -> Mcp:
    return Mcp()


@pytest.fixture
def server(world: Mcp) -> Iterator[Mcp]:
    port = free_port()
    config = uvicorn.Config(
        mounted(get_asgi_application()), host="127.0.0.1", port=port, lifespan="on",
        log_config=None, proxy_headers=False, ws="none",
    )  # fmt: skip
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    end = time.monotonic() + 20
    while not running.started:
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.02)
    world.base = f"http://127.0.0.1:{port}"
    yield world
    running.should_exit = True
    thread.join(timeout=20)
    assert not thread.is_alive()
