"""A stage that may run once a period only takes the period first: its Run row is the mark (D37).

A second beat, or a message that comes late, finds it taken. A run that died leaves it unfinished,
and after the lease the next one takes it over.
"""

from datetime import timedelta

from django.db import connection

_TAKE = """
INSERT INTO memory_run AS r (stage, period, started_at, runs, processed, mutated, failed, error)
VALUES (
    %(stage)s, date_bin(make_interval(secs => %(interval)s), now(), 'epoch'), clock_timestamp(),
    0, 0, 0, 0, ''
)
ON CONFLICT (stage, period) DO UPDATE SET started_at = clock_timestamp()
WHERE r.finished_at IS NULL
    AND r.started_at <= clock_timestamp() - make_interval(secs => %(lease)s)
RETURNING r.id
"""
_GIVE_BACK = """
UPDATE memory_run
SET finished_at = NULL, started_at = clock_timestamp() - make_interval(secs => %(lease)s)
WHERE stage = %(stage)s
    AND period = date_bin(make_interval(secs => %(interval)s), now(), 'epoch')
"""


def take(stage: str, interval: timedelta, lease: timedelta) -> bool:
    """Is the current period ours? Periods are floored in UTC, by the database's clock."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, _named(stage, interval, lease))
        return cursor.fetchone() is not None


def give_back(stage: str, interval: timedelta, lease: timedelta) -> None:
    """There is more to do: the next run of this period goes on at once."""
    with connection.cursor() as cursor:
        cursor.execute(_GIVE_BACK, _named(stage, interval, lease))


def _named(stage: str, interval: timedelta, lease: timedelta) -> dict[str, str | float]:
    return {
        "stage": stage,
        "interval": interval.total_seconds(),
        "lease": lease.total_seconds(),
    }
