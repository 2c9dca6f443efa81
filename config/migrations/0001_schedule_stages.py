"""Schedule the stages: made once, so that what an operator changes in the admin stays."""

from typing import Any

from django.db import migrations

HOURLY = [
    ("memory.observe", "Observe conversations", "0"),
    ("memory.reconcile", "Reconcile observations", "10"),
]
EVERY_MINUTE = [
    ("memory.embed", "Embed what was written without a vector"),
    ("memory.extract", "Extract memories for automatic agents"),
]


def schedule(apps: Any, schema_editor: Any) -> None:
    """Observe first: ten minutes later its observations are there to be reconciled."""

    def rows(model: str) -> Any:
        found = apps.get_model("django_celery_beat", model)
        return found.objects.using(schema_editor.connection.alias)

    for task, name, minute in HOURLY:
        hourly, _ = rows("CrontabSchedule").get_or_create(
            minute=minute,
            hour="*",
            day_of_week="*",
            day_of_month="*",
            month_of_year="*",
            timezone="UTC",
        )
        rows("PeriodicTask").get_or_create(name=name, defaults={"task": task, "crontab": hourly})
    for task, name in EVERY_MINUTE:
        minutely, _ = rows("IntervalSchedule").get_or_create(every=1, period="minutes")
        rows("PeriodicTask").get_or_create(name=name, defaults={"task": task, "interval": minutely})


def unschedule(apps: Any, schema_editor: Any) -> None:
    names = [each[1] for each in [*HOURLY, *EVERY_MINUTE]]
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.using(schema_editor.connection.alias).filter(name__in=names).delete()


class Migration(migrations.Migration):
    dependencies = [("django_celery_beat", "0019_alter_periodictasks_options")]
    operations = [migrations.RunPython(schedule, unschedule)]
