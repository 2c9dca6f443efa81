"""Schedule what acts by itself: listeners, for which a wake was lost, and agents with a crontab."""

from typing import Any

from django.db import migrations

TASKS = {
    "Let listeners answer": "memory.listen",
    "Ask the agents that have a schedule": "agents.scheduled",
}


def schedule(apps: Any, schema_editor: Any) -> None:
    def rows(model: str) -> Any:
        found = apps.get_model("django_celery_beat", model)
        return found.objects.using(schema_editor.connection.alias)

    minutely, _ = rows("IntervalSchedule").get_or_create(every=1, period="minutes")
    for name, task in TASKS.items():
        rows("PeriodicTask").get_or_create(name=name, defaults={"task": task, "interval": minutely})


def unschedule(apps: Any, schema_editor: Any) -> None:
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.using(schema_editor.connection.alias).filter(name__in=TASKS).delete()


class Migration(migrations.Migration):
    dependencies = [("config", "0005_schedule_graph")]
    operations = [migrations.RunPython(schedule, unschedule)]
