"""Schedule the telling of webhooks: a wake brings it at once, beat what a wake was lost for."""

from typing import Any

from django.db import migrations

NAME = "Tell webhooks what happened"


def schedule(apps: Any, schema_editor: Any) -> None:
    def rows(model: str) -> Any:
        found = apps.get_model("django_celery_beat", model)
        return found.objects.using(schema_editor.connection.alias)

    minutely, _ = rows("IntervalSchedule").get_or_create(every=1, period="minutes")
    rows("PeriodicTask").get_or_create(
        name=NAME, defaults={"task": "memory.deliver", "interval": minutely}
    )


def unschedule(apps: Any, schema_editor: Any) -> None:
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.using(schema_editor.connection.alias).filter(name=NAME).delete()


class Migration(migrations.Migration):
    dependencies = [("config", "0003_schedule_keeping")]
    operations = [migrations.RunPython(schedule, unschedule)]
