"""The audit's chain: each seal covers the entries since the one before, and that one (D42).

A seal is an HMAC under a key derived from MASTER_KEY: who can write to the database alone cannot
forge one. It is made by a stage and not by the write, from entries older than five minutes:
transactions are time-limited, so by then no entry with a lower number is still to come. Retention
removes the entries of whole seals and leaves the last of their seals as the new start.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, timedelta

from django.db import connection
from django.db.models import Max, Min, QuerySet
from django.db.models.functions import Now

from tenants.actor import SYSTEM
from tenants.audit import record
from tenants.models import AuditEntry, AuditSeal, Tenant
from tenants.secrets import tenant_secret

AGE = timedelta(minutes=5)  # the limit of a transaction, with room
ENTRIES = 10_000  # of one seal
ENDED = "audit.ended"


@dataclass(frozen=True)
class Break:
    """Where the chain does not hold: entries after `after` up to `up_to`, and what is wrong."""

    after: int
    up_to: int
    why: str


@dataclass(frozen=True)
class Verified:
    """What `verify` found. `start` is where retention left the chain, 0 at its beginning."""

    start: int
    seals: int
    entries: int
    unsealed: int
    first_unsealed: int | None
    last_unsealed: int | None
    last: str | None  # the newest seal; whoever notes it elsewhere sees a chain that was cut off
    broken: Break | None = None


def seal(tenant_id: int) -> int:
    """Seal one batch of the tenant's entries; how many. Inside `within`."""
    # One sealer at a time: seals cannot be locked, the application may only add and read them.
    Tenant.objects.select_for_update(of=("self",), no_key=True).get(pk=tenant_id)
    last = AuditSeal.objects.order_by("-up_to").first()
    rows = AuditEntry.objects.filter(pk__gt=last.up_to if last is not None else 0)
    young = rows.filter(at__gte=Now() - AGE)
    limit = young.aggregate(first=Min("pk"))["first"]
    if limit is not None:
        rows = rows.filter(pk__lt=limit)
    chain = _Chain(tenant_id, last.hash if last is not None else "")
    chain.add(rows.order_by("pk")[:ENTRIES])
    if chain.up_to is None:
        return 0
    AuditSeal.objects.create(up_to=chain.up_to, hash=chain.hash)
    return chain.count


def end_old() -> int:
    """Remove a batch of sealed entries older than the tenant keeps them. Inside `within`.

    The removal is an entry itself: without it a chain that starts later than it began is broken.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT entries, up_to FROM end_audit()")
        row = cursor.fetchone()
    if row is None:
        return 0
    entries, up_to = row
    record(ENDED, by=SYSTEM, subject="audit", entries=entries, up_to=up_to)
    return int(entries)


def verify(tenant_id: int) -> Verified:
    """Compute the chain again from its start. Inside `within`; reads every entry."""
    seals = list(AuditSeal.objects.order_by("up_to"))
    first = AuditEntry.objects.aggregate(first=Min("pk"))["first"]
    start, hash = 0, ""
    broken: Break | None = None
    if seals and (first is None or first > seals[0].up_to):
        start, hash = seals[0].up_to, seals[0].hash
        seals = seals[1:]
        if not AuditEntry.objects.filter(verb=ENDED, detail__up_to=start).exists():
            broken = Break(0, start, "its entries are gone, and retention did not remove them")
    after, entries, held = start, 0, 0
    for each in seals:
        if broken is not None:
            break
        chain = _Chain(tenant_id, hash)
        chain.add(AuditEntry.objects.filter(pk__gt=after, pk__lte=each.up_to).order_by("pk"))
        if not hmac.compare_digest(chain.hash, each.hash) or chain.up_to != each.up_to:
            broken = Break(after, each.up_to, "entries were changed, added or removed")
            break
        entries, held = entries + chain.count, held + 1
        after, hash = each.up_to, each.hash
    newest = AuditSeal.objects.order_by("-up_to").first()
    since = AuditEntry.objects.filter(pk__gt=newest.up_to if newest is not None else 0)
    ends = since.aggregate(first=Min("pk"), last=Max("pk"))
    return Verified(
        start=start,
        seals=held,
        entries=entries,
        unsealed=since.count(),
        first_unsealed=ends["first"],
        last_unsealed=ends["last"],
        last=newest.hash if newest is not None else None,
        broken=broken,
    )


class _Chain:
    """The hash of a seal: over the one before, then each entry in the order of their numbers."""

    def __init__(self, tenant_id: int, before: str) -> None:
        self._mac = hmac.new(tenant_secret(tenant_id, "audit-seal"), digestmod=hashlib.sha256)
        self._mac.update(before.encode())
        self.up_to: int | None = None
        self.count = 0

    def add(self, entries: "QuerySet[AuditEntry] | Iterable[AuditEntry]") -> None:
        rows = entries.iterator(2_000) if isinstance(entries, QuerySet) else entries
        for entry in rows:
            self._mac.update(b"\n" + _canonical(entry))
            self.up_to = entry.pk
            self.count += 1

    @property
    def hash(self) -> str:
        return self._mac.hexdigest()


def _canonical(entry: AuditEntry) -> bytes:
    columns = [
        entry.pk,
        entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
        entry.verb,
        entry.actor,
        entry.user_id,
        entry.token_id,
        entry.subject,
        entry.subject_id,
        entry.detail,
    ]
    return json.dumps(columns, sort_keys=True, separators=(",", ":")).encode()
