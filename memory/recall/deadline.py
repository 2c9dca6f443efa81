"""A stretch of a transaction that ends by a deadline and cannot spoil what follows (D46)."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection, transaction

from tenants.races import state_of

_CANCELLED = "57014"  # query_canceled
_WORTH_A_STATEMENT = 0.8  # of the time given: the limit is set again once less is left


class OutOfTime(Exception):
    """The deadline passed between two statements."""


@contextmanager
def within_time(deadline: float) -> Iterator[Callable[[], None]]:
    """A savepoint in which Postgres cancels what runs past `deadline` (of `time.monotonic()`).

    Call the value between statements: it raises OutOfTime when the deadline is over, and tells
    Postgres when much of the time is. Afterwards the earlier limit holds again.
    """
    given = _left(deadline)
    with transaction.atomic():
        earlier = _limit(given)

        def check() -> None:
            nonlocal given
            left = _left(deadline)
            if left < given * _WORTH_A_STATEMENT:
                _limit(left)
                given = left

        yield check
        _set(earlier)


def name_of(error: DatabaseError) -> str:
    """What a database fault inside such a stretch is called."""
    return "timeout" if state_of(error) == _CANCELLED else "database"


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise OutOfTime
    return left


def _limit(seconds: float) -> str:
    """Set the limit; the earlier one is returned. Never 0, which means none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('statement_timeout'), "
            "set_config('statement_timeout', %s, true)",
            [str(max(1, math.ceil(seconds * 1000)))],
        )
        return str(cursor.fetchone()[0])


def _set(limit: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [limit])
