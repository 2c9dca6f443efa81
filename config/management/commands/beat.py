"""Run celery beat, which wakes the stages by the schedule in the admin."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.celery import app, prepare_broker
from config.processes import end_with_parent


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        end_with_parent()
        prepare_broker()
        app.start(["--quiet", "beat", f"--loglevel={settings.LOG_LEVEL}"])
