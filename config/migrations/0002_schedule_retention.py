"""Schedule what ends by itself, in the night. Later tries find it done, or go on where it broke."""

from typing import Any

from django.db import migrations

NAME = "End what has been kept long enough"


def schedule(apps: Any, schema_editor: Any) -> None:
    def rows(model: str) -> Any:
        found = apps.get_model("django_celery_beat", model)
        return found.objects.using(schema_editor.connection.alias)

    nightly, _ = rows("CrontabSchedule").get_or_create(
        minute="20",
        hour="1-5",
        day_of_week="*",
        day_of_month="*",
        month_of_year="*",
        timezone="UTC",
    )
    rows("PeriodicTask").get_or_create(
        name=NAME, defaults={"task": "memory.retention", "crontab": nightly}
    )


def unschedule(apps: Any, schema_editor: Any) -> None:
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.using(schema_editor.connection.alias).filter(name=NAME).delete()


class Migration(migrations.Migration):
    dependencies = [("config", "0001_schedule_stages")]
    operations = [migrations.RunPython(schedule, unschedule)]
