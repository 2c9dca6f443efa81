"""Real servers for clients: in a thread of the test's process, or in processes of their own."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import uvicorn
from django.conf import settings
from django.db import connections

from config.handler import InOneThread
from tests.ports import free_port


@contextmanager
def served(application: Any = None) -> Iterator[str]:
    """Its address: Django, or another application with its lifespan. It uses the test's providers.

    For tests with `transaction=True`.
    """
    number = free_port()
    config = uvicorn.Config(
        application or InOneThread(), host="127.0.0.1", port=number, log_config=None,
        lifespan="off" if application is None else "on", proxy_headers=False, ws="none",
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    end = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{number}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        assert not thread.is_alive()


@contextmanager
def web(workers: int = 2) -> Iterator[str]:
    """The address of the product's own web processes on the test's database."""
    port = free_port()
    environment = {**os.environ, **database_addresses(), "PORT": str(port)}
    environment["HTTPS"] = "off"  # as in production, but for plain HTTP on the loopback
    program = [sys.executable, "manage.py", "web", "--workers", str(workers)]
    process = subprocess.Popen(program, cwd=settings.BASE_DIR, env=environment)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def database_addresses() -> dict[str, str]:
    """Where a process finds the test's database, as each role: settings for its environment.

    It is the embedded server, though an address leads to it, and is treated as that.
    """
    found = {"DATABASE_PREPARES": "on"}
    for setting, alias in (("DATABASE_URL", "default"), ("DATABASE_OWNER_URL", "owner")):
        of = connections[alias].settings_dict
        who = quote(of["USER"]) + (f":{quote(of['PASSWORD'])}" if of["PASSWORD"] else "")
        host = quote(str(of["HOST"]), safe="")
        found[setting] = f"postgresql://{who}@{host}:{of['PORT'] or 5432}/{of['NAME']}"
    return found
