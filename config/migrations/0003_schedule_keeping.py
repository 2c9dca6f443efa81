"""Schedule what ends, seals and encrypts: every five minutes. All of them may be repeated."""

from typing import Any

from django.db import migrations

EVERY_FIVE_MINUTES = [
    ("memory.sweep", "Close what has expired"),
    ("memory.encrypt", "Encrypt what was shared before the customer's key"),
    ("memory.audit", "Seal the audit"),
]


def schedule(apps: Any, schema_editor: Any) -> None:
    def rows(model: str) -> Any:
        found = apps.get_model("django_celery_beat", model)
        return found.objects.using(schema_editor.connection.alias)

    often, _ = rows("IntervalSchedule").get_or_create(every=5, period="minutes")
    for task, name in EVERY_FIVE_MINUTES:
        rows("PeriodicTask").get_or_create(name=name, defaults={"task": task, "interval": often})


def unschedule(apps: Any, schema_editor: Any) -> None:
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    names = [name for _, name in EVERY_FIVE_MINUTES]
    tasks.using(schema_editor.connection.alias).filter(name__in=names).delete()


class Migration(migrations.Migration):
    dependencies = [("config", "0002_schedule_retention")]
    operations = [migrations.RunPython(schedule, unschedule)]
