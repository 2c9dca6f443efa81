"""How often somebody may ask: counters that every process shares (D13).

One statement counts all windows of a request, one after the other: the first that is over ends
it, so whoever is refused by their own limit uses up nobody else's. What is limited is kept as
an HMAC; no address and no cookie is stored.
"""

import hmac
import ipaddress
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest

from tenants.prepared import prepared
from tenants.secrets import tenant_secret

log = logging.getLogger(__name__)

SWEEP_AT_ONCE = 5_000  # counters removed by one sweep


@dataclass(frozen=True)
class Limit:
    """`most` requests a window for `subject`; `name` keeps kinds of subject apart."""

    name: str
    subject: str
    most: int


@dataclass(frozen=True)
class Over:
    """Refused by `limit`; asking again makes sense after `retry_after` seconds."""

    limit: Limit
    retry_after: int


def hit(limits: Sequence[Limit], *, window: timedelta, tenant_id: int = 0) -> Over | None:
    """Count a request against each limit in turn; the first one that is over, or None.

    Outside any block. Windows are fixed and begin at multiples of their length.
    """
    seconds = max(1, int(window.total_seconds()))
    buckets = [_bucket(limit, tenant_id) for limit in limits]
    if settings.CACHE_URL:
        try:
            return _in_redis(limits, buckets, seconds)
        except Exception as error:  # a limiter that is away must not open or close the door
            log.warning("limits: no cache (%s), counting in Postgres", type(error).__name__)
    return _in_postgres(limits, buckets, seconds)


def sweep() -> int:
    """Remove counters of windows that are over; at most SWEEP_AT_ONCE, how many it were."""
    with connection.cursor() as cursor:
        cursor.execute(_SWEEP, [SWEEP_AT_ONCE])
        return int(cursor.rowcount)


def client_address(request: HttpRequest) -> str:
    """The last hop outside TRUSTED_PROXIES, an IPv6 one as its network of a household (/64)."""
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    return address_of(request.META.get("REMOTE_ADDR", ""), hops)


def address_of(peer: str, forwarded: Sequence[str]) -> str:
    """The same from the connection's own address and the forwarded ones, the nearest last."""
    trusted = [ipaddress.ip_network(each) for each in settings.TRUSTED_PROXIES]
    # A proxy on a socket of this machine has no address; it counts only if proxies are named.
    found = _parsed(peer)
    if found is None and not trusted:
        return peer
    for hop in reversed(forwarded):
        if found is not None and not any(found in network for network in trusted):
            break
        further = _parsed(hop)
        if further is None:
            break
        found = further
    if found is None:
        return peer
    if found.version == 6:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    text = text.strip().strip('"')
    if text.startswith("["):  # [2001:db8::1]:443
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:  # 192.0.2.1:443
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _bucket(limit: Limit, tenant_id: int) -> str:
    text = f"{limit.name}\0{limit.subject}".encode()
    return hmac.digest(tenant_secret(tenant_id, "limits"), text, "sha256").hex()


def _in_postgres(limits: Sequence[Limit], buckets: Sequence[str], seconds: int) -> Over | None:
    counted, values = [], list[str | int]()
    for number, bucket in enumerate(buckets):
        before = f"WHERE (SELECT count FROM hit{number - 1}) <= %s" if number else ""  # noqa: S608 a number
        counted.append(_COUNT.format(number=number, before=before))
        values += [bucket, limits[number - 1].most] if number else [bucket]
    answers = ", ".join(f"(SELECT count FROM hit{number})" for number in range(len(buckets)))  # noqa: S608
    with prepared() as cursor:
        cursor.execute(
            f"WITH at AS ({_ENDS}), {', '.join(counted)} SELECT {_LEFT}, {answers} FROM at",  # noqa: S608
            [seconds, seconds, *values],
        )
        left, *counts = cursor.fetchone()
        if counts and counts[-1] == 1:  # the first of its window sweeps
            cursor.execute(_SWEEP, [SWEEP_AT_ONCE])
    for limit, count in zip(limits, counts, strict=True):
        if count is not None and count > limit.most:
            return Over(limit, max(1, int(left)))
    return None


# When the current window ends, in seconds since the epoch, by the database's clock.
_ENDS = "SELECT (floor(extract(epoch FROM clock_timestamp()) / %s) + 1)::bigint * %s AS ends"
_LEFT = "ceil(ends - extract(epoch FROM clock_timestamp()))"
_COUNT = """hit{number} AS (
    INSERT INTO tenants_ratewindow AS r (bucket, "window", count)
    SELECT %s, ends, 1 FROM at {before}
    ON CONFLICT (bucket, "window") DO UPDATE SET count = r.count + 1
    RETURNING count
)"""
_SWEEP = """
DELETE FROM tenants_ratewindow WHERE id IN (
    SELECT id FROM tenants_ratewindow
    WHERE "window" <= extract(epoch FROM clock_timestamp())
    LIMIT %s FOR UPDATE SKIP LOCKED
)"""


def _in_redis(limits: Sequence[Limit], buckets: Sequence[str], seconds: int) -> Over | None:
    now = time.time()
    ends = (int(now) // seconds + 1) * seconds
    for limit, bucket in zip(limits, buckets, strict=True):
        key = f"limit:{bucket}:{ends}"
        cache.add(key, 0, timeout=seconds + 1)
        if cache.incr(key) > limit.most:
            return Over(limit, max(1, ceil(ends - now)))
    return None
