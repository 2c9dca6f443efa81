"""A real server for clients, in a thread of the test's process: it uses the test's providers."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from django.core.asgi import get_asgi_application

from tests.ports import free_port


@contextmanager
def served() -> Iterator[str]:
    """Its address. For tests with `transaction=True`."""
    number = free_port()
    config = uvicorn.Config(
        get_asgi_application(), host="127.0.0.1", port=number, lifespan="off", log_config=None,
        proxy_headers=False, ws="none",
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    end = time.monotonic() + 15
    while not server.started:
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{number}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        assert not thread.is_alive()
