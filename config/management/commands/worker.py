"""Run a Celery worker for both queues."""

import warnings
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from config.celery import app, prepare_broker
from config.processes import end_with_parent


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2)

    def handle(self, *args: Any, **options: Any) -> None:
        end_with_parent()
        prepare_broker()
        # It warns of root and pickle together; we take nothing but JSON.
        warnings.filterwarnings("ignore", "You're running the worker with superuser privileges")
        app.worker_main(
            [
                "--quiet",  # no banner
                "worker",
                f"--concurrency={options['concurrency']}",
                f"--queues={','.join(settings.QUEUES)}",
                f"--loglevel={settings.LOG_LEVEL}",
                "--without-gossip",  # workers need not know each other: the rows decide
                "--without-mingle",
            ]
        )
