"""What `observe`, `reconcile` and `embed` share: tenants in turn, a bar, what was done, by name."""

import sys
import time
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from agents.management.named import agent_named
from memory.stages import RUN_SECONDS, Tally, free, run
from tenants.context import within
from tenants.directory import tenants_with_work
from tenants.management.named import database_needed, tenant_named
from tenants.models import Tenant


class StageCommand(BaseCommand):
    """One stage by hand, over every tenant with work or over one. Records its Run.

    A stage says which rows wait (for the bar), does one batch, and names its counts.
    """

    stage: str
    by_agent = True

    def rows(self, agent_id: int | None, options: dict[str, Any]) -> QuerySet[Any] | None:
        """What waits, held or free, inside a tenant's block; None for a stage that claims none."""
        return None

    def waiting(self, options: dict[str, Any]) -> list[QuerySet[Any]]:
        """What waits for a stage that claims nothing."""
        return []

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        """One batch of one tenant."""
        raise NotImplementedError

    def said(self, tally: Tally) -> str:
        """What was done, in words."""
        raise NotImplementedError

    def all_failed(self, tally: Tally) -> bool:
        return 0 < tally.failed >= tally.taken

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="this tenant only")
        if self.by_agent:
            parser.add_argument("--agent", metavar="SLUG|UUID", help="this agent only")

    def handle(self, *args: Any, **options: Any) -> None:
        with database_needed():
            tenants, agent_id = self._whose(options)
            total = self._run(tenants, agent_id, options)
        if self.all_failed(total):
            raise CommandError(f"all of it failed: {_by_name(total)}")

    def _whose(self, options: dict[str, Any]) -> tuple[list[int], int | None]:
        if options.get("agent"):
            agent = agent_named(options["agent"], tenant=options["tenant"], stage=self.stage)
            return [agent.tenant_id], agent.pk
        if options["tenant"]:
            return [tenant_named(options["tenant"])], None
        return tenants_with_work(self.stage), None

    def _run(self, tenants: list[int], agent_id: int | None, options: dict[str, Any]) -> Tally:
        per_tenant: dict[int, Tally] = defaultdict(Tally)
        with _bar(self.stage, self._total(tenants, agent_id, options)) as advance:

            def counted(tenant_id: int) -> Tally:
                try:
                    done = self.step(tenant_id, agent_id, options)
                except Exception as error:
                    per_tenant[tenant_id].fail(error)
                    raise
                per_tenant[tenant_id].add(done)
                advance(done)
                return done

            started = time.monotonic()
            total = run(self.stage, counted, tenants=tenants)
            over = time.monotonic() - started >= RUN_SECONDS
        for tenant_id, tally in per_tenant.items():
            if tally.taken or tally.failed:
                self.stdout.write(f"{_slug(tenant_id)}: {self.said(tally)}{_failures(tally)}")
        if not total.taken and not total.failed:
            why = self._held_back(tenants, agent_id, options) or self.why_nothing(options)
            self.stdout.write(f"nothing to {self.stage} now{why and f': {why}'}")
        if over:
            self.stdout.write(f"{RUN_SECONDS:.0f} s are over: run it again for the rest")
        return total

    def why_nothing(self, options: dict[str, Any]) -> str:
        """A hint where rows may wait that this run could not take."""
        return ""

    def _total(self, tenants: list[int], agent_id: int | None, options: dict[str, Any]) -> int:
        count = 0
        for tenant_id in tenants:
            with within(tenant_id):
                rows = self.rows(agent_id, options)
                free_ones = [rows.filter(free())] if rows is not None else self.waiting(options)
                count += sum(each.count() for each in free_ones)
        return count

    def _held_back(self, tenants: list[int], agent_id: int | None, options: dict[str, Any]) -> str:
        """Why rows that wait cannot be taken, in words; "" when there are none."""
        reasons = {
            "held by another run, or until its lease ends": Q(lease_until__gt=Now()),
            "waiting after a failure or a delay": Q(not_before__gt=Now()),
            "parked after failures, for somebody to look at": Q(parked_at__isnull=False),
        }
        counts: Counter[str] = Counter()
        for tenant_id in tenants:
            with within(tenant_id):
                rows = self.rows(agent_id, options)
                if rows is None:
                    continue
                for reason, condition in reasons.items():
                    counts[reason] += rows.filter(condition).count()
        return ", ".join(f"{count} {reason}" for reason, count in counts.items() if count)


@contextmanager
def _bar(what: str, total: int) -> Iterator[Callable[[Tally], None]]:
    """A progress bar on the error stream, so that output stays clean; none without a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    terminal = Console(file=sys.stderr)
    with Progress(*columns, console=terminal, disable=not terminal.is_terminal) as progress:
        task = progress.add_task(what, total=total)

        def advance(done: Tally) -> None:
            progress.advance(task, done.taken)

        yield advance


def _slug(tenant_id: int) -> str:
    with within(tenant_id):
        return Tenant.objects.get(pk=tenant_id).slug


def _by_name(tally: Tally) -> str:
    return ", ".join(f"{name} × {count}" for name, count in sorted(tally.errors.items()))


def _failures(tally: Tally) -> str:
    return f"; {tally.failed} failed: {_by_name(tally)}" if tally.failed else ""


def counted(number: int, one: str, many: str = "") -> str:
    """`counted(2, "message")` is "2 messages"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
