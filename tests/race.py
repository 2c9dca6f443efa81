"""Two real connections at once, for tests with `transaction=True`."""

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Run each act in its own thread and connection, started together.

    Answers what each returned or the exception it raised, in order.
    """
    start = threading.Barrier(len(acts))
    results: list[Any] = [None] * len(acts)

    def run(number: int, act: Callable[[], Any]) -> None:
        try:
            connection.ensure_connection()
            start.wait(timeout=10)
            results[number] = act()
        except Exception as error:
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads), "a thread waits for ever: deadlock?"
    return results
