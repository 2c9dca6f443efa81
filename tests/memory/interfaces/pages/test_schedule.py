"""The empty queue names the next run, from the schedule that beat follows."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from memory.interfaces.pages.schedule import next_run
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db


def plan(task: str = "memory.reconcile", **fields: object) -> PeriodicTask:
    hourly, _ = IntervalSchedule.objects.get_or_create(every=1, period=IntervalSchedule.HOURS)
    made: PeriodicTask = PeriodicTask.objects.create(
        name=f"{task} {fields}", task=task, interval=hourly, **fields
    )
    return made


@pytest.fixture(autouse=True)
def no_other_schedule(db: None) -> None:
    PeriodicTask.objects.all().delete()


def test_it_counts_from_the_last_run() -> None:
    now = timezone.now()
    plan(last_run_at=now - timedelta(minutes=20))
    at = next_run()
    assert at is not None
    assert abs((at - now) - timedelta(minutes=40)) < timedelta(minutes=1)


def test_an_overdue_run_is_now() -> None:
    plan(last_run_at=timezone.now() - timedelta(hours=3))
    at = next_run()
    assert at is not None
    assert at <= timezone.now()


def test_a_disabled_or_another_schedule_plans_nothing() -> None:
    plan(enabled=False)
    plan("memory.observe")
    assert next_run() is None


def test_the_empty_queue_says_when(world: Pages) -> None:
    client = world.client()
    assert "manage.py reconcile" in client.get(world.at()).content.decode()
    plan(last_run_at=timezone.now() - timedelta(minutes=20))
    assert "looked through again in 39 minutes" in client.get(world.at()).content.decode()
