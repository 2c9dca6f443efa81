"""Work that somebody else's undoes: done again, a bounded number of times."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import DatabaseError

TRIES = 10
PAUSE = 0.01  # seconds, at most, before the second try; longer before each later one
T = TypeVar("T")

DEADLOCK = "40P01"
# Besides a deadlock: a text, a fact or a key taken since the look; a row gone that was referred
# to. (postgresql.org/docs/current/errcodes-appendix.html)
_RACES = {DEADLOCK, "40001", "23505", "23503", "23P01"}


class StillRaced(Exception):
    """Others wrote the same at every try; nothing was written here."""


def settled(act: Callable[[], T], *, tries: int = TRIES) -> T:
    """What `act` returns, in transactions of its own, once no race undoes it.

    Raises StillRaced after `tries`; any other error of the database as it is.
    """
    last: DatabaseError | None = None
    for number in range(tries):
        if number:
            time.sleep(random.uniform(0, PAUSE * number))  # noqa: S311 who lost together parts
        try:
            return act()
        except DatabaseError as error:
            if state_of(error) not in _RACES:
                raise
            last = error
    raise StillRaced from last


def state_of(error: BaseException) -> str | None:
    """The SQLSTATE of a fault of the database; None of one that has none."""
    state: str | None = getattr(error.__cause__, "sqlstate", None)
    return state
