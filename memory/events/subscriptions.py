"""Webhooks by their verbs: subscribe, pause, resume, remove, replay. Each is audited.

Inside `within`. Lock order: the webhook, then its deliveries; whoever waits for others' rows in
the opposite order would wait for ever.
"""

from collections.abc import Sequence
from uuid import UUID, uuid4

from django.db.models.functions import Now

from memory.events import signature
from memory.models import Delivery, Event, Webhook
from tenants.actor import SYSTEM, Actor
from tenants.audit import record
from tenants.context import current_tenant

MOST = 50  # webhooks of a tenant: each write is told to each
PAUSE_AFTER = 5  # deliveries given up with none taken between
GONE = "the receiver answered 410: it is gone"


class TooMany(ValueError):
    """The tenant has as many webhooks as it may."""


class NotReplayable(ValueError):
    """The delivery cannot go out again; the reason says why."""


def subscribe(*, url: str, events: Sequence[Event.Kind], by: Actor) -> tuple[Webhook, str]:
    """A new webhook and its secret, which is shown this once. The caller has checked `url`."""
    if Webhook.objects.count() >= MOST:
        raise TooMany(f"there are {MOST} webhooks already")
    tenant_id = current_tenant()
    assert tenant_id is not None
    uid, secret = uuid4(), signature.new_secret()
    hook = Webhook.objects.create(
        uid=uid,
        url=url,
        events=list(dict.fromkeys(events)),
        secret=signature.seal(secret, tenant_id=tenant_id, uid=uid),
    )
    hook.refresh_from_db()
    record("webhook.created", by=by, subject="webhook", subject_id=hook.pk, events=hook.events)
    return hook, secret


def find(uid: UUID | None) -> Webhook | None:
    """The webhook, locked; None for an unknown or foreign one."""
    return Webhook.objects.filter(uid=uid).select_for_update().first() if uid else None


def pause(hook: Webhook, *, by: Actor, because: str = "") -> None:
    """It hears of nothing new, and what is on its way waits. The caller holds it."""
    if not hook.active:
        return
    hook.active, hook.paused_because = False, because
    hook.save(update_fields=["active", "paused_because"])
    _each_waiting(hook, parked_at=Now())
    record("webhook.paused", by=by, subject="webhook", subject_id=hook.pk, because=because)


def resume(hook: Webhook, *, by: Actor) -> None:
    """It hears again, what waited goes out at once, and its failures are forgotten."""
    if hook.active:
        return
    hook.active, hook.paused_because, hook.failures = True, "", 0
    hook.save(update_fields=["active", "paused_because", "failures"])
    _each_waiting(hook, parked_at=None, not_before=None)
    record("webhook.resumed", by=by, subject="webhook", subject_id=hook.pk)


def remove(hook: Webhook, *, by: Actor) -> None:
    """With its deliveries and their attempts. The caller holds it."""
    number = hook.pk
    hook.delete()
    record("webhook.deleted", by=by, subject="webhook", subject_id=number)


def count_failure(hook: Webhook, *, is_gone: bool) -> None:
    """A delivery was given up. The last straw pauses the webhook, and says why."""
    hook.failures += 1
    hook.save(update_fields=["failures"])
    if is_gone:
        pause(hook, by=SYSTEM, because=GONE)
    elif hook.failures >= PAUSE_AFTER:
        because = f"{hook.failures} deliveries in a row were given up"
        pause(hook, by=SYSTEM, because=because)


def replay(delivery_id: int, *, by: Actor) -> None:
    """Send what was given up again: the same bytes under the same id, with all its attempts."""
    found = Delivery.objects.filter(pk=delivery_id).values_list("webhook_id", flat=True).first()
    hook = Webhook.objects.filter(pk=found or 0).select_for_update(no_key=True).first()
    row = Delivery.objects.filter(pk=delivery_id).select_for_update(no_key=True).first()
    if row is None:
        raise NotReplayable("it is not there any more")
    if row.status == Delivery.Status.WAITING:
        raise NotReplayable("it is still on its way")
    if row.body is None:
        raise NotReplayable("its body is gone: it was delivered, erased, or is too old")
    if hook is not None and not hook.active:
        raise NotReplayable("its webhook is paused: resume it first")
    Delivery.objects.filter(pk=row.pk).update(
        status=Delivery.Status.WAITING,
        ended_at=None,
        attempts=0,
        not_before=None,
        failed_because="",
        parked_at=None,
        lease_until=None,
        lease_token=None,
    )
    record("delivery.replayed", by=by, subject="delivery", subject_id=row.pk)


def _each_waiting(hook: Webhook, **columns: object) -> None:
    """Deliveries somebody holds are left: whoever holds them ends them or finds it paused."""
    rows = Delivery.objects.filter(webhook=hook, status=Delivery.Status.WAITING)
    numbers = list(rows.select_for_update(skip_locked=True).values_list("pk", flat=True))
    Delivery.objects.filter(pk__in=numbers).update(**columns)
