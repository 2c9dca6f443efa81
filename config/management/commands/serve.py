"""Start everything under one console: database, web, worker and beat; Ctrl-C ends it all."""

import io
import sys
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from config.celery import prepare_broker
from config.console import CannotStart, Console
from config.embedded import PostgresError
from config.roles_check import UnsafeRole, refuse_unsafe_role

START_SECONDS = 90  # a cold start on a busy machine takes 30


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--no-demo", action="store_true", help="do not make the demonstration tenant"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(
            settings.KEEPSAKE_HOME, settings.BASE_DIR / "manage.py", settings.HOST, settings.PORT
        )
        console.listen_for_signals()
        try:
            with console.only_one():
                code = self._run(console, demo=not options["no_demo"])
        except (CannotStart, PostgresError, UnsafeRole) as problem:
            raise CommandError(f"Keepsake cannot start: {problem}") from None
        sys.exit(code)

    def _run(self, console: Console, *, demo: bool) -> int:
        console.check_port()
        embedded = settings.EMBEDDED
        try:
            if embedded is not None:
                with console.step("Postgres is up"):
                    note = embedded.ensure()
                if note:
                    console.say(note)
            with console.step("tables are up to date"):
                call_command("migrate", verbosity=0)
            refuse_unsafe_role()
            sign_in = self._demonstration(console) if demo else ""
            connections.close_all()
            prepare_broker()
            with console.step("web, worker and beat are up"):
                for name in ("web", "worker", "beat"):
                    console.start(name)
                answers = console.wait_for(console.web_answers, START_SECONDS)
            if not answers and console.died() is None and not console.stopping.is_set():
                # uvicorn starts a server process that fails again for ever: it does not die
                console.say(f"web does not answer after {START_SECONDS} s; its lines above say why")
                return 1
            if answers:
                self._welcome(console, sign_in)
            return console.watch()
        finally:
            console.say("ending web, worker and beat")
            console.end()
            if embedded is not None:
                embedded.stop()
            console.say("all ended")

    def _demonstration(self, console: Console) -> str:
        if "prepare_demo" not in get_commands():
            return ""
        said = io.StringIO()
        with console.step("the demonstration tenant is there"):
            call_command("prepare_demo", stdout=said)
        return said.getvalue().strip()

    def _welcome(self, console: Console, sign_in: str) -> None:
        address = f"http://localhost:{settings.PORT}"
        console.say("")
        console.say(f"Keepsake is at    {address}/")
        console.say(f"administration at {address}/admin/")
        for line in sign_in.splitlines():
            console.say(line)
        console.say("Ctrl-C ends it")
        console.say("")
