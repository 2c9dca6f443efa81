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

from memory.interfaces.mcp.calls import Session
from memory.interfaces.mcp.server import Context, in_thread, make_server
from tenants.auth import NotAuthenticated, authenticate

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
        await in_thread(_session)  # a key that is not valid is said at once
    except NotAuthenticated as problem:
        raise CommandError(f"{KEY}: {problem}") from None
    server = make_server(_who_calls)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _who_calls(context: Context) -> Session:
    return await in_thread(_session)


def _session() -> Session:
    """The key is looked up at every call: a revoked one stops working."""
    caller = authenticate({"Authorization": f"Bearer {os.environ[KEY]}"})
    return Session(caller, os.environ.get(PERSON) or None)
