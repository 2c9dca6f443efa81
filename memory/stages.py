"""How every background stage takes its work: claim, lease, fence, fail, run.

Work waits as rows in a state (`agents.models.Claimable`). A claim sets a lease by the database's
clock and a random token; the result is written only while the token is still the row's. A worker
that dies leaves a lease that runs out, so the next run takes the row: delay, never loss.
"""

import logging
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from django.db import DatabaseError, connection, models
from django.db.models import Q
from django.db.models.functions import Now

from agents.models import Claimable
from memory.providers.errors import ProviderError, QuotaExceeded, RateLimited
from tenants.directory import tenants_with_work

log = logging.getLogger(__name__)

ATTEMPTS = 5  # failures of its own until a row is parked
RUN_SECONDS = 240.0  # one run over all tenants (D38)
LONGEST_WAIT = timedelta(hours=1)  # however long a server asks us to wait
SHORTEST_WAIT = timedelta(seconds=30)

Row = TypeVar("Row", bound=Claimable)


def free() -> Q:
    """Rows that nobody holds and that need not wait or be looked at by a person."""
    return (
        (Q(lease_until=None) | Q(lease_until__lte=Now()))
        & (Q(not_before=None) | Q(not_before__lte=Now()))
        & Q(parked_at=None)
    )


def claim(rows: "models.QuerySet[Row]", *, limit: int, lease: timedelta) -> list[Row]:
    """Take up to `limit` free rows, in the given order, each under the same fresh token."""
    held = list(
        rows.filter(free()).select_for_update(skip_locked=True, of=("self",), no_key=True)[:limit]
    )
    if not held:
        return []
    token = uuid.uuid4()
    rows.model._default_manager.filter(pk__in=[row.pk for row in held]).update(
        lease_until=Now() + lease, lease_token=token
    )
    for row in held:
        row.lease_token = token
    return held


def still_mine(row: Row) -> Row | None:
    """The row again, locked, if the claim still stands; None when the result must be dropped."""
    manager = type(row)._default_manager
    return (
        manager.filter(pk=row.pk, lease_token=row.lease_token)
        .select_for_update(of=("self",), no_key=True)
        .first()
    )


def release(row: Claimable) -> None:
    """Give the row back with a clean slate. The caller saves."""
    row.lease_until = None
    row.lease_token = None
    row.attempts = 0
    row.not_before = None
    row.failed_because = ""


CLAIM_COLUMNS = (
    "lease_until",
    "lease_token",
    "attempts",
    "not_before",
    "failed_because",
    "parked_at",
)


def give_up(row: Row, error: Exception) -> None:
    """Write down why the work on a row failed and when to try again, or park it.

    Network faults, limits and quota are waited out and do not count. A refusal parks at once,
    anything else after `ATTEMPTS`. Inside `within`; does nothing when the claim was lost.
    """
    mine = still_mine(row)
    if mine is None:
        log.info("%s %s: claim lost", type(row).__name__, row.pk)
        return
    counts = error.counts if isinstance(error, ProviderError) else True
    parks = error.parks if isinstance(error, ProviderError) else False
    name = error.name if isinstance(error, ProviderError) else type(error).__name__
    attempts = mine.attempts + 1 if counts else mine.attempts
    wait = _wait(error, attempts)
    type(row)._default_manager.filter(pk=row.pk).update(
        lease_until=None,
        lease_token=None,
        attempts=attempts,
        failed_because=name[:200],
        not_before=Now() + wait,
        parked_at=Now() if parks or attempts >= ATTEMPTS else None,
    )


def _wait(error: Exception, attempts: int) -> timedelta:
    if isinstance(error, RateLimited) and error.retry_after is not None:
        return min(timedelta(seconds=error.retry_after), LONGEST_WAIT)
    if isinstance(error, QuotaExceeded):
        return LONGEST_WAIT
    doubled: int = 2 ** min(attempts, 7)
    return min(SHORTEST_WAIT * doubled, LONGEST_WAIT)


def retry(row: Claimable) -> None:
    """Unpark a row by hand: the retry button."""
    type(row)._default_manager.filter(pk=row.pk).update(
        parked_at=None,
        attempts=0,
        not_before=None,
        failed_because="",
        lease_until=None,
        lease_token=None,
    )


@dataclass
class Tally:
    """What a run did. `errors` counts failures by name; `taken` is how many rows were claimed."""

    taken: int = 0
    processed: int = 0
    mutated: int = 0
    failed: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    stop: bool = False  # nothing more to gain for this tenant in this run

    def fail(self, error: Exception) -> None:
        name = error.name if isinstance(error, ProviderError) else type(error).__name__
        self.failed += 1
        self.errors[name] = self.errors.get(name, 0) + 1
        if isinstance(error, ProviderError) and not error.counts:
            self.stop = True

    def add(self, other: "Tally") -> None:
        self.taken += other.taken
        self.processed += other.processed
        self.mutated += other.mutated
        self.failed += other.failed
        for name, count in other.errors.items():
            self.errors[name] = self.errors.get(name, 0) + count


Step = Callable[[int], Tally]  # one batch of one tenant


def run(
    stage: str,
    step: Step,
    *,
    tenants: Iterable[int] | None = None,
    seconds: float = RUN_SECONDS,
    interval: timedelta = timedelta(hours=1),
    progress: Callable[[Tally], Any] | None = None,
) -> Tally:
    """One batch a tenant in turn, until none has work or the time is over; records the Run.

    A tenant that fails is counted and the loop goes on; only a lost database ends it.
    """
    started = time.monotonic()
    total = Tally()
    waiting = list(tenants_with_work(stage) if tenants is None else tenants)
    while waiting and time.monotonic() - started < seconds:
        again: list[int] = []
        for tenant_id in waiting:
            if time.monotonic() - started >= seconds:
                break
            try:
                done = step(tenant_id)
            except Exception as error:
                if isinstance(error, DatabaseError) and not _database_answers():
                    raise
                log.exception("stage %s failed for tenant %s", stage, tenant_id)
                total.fail(error)
                continue
            total.add(done)
            if progress is not None:
                progress(done)
            if done.taken and not done.stop:
                again.append(tenant_id)
        waiting = again
    record_run(stage, total, interval)
    return total


def _database_answers() -> bool:
    connection.close_if_unusable_or_obsolete()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def record_run(stage: str, total: Tally, interval: timedelta = timedelta(hours=1)) -> None:
    """Add to the Run row of the current period (G8): repeating these stages is safe."""
    errors = ", ".join(f"{name} × {count}" for name, count in sorted(total.errors.items()))
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO memory_run AS r
                (stage, period, started_at, finished_at, runs, processed, mutated, failed, error)
            VALUES (%s, date_bin(make_interval(secs => %s), now(), 'epoch'), now(),
                clock_timestamp(), 1, %s, %s, %s, %s)
            ON CONFLICT (stage, period) DO UPDATE SET
                finished_at = clock_timestamp(), runs = r.runs + 1,
                processed = r.processed + excluded.processed,
                mutated = r.mutated + excluded.mutated,
                failed = r.failed + excluded.failed,
                error = coalesce(nullif(excluded.error, ''), r.error)
            """,
            [
                stage,
                interval.total_seconds(),
                total.processed,
                total.mutated,
                total.failed,
                errors[:300],
            ],
        )
