"""A real server with `/mcp`, and the official client over it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from agents.models import Visitor
from config.handler import InOneThread
from config.mounted import mounted
from tenants.models import Role
from tests.factories import World, make_key, make_member
from tests.served import served

T = TypeVar("T")

ERAS = ["legacy", "auto"]  # the client's words: with a handshake, or each request by itself
MODERN = "2026-07-28"


def envelope(era: str, method: str, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """A request as a client of that era writes it: body and headers."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    if era == "legacy":
        return body, {"MCP_Protocol_Version": "2025-06-18"}
    body["params"]["_meta"] = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": method}
    return body, headers | ({"Mcp_Name": params["name"]} if "name" in params else {})


class Mcp(World):
    """A tenant, keys of it, and calls through the official client."""

    base: str
    era = "auto"

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
        return self.run(
            lambda client: client.call_tool(tool, arguments), token, person=person, mode=self.era
        )

    def person(self, host_id: str = "mira", **fields: Any) -> str:
        """A person's own token."""
        with self.inside():
            visitor = Visitor.objects.meet(host_id=host_id)
        return self.key(kind="person", visitor_id=visitor.pk, **fields)

    def member(self, role: Role | str) -> str:
        with self.inside():
            user = make_member(role).user_id
        return self.key(kind="member", user_id=user, expires_at="2999-01-01T00:00:00+00:00")


@pytest.fixture
def world() -> Mcp:
    return Mcp()


@pytest.fixture
def server(world: Mcp) -> Iterator[Mcp]:
    with served(mounted(InOneThread())) as world.base:
        yield world
