"""Move tenants to the embedding space of the settings; the old one answers until it is done.

Works in this window with a bar, or with --later leaves it to the embed stage. It may be stopped at
any time: running it again goes on where it was.
"""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memory.learning import embed, reembed
from memory.management.stage_command import counted
from memory.providers.errors import Misconfigured
from tenants.context import within
from tenants.directory import tenants_with_work
from tenants.management.named import database_needed, tenant_named
from tenants.models import Tenant

_EVERY = 1_000_000


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="this tenant only")
        parser.add_argument("--to", metavar="SPACE", help="by default that of EMBEDDING_MODEL")
        parser.add_argument(
            "--later", action="store_true", help="leave the work to the embed stage"
        )
        parser.add_argument("--state", action="store_true", help="say where it stands, do nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        with database_needed():
            name = options["tenant"]
            tenants = [tenant_named(name)] if name else tenants_with_work("retention", _EVERY)
        for tenant_id in tenants:
            with within(tenant_id):
                slug = Tenant.objects.get(pk=tenant_id).slug
            if options["state"]:
                self._say(slug, reembed.state_of(tenant_id))
                continue
            try:
                noted = reembed.begin(tenant_id, options["to"] or "")
            except Misconfigured as problem:
                raise CommandError(str(problem)) from problem
            if options["later"]:
                self.stdout.write(f"{slug}: {counted(noted, 'text')} noted for the embed stage")
            else:
                self._work(tenant_id, slug)

    def _say(self, slug: str, state: reembed.State) -> None:
        words = f"{slug}: {state.space} answers"
        if state.moving_to:
            words += f", {state.moving_to} is being filled"
        words += f", {counted(state.lacking, 'text')} without a vector there"
        if state.foreign:
            words += f", {counted(state.foreign, 'vector')} of other spaces"
        self.stdout.write(words)

    def _work(self, tenant_id: int, slug: str) -> None:
        """Batches of the embed stage until the tenant has moved, or nothing gets done any more."""
        waiting = reembed.state_of(tenant_id).waiting
        with Progress(
            TextColumn(slug), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
        ) as bar:  # fmt: skip
            task = bar.add_task(slug, total=waiting)
            failed = idle = 0
            while not reembed.settle(tenant_id):
                done = embed.step(tenant_id)
                bar.advance(task, done.processed)
                failed += done.failed
                idle = 0 if done.processed else idle + 1
                if idle > 3:
                    break
                if idle:
                    time.sleep(0.5)
        state = reembed.state_of(tenant_id)
        if state.moving_to:
            raise CommandError(
                f"{slug}: {counted(state.lacking, 'text')} could not be embedded in "
                f"{state.moving_to} now ({counted(failed, 'failure')}): {state.space} answers on; "
                "run it again"
            )
        self.stdout.write(f"{slug}: {state.space} answers for all texts")
