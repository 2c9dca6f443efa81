"""Serve the memory tools over standard input and output, for an assistant on this machine.

The key is KEEPSAKE_TOKEN, the person KEEPSAKE_PERSON where the key is an organisation's. Standard
output carries the protocol alone; everything else goes to standard error.
"""

import asyncio
import contextlib
import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST

from memory.interfaces.mcp.calls import Session, words_of
from memory.interfaces.mcp.server import Context, make_server
from memory.interfaces.mcp.threads import admit
from memory.interfaces.wire.base import count
from tenants.auth import NotAuthenticated, authenticate
from tenants.management.named import database_needed

KEY, PERSON = "KEEPSAKE_TOKEN", "KEEPSAKE_PERSON"


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        if not os.environ.get(KEY):
            raise CommandError(f"{KEY}: expected a key in the environment")
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve())


async def _serve() -> None:
    try:
        with database_needed():
            await admit(_session)  # a key that is not valid is said at once
    except NotAuthenticated as problem:
        raise CommandError(f"{KEY}: {problem}") from None
    server = make_server(_who_calls)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _who_calls(context: Context) -> Session:
    """The key is looked up at every call, and counted: a revoked one stops working."""
    try:
        return await admit(_counted)
    except NotAuthenticated as problem:
        raise MCPError(INVALID_REQUEST, f"{KEY}: {problem}") from None
    except Exception as problem:
        raise MCPError(INVALID_REQUEST, words_of(problem)) from None


def _counted() -> Session:
    session = _session()
    count(session.caller)
    return session


def _session() -> Session:
    caller = authenticate({"Authorization": f"Bearer {os.environ[KEY]}"})
    return Session(caller, os.environ.get(PERSON) or None)
