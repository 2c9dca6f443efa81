"""Schedule the graph: a write wakes it at once, beat finds what a wake was lost for."""

from typing import Any

from django.db import migrations

NAME = "Find what shared memories name"


def schedule(apps: Any, schema_editor: Any) -> None:
    def rows(model: str) -> Any:
        found = apps.get_model("django_celery_beat", model)
        return found.objects.using(schema_editor.connection.alias)

    minutely, _ = rows("IntervalSchedule").get_or_create(every=1, period="minutes")
    rows("PeriodicTask").get_or_create(
        name=NAME, defaults={"task": "memory.graph", "interval": minutely}
    )


def unschedule(apps: Any, schema_editor: Any) -> None:
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.using(schema_editor.connection.alias).filter(name=NAME).delete()


class Migration(migrations.Migration):
    dependencies = [("config", "0004_schedule_deliver")]
    operations = [migrations.RunPython(schedule, unschedule)]
