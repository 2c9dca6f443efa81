"""Make the demonstration tenant, once; prints how to sign in and where to look."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.demo.prepare import (
    AGENT,
    PASSWORD_FILE,
    SLUG,
    USER,
    SomebodyElses,
    prepare_demonstration,
)
from tenants.management.named import database_needed


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with database_needed():
                made = prepare_demonstration()
        except SomebodyElses as fault:
            self.stdout.write(f"no demonstration: {fault}")
            return
        address = f"http://localhost:{settings.PORT}"
        password = made.password or "the password you chose"
        self.stdout.write(f"sign in as        {USER} / {password}")
        if made.password:
            self.stdout.write(
                f"                  (kept in {settings.KEEPSAKE_HOME / PASSWORD_FILE})"
            )
        waiting = f"{made.pending} waiting" if made.pending else "empty"
        self.stdout.write(f"review queue at   {address}/t/{SLUG}/review/ ({waiting})")
        if made.agent is not None:
            chat = f"/widget/{made.agent.uid}/"
            self.stdout.write(f"chat with {AGENT} at  {address}{chat}")
