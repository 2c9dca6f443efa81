"""When the queue may grow again: the next run of reconcile, as beat plans it."""

from datetime import datetime, timedelta

from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from memory.interfaces.pages import words


def next_run(stage: str = "reconcile") -> datetime | None:
    """None when no enabled schedule wakes the stage."""
    rows = PeriodicTask.objects.filter(enabled=True, task__endswith=stage)
    task = rows.select_related("interval", "crontab", "solar", "clocked").order_by("pk").first()
    if task is None:
        return None
    now = timezone.now()
    due, seconds = task.schedule.is_due(task.last_run_at or task.date_changed or now)
    return now if due else now + timedelta(seconds=seconds)


def next_run_in_words() -> str:
    """ "in 12 minutes"; empty when no schedule wakes the stage."""
    at = next_run()
    if at is None:
        return ""
    seconds = (at - timezone.now()).total_seconds()
    return "in " + words.span(seconds) if seconds >= 60 else "within a minute"
