"""Blocking work beside the event loop: few threads, fairly shared, connections given back.

A call may wait half a minute for a language model, and its thread keeps a connection meanwhile.
So the threads of a process are fewer than the connections of its pool (16), of which the pages
need some; whoever knocks is answered by threads of their own; and no tenant has all of the rest.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from asgiref.sync import sync_to_async
from django.db import connection

T = TypeVar("T")

ADMISSIONS = 3  # threads that look keys up
CALLS = 9  # threads that run tools; more calls wait
OF_ONE_TENANT = 6  # of them, while others may want one

_admissions = ThreadPoolExecutor(ADMISSIONS, thread_name_prefix="mcp-door")
_calls = ThreadPoolExecutor(CALLS, thread_name_prefix="mcp-call")


class Turns:
    """Calls of tools, each in a thread. Of one event loop."""

    def __init__(self) -> None:
        self._of_tenant: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()

    async def run(self, tenant_id: int, act: Callable[..., T], *args: Any) -> T:
        turn = self._of_tenant.get(tenant_id)
        if turn is None:
            turn = self._of_tenant[tenant_id] = asyncio.Semaphore(OF_ONE_TENANT)
        async with turn:
            return await _in_thread(_calls, act, *args)


async def admit(act: Callable[..., T], *args: Any) -> T:
    """Something short, such as a look at a key."""
    return await _in_thread(_admissions, act, *args)


async def _in_thread(threads: ThreadPoolExecutor, act: Callable[..., T], *args: Any) -> T:
    run = sync_to_async(partial(_given_back, act, *args), thread_sensitive=False, executor=threads)
    return await run()


def _given_back(act: Callable[..., T], *args: Any) -> T:
    try:
        return act(*args)
    finally:
        connection.close()
