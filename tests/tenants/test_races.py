"""Races between real connections: lost ones are run again, and other faults are not."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError, connection, transaction

from tenants import answers
from tenants.races import DEADLOCK, StillRaced, settled, state_of
from tests.factories import make_tenant, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def crossing(one: int, other: int, met: threading.Barrier) -> Callable[[], None]:
    """Renames the user `one`, then `other`; at the first try only once both hold their first."""
    tries = iter((True,))

    def act() -> None:
        with transaction.atomic():
            assert User.objects.filter(pk=one).update(first_name=f"{one} first")
            if next(tries, False):
                met.wait(10)
            assert User.objects.filter(pk=other).update(first_name=f"{one} won")

    return act


def both(wrapped: Callable[[Callable[[], None]], None]) -> list[BaseException | None]:
    """Two acts that lock each other's rows in the opposite order, and what became of each."""
    a, b, met = make_user().pk, make_user().pk, threading.Barrier(2)

    def run(act: Callable[[], None]) -> None:
        try:
            wrapped(act)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(run, crossing(*order, met)) for order in ((a, b), (b, a))]
        return [each.exception() for each in done]


def test_a_deadlock_is_run_again_and_both_are_done() -> None:
    assert both(settled) == [None, None]


def test_a_deadlock_that_nobody_runs_again_is_answered_as_one() -> None:
    (lost,) = [each for each in both(lambda act: act()) if each is not None]
    assert isinstance(lost, OperationalError)
    assert state_of(lost) == DEADLOCK
    answer = answers.of(lost)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")


def test_a_text_taken_since_the_look_is_looked_at_again() -> None:
    names = iter(("taken", "taken", "free"))
    make_tenant(slug="taken")

    def act() -> str:
        return make_tenant(slug=next(names)).slug

    assert settled(act) == "free"


def test_a_race_lost_each_time_says_so() -> None:
    make_tenant(slug="taken")
    with pytest.raises(StillRaced) as told:
        settled(lambda: make_tenant(slug="taken"), tries=2)
    assert isinstance(told.value.__cause__, DatabaseError)
    answer = answers.of(told.value)
    assert (answer.status_code, answer["Retry-After"]) == (409, "5")


def test_another_fault_of_the_database_is_told_at_once() -> None:
    tries: list[int] = []

    def act() -> None:
        tries.append(1)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")

    with pytest.raises(DatabaseError, match="division by zero"):
        settled(act)
    assert len(tries) == 1
