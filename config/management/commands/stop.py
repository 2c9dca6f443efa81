"""End whatever still runs of this KEEPSAKE_HOME: console, web, worker, beat and Postgres."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config import processes
from config.console import STOP_SECONDS
from config.embedded import Embedded, PostgresError


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        home = settings.KEEPSAKE_HOME
        console = next((r for r in processes.recorded(home / "run") if r.name == "console"), None)
        running = console.process() if console else None
        if running is not None:
            processes.end([running], seconds=2 * STOP_SECONDS)  # it ends its own
            self.stdout.write("ended the console")
        for name in processes.end_recorded(home / "run", seconds=STOP_SECONDS):
            self.stdout.write(f"ended {name}")
        try:
            for folder, what in ((home, "Postgres"), (home / "tests", "the tests' Postgres")):
                if Embedded(folder).stop():
                    self.stdout.write(f"ended {what}")
        except PostgresError as problem:
            raise CommandError(str(problem)) from None
