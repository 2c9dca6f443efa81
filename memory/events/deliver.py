"""The deliver stage: fans events out, then sends what waits, over hours, under one id (D40).

Claim, close, send, open, re-check, write. One delivery a receiver at a time, several receivers at
once, so that a receiver that is away holds up no other. A worker that dies in the middle leaves a
lease that runs out; the next one sends the same bytes under the same id.
"""

import random
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from memory.events import signature, subscriptions
from memory.events.dispatch import dispatch
from memory.events.post import Answer, post
from memory.models import Attempt, Delivery, Webhook
from memory.stages import Tally, claim, free, release, still_mine
from tenants.context import within

RECEIVERS = 8  # at once
LEASE = timedelta(seconds=60)
# How long after each failed attempt the next one comes; after the last one it is given up.
WAITS = [
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=12),
]
JITTER = 0.2  # at most this share is added, so that retries do not come in one wave
LONGEST_ASKED = timedelta(hours=6)  # what a Retry-After may ask for
REST = timedelta(minutes=1)  # for the others of a receiver that did not answer
KEPT = timedelta(days=30)  # a body that was not delivered


@dataclass(frozen=True)
class Sending:
    row: Delivery
    body: bytes
    headers: Mapping[str, str]
    error: str = ""  # why it cannot even be tried


def step(tenant_id: int) -> Tally:
    """One batch of one tenant. `processed` counts what receivers took."""
    with within(tenant_id):
        taken = dispatch()
    with within(tenant_id):
        sendings = [_prepared(row) for row in claim(_next(), limit=RECEIVERS, lease=LEASE)]
    tally = Tally(taken=taken + len(sendings))
    if sendings:
        for sending, answer in zip(sendings, _send(sendings), strict=True):
            with within(tenant_id):
                _write_down(sending.row, answer, tally)
    return tally


def waiting() -> "QuerySet[Delivery]":
    """What is on its way, free to be taken or not."""
    return Delivery.objects.filter(status=Delivery.Status.WAITING)


def _next() -> "QuerySet[Delivery]":
    """The oldest free delivery of each receiver."""
    first = (
        waiting()
        .filter(free(), Q(webhook=None) | Q(webhook__active=True))
        .order_by("webhook_id", "url", "id")
        .distinct("webhook_id", "url")
    )
    rows = waiting().filter(pk__in=first.values("pk")).order_by("id")
    return rows.select_related("webhook", "event")


def _prepared(row: Delivery) -> Sending:
    assert row.body is not None
    body = bytes(row.body)
    try:
        secret = _secret(row)
    except signature.SecretLost:
        return Sending(row, body, {}, "not sent: the webhook's secret cannot be opened")
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "Keepsake-Webhooks",
        "X-Keepsake-Delivery": str(row.uid),
        "X-Keepsake-Event": row.event.kind,
        **signature.headers(secret, body, at=int(time.time())),
    }
    return Sending(row, body, headers)


def _secret(row: Delivery) -> str:
    hook = row.webhook
    if hook is not None:
        return signature.unseal(bytes(hook.secret), tenant_id=row.tenant_id, uid=hook.uid)
    policy = UUID(str(row.event.detail["policyId"]))
    return signature.policy_secret(tenant_id=row.tenant_id, uid=policy)


def _send(sendings: Sequence[Sending]) -> list[Answer]:
    with ThreadPoolExecutor(max_workers=len(sendings)) as pool:
        return list(pool.map(_try, sendings))


def _try(sending: Sending) -> Answer:
    if sending.error:
        return Answer(None, sending.error, 0)
    return post(sending.row.url, sending.body, sending.headers)


# --- what came of it -------------------------------------------------------------------------


def _write_down(row: Delivery, answer: Answer, tally: Tally) -> None:
    """Under the locks of webhook, then delivery; dropped when it is not ours any more."""
    hook = _locked(row.webhook_id)
    mine = still_mine(row)
    if mine is None:
        return
    Attempt.objects.create(
        delivery=mine,
        status=answer.status,
        error=answer.error[:200],
        milliseconds=answer.milliseconds,
    )
    if answer.is_taken:
        _delivered(mine, hook)
        tally.processed += 1
        return
    tally.failed += 1
    tally.errors[answer.error] = tally.errors.get(answer.error, 0) + 1
    tries = mine.attempts + 1
    release(mine)
    mine.attempts, mine.failed_because = tries, answer.error[:200]
    if tries > len(WAITS) or answer.is_gone:
        _given_up(mine, hook, answer)
        return
    wait = _wait(tries, answer)
    mine.not_before = Now() + wait
    if hook is not None and not hook.active:  # paused while it was on its way
        mine.parked_at = Now()
    mine.save()
    if answer.is_of_receiver:
        _rest(mine, max(REST, _asked(answer)))


def _delivered(row: Delivery, hook: Webhook | None) -> None:
    tries = row.attempts + 1
    release(row)
    row.attempts = tries
    row.status, row.ended_at, row.body, row.parked_at = row.Status.DELIVERED, Now(), None, None
    row.save()
    if hook is not None and hook.failures:
        Webhook.objects.filter(pk=hook.pk).update(failures=0)


def _given_up(row: Delivery, hook: Webhook | None, answer: Answer) -> None:
    row.status, row.ended_at, row.parked_at = row.Status.FAILED, Now(), None
    row.save()
    if hook is not None:
        subscriptions.count_failure(hook, is_gone=answer.is_gone)


def _locked(webhook_id: int | None) -> Webhook | None:
    if webhook_id is None:
        return None
    return Webhook.objects.filter(pk=webhook_id).select_for_update(no_key=True).first()


def _rest(row: Delivery, wait: timedelta) -> None:
    """The receiver is away: its other deliveries leave it alone, and do not count it."""
    others = waiting().filter(free(), webhook=row.webhook_id, url=row.url).exclude(pk=row.pk)
    # Whoever holds one of them decides about it; waiting for a lock here could be for ever.
    numbers = list(others.select_for_update(skip_locked=True).values_list("pk", flat=True))
    Delivery.objects.filter(pk__in=numbers).update(not_before=Now() + wait)


def _wait(tries: int, answer: Answer) -> timedelta:
    wait = WAITS[tries - 1] * (1 + JITTER * random.random())  # noqa: S311
    return max(wait, _asked(answer))


def _asked(answer: Answer) -> timedelta:
    return min(timedelta(seconds=answer.wait or 0), LONGEST_ASKED)


# --- what was not delivered in time ----------------------------------------------------------


def let_go(limit: int) -> int:
    """Bodies older than 30 days go; what still waited for its receiver is given up."""
    old = Delivery.objects.filter(body__isnull=False, created_at__lt=Now() - KEPT)
    held = old.select_for_update(skip_locked=True, of=("self",)).order_by("pk")
    numbers = list(held.values_list("pk", flat=True)[:limit])
    if not numbers:
        return 0
    rows = Delivery.objects.filter(pk__in=numbers)
    rows.filter(status=Delivery.Status.WAITING).update(
        status=Delivery.Status.FAILED,
        ended_at=Now(),
        failed_because="not delivered within 30 days",
        lease_until=None,
        lease_token=None,
        not_before=None,
        parked_at=None,
    )
    return rows.update(body=None)
