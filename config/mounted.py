"""`/mcp` in front of Django, with the lifespan that it needs; Django itself knows of none."""

import logging
from typing import Any

from memory.interfaces.mcp.http import PATH, Door

log = logging.getLogger("keepsake.start")


def mounted(django_application: Any) -> Any:
    """An ASGI application that answers `/mcp` by itself and gives Django everything else."""
    door = Door()

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await _live(door, receive, send)
        elif scope["type"] == "http" and scope["path"].rstrip("/") == PATH:
            await door(scope, receive, send)
        else:
            await django_application(scope, receive, send)

    return application


async def _live(door: Door, receive: Any, send: Any) -> None:
    """Between the server's start and its end the door is open."""
    await receive()
    try:
        async with door.run():
            await send({"type": "lifespan.startup.complete"})
            await receive()
    except Exception as problem:
        log.error("/mcp could not start: %s", type(problem).__name__)
        await send({"type": "lifespan.startup.failed", "message": type(problem).__name__})
        return
    await send({"type": "lifespan.shutdown.complete"})
