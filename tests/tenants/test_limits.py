"""Counters that every process shares, and the address that they count."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from tenants.limits import Limit, Over, address_of, client_address, hit
from tenants.models import RateWindow

HOUR = timedelta(hours=24)  # long: no test runs into the end of a window


def counts() -> list[int]:
    return sorted(RateWindow.objects.values_list("count", flat=True))


@pytest.mark.django_db
def test_the_first_limit_that_is_over_refuses_and_uses_up_nobody_elses() -> None:
    limits = [Limit("visitor", "a", 2), Limit("address", "b", 10), Limit("agent", "c", 10)]
    assert [hit(limits, window=HOUR) for _ in range(2)] == [None, None]
    for _ in range(3):
        over = hit(limits, window=HOUR)
        assert isinstance(over, Over)
        assert over.limit.name == "visitor"
        assert 1 <= over.retry_after <= HOUR.total_seconds()
    assert counts() == [2, 2, 5]


@pytest.mark.django_db
def test_a_later_limit_refuses_those_whose_own_is_free() -> None:
    for name in ("a", "b"):
        assert hit([Limit("visitor", name, 5), Limit("agent", "x", 2)], window=HOUR) is None
    over = hit([Limit("visitor", "c", 5), Limit("agent", "x", 2)], window=HOUR)
    assert over is not None
    assert over.limit.name == "agent"


@pytest.mark.django_db
def test_kinds_tenants_and_subjects_do_not_share_a_counter() -> None:
    one = [Limit("visitor", "a", 1)]
    assert hit(one, window=HOUR, tenant_id=1) is None
    assert hit(one, window=HOUR, tenant_id=2) is None
    assert hit([Limit("address", "a", 1)], window=HOUR, tenant_id=1) is None
    assert hit(one, window=HOUR, tenant_id=1) is not None


@pytest.mark.django_db
def test_one_statement_counts_all_and_nothing_readable_is_stored(
    django_assert_num_queries: Any,
) -> None:
    limits = [Limit("visitor", "v", 9), Limit("address", "203.0.113.9", 9), Limit("agent", "x", 9)]
    hit(limits, window=HOUR)
    with django_assert_num_queries(1):
        hit(limits, window=HOUR)
    assert not any("203.0.113.9" in str(row) for row in RateWindow.objects.values_list("bucket"))
    assert {len(bucket) for bucket in RateWindow.objects.values_list("bucket", flat=True)} == {64}


@pytest.mark.django_db
def test_windows_that_are_over_are_swept_by_the_first_of_a_new_one() -> None:
    RateWindow.objects.bulk_create(RateWindow(bucket=str(n), window=n, count=1) for n in range(50))
    hit([Limit("agent", "x", 9)], window=HOUR)
    assert RateWindow.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_connections_count_in_one_row_and_do_not_lock_each_other_out() -> None:
    answers: list[Over | None] = []

    def ask(visitor: str) -> None:
        for _ in range(10):
            answers.append(
                hit([Limit("visitor", visitor, 99), Limit("agent", "x", 25)], window=HOUR)
            )
        connection.close()

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 40
    assert sum(answer is None for answer in answers) == 25


TRUSTED = ["10.0.0.0/8", "2001:db8::/32"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.9", "", "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),  # a stranger says what they like
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "[2a00:1:2:3:4:5:6:7]:443", "2a00:1:2:3::/64"),
        ("2001:db8::1", "2a00:1:2:3::9", "2a00:1:2:3::/64"),
        ("10.0.0.1", "junk", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, junk", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("", "198.51.100.1", "198.51.100.1"),  # a proxy on a socket of this machine
    ],
)
def test_the_last_hop_outside_the_trusted_proxies(
    settings: Any, peer: str, forwarded: str, expected: str
) -> None:
    settings.TRUSTED_PROXIES = TRUSTED
    request = RequestFactory().get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == expected


def test_without_trusted_proxies_nothing_forwarded_counts(settings: Any) -> None:
    settings.TRUSTED_PROXIES = []
    request = RequestFactory().get("/", REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR="6.6.6.6")
    assert client_address(request) == "127.0.0.1"


@given(st.lists(st.one_of(st.ip_addresses().map(str), st.text(max_size=20)), max_size=6))
def test_whatever_a_client_adds_in_front_changes_nothing(junk: list[str]) -> None:
    assert address_of("203.0.113.9", junk) == "203.0.113.9"


@pytest.fixture
def shared_cache(settings: Any) -> Iterator[Any]:
    """Stands for Redis: what is tested is the counting, the same through Django's cache."""
    settings.CACHE_URL = "redis://cache.example"
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    cache.clear()
    yield cache
    cache.clear()


@pytest.mark.django_db
def test_with_a_cache_it_counts_there_by_the_same_rules(shared_cache: Any) -> None:
    limits = [Limit("visitor", "a", 2), Limit("agent", "c", 10)]
    assert [hit(limits, window=HOUR) for _ in range(2)] == [None, None]
    over = hit(limits, window=HOUR)
    assert over is not None
    assert over.limit.name == "visitor"
    assert 1 <= over.retry_after <= HOUR.total_seconds()
    assert hit(limits[1:], window=HOUR) is None
    assert counts() == []


@pytest.mark.django_db
def test_with_the_cache_away_the_limit_still_holds(settings: Any) -> None:
    settings.CACHE_URL = "redis://127.0.0.1:1"  # nobody listens there
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": settings.CACHE_URL,
        }
    }
    limits = [Limit("visitor", "a", 1)]
    assert hit(limits, window=HOUR) is None
    assert hit(limits, window=HOUR) is not None
