"""Events become deliveries: one for each receiver, with its id and its body, exactly once (D40).

An event is held while it is fanned out and marked in the same transaction, and one delivery of an
event to a receiver is unique, so two dispatchers make no two. Receivers hear of shared memory only.
"""

from collections.abc import Iterable, Sequence

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from memory.events.envelope import render
from memory.models import ConflictPolicy, Delivery, Event, Memory, SharedAgent, Webhook
from tenants.context import current_tenant
from tenants.models import Tenant

EVENTS = 100  # of one batch
UNHEARD = 5_000  # events that nobody can hear of, marked in one statement

Receiver = tuple[Webhook | None, str]  # None: a policy's address


def dispatch() -> int:
    """One batch of the open tenant's events; how many of them are done with."""
    waiting = Event.objects.filter(dispatched_at=None)
    done = _mark(list(_held(waiting.filter(is_shared=False))[:UNHEARD]))
    events = list(_held(waiting.filter(is_shared=True))[:EVENTS])
    if not events:
        return done
    receivers = _receivers(events)
    heard = [event for event in events if receivers[event.pk]]
    texts, busy = _texts(heard)
    writers = _writers(heard)
    org = Tenant.objects.only("slug").get(pk=current_tenant() or 0).slug if heard else ""
    deliveries = []
    for event in heard:
        memory = texts.get(event.pk)
        if event.pk in busy or (event.kind == Event.Kind.WRITTEN and memory is None):
            continue  # held by whoever may erase it, or erased: there is nothing to tell
        body = render(event, org=org, writers=writers, memory=memory)
        deliveries += [
            Delivery(event=event, webhook=hook, url=url, body=body)
            for hook, url in receivers[event.pk]
        ]
    Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)
    return done + _mark([event for event in events if event.pk not in busy])


def _held(events: "QuerySet[Event]") -> "QuerySet[Event]":
    return events.order_by("id").select_for_update(skip_locked=True, no_key=True)


def _mark(events: Sequence[Event]) -> int:
    if not events:
        return 0
    return Event.objects.filter(pk__in=[event.pk for event in events]).update(dispatched_at=Now())


def _receivers(events: Sequence[Event]) -> dict[int, list[Receiver]]:
    """Who is told of each: who subscribed before it happened, then its policy's own address."""
    hooks, addresses = _subscribers(), _addresses(events)
    told: dict[int, list[Receiver]] = {}
    for event in events:
        found: list[Receiver] = [
            (hook, hook.url)
            for hook in hooks
            if event.kind in hook.events and hook.created_at <= event.created_at
        ]
        if event.kind == Event.Kind.CONFLICT_DETECTED:
            own = addresses.get(str(event.detail.get("policyId")))
            if own and own not in [url for _, url in found]:  # subscribed as well: once is enough
                found.append((None, own))
        told[event.pk] = found
    return told


def _subscribers() -> list[Webhook]:
    """The active ones, held so that none is paused or removed while deliveries are made for it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM memory_webhook WHERE active ORDER BY id FOR SHARE")
        numbers = [row[0] for row in cursor.fetchall()]
    return list(Webhook.objects.filter(pk__in=numbers).order_by("id")) if numbers else []


def _addresses(events: Iterable[Event]) -> dict[str, str]:
    """`webhookUrl` by a policy's public id, of the policies that these events name."""
    detected = Event.Kind.CONFLICT_DETECTED
    if not any(event.kind == detected and event.detail.get("policyId") for event in events):
        return {}
    rows = ConflictPolicy.objects.exclude(webhook_url="").values_list("uid", "webhook_url")
    return {str(uid): url for uid, url in rows}


def _texts(events: Iterable[Event]) -> tuple[dict[int, Memory], set[int]]:
    """The memories that were written, by event, and the events whose memory somebody holds.

    Held against an erase, and a sealing, until the deliveries are there for it to find. Whoever
    does either holds the row first: then the event is left for the next run, and nobody waits.
    """
    wanted = {
        event.pk: event.memory_id
        for event in events
        if event.kind == Event.Kind.WRITTEN and event.memory_id is not None
    }
    if not wanted:
        return {}, set()
    numbers = sorted(set(wanted.values()))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM memory_memory WHERE id = ANY(%s) FOR SHARE SKIP LOCKED", [numbers]
        )
        ours = {row[0] for row in cursor.fetchall()}
    rows = Memory.objects.in_bulk(numbers)
    texts = {pk: rows[number] for pk, number in wanted.items() if number in ours}
    return texts, {pk for pk, number in wanted.items() if number in rows and number not in ours}


def _writers(events: Iterable[Event]) -> dict[int, str]:
    numbers = {event.detail["writerId"] for event in events if event.detail.get("writerId")}
    if not numbers:
        return {}
    return dict(SharedAgent.objects.filter(pk__in=numbers).values_list("pk", "name"))
