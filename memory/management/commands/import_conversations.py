"""Capture conversations from a transcript file; running it again takes nothing twice.

Lines that cannot be read are listed and left out; the rest is taken, and the exit status says 1.

Reads a JSON list of messages (role, content), a list of conversations (messages), JSON lines of
either, or the conversations.json of a ChatGPT export.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from agents.management.named import agent_in_tenant
from agents.models import Agent, Visitor
from memory.learning.capture import Captured, Said, conversation_of, prepare, write
from memory.learning.transcript_fields import name_of
from memory.learning.transcript_shapes import Stretch, stretches
from memory.learning.transcripts import Unread, elements
from memory.management.stage_command import counted
from memory.providers import space_of
from tenants.context import within
from tenants.management.named import database_needed, tenant_named
from tenants.models import Tenant

BATCH = 100  # messages a transaction
EMBED_SECONDS = 30.0


class Told:
    """What is said of one conversation in the end."""

    def __init__(self, stretch: Stretch) -> None:
        own = stretch.conversation
        self.name = f"{stretch.title} ({own})" if stretch.title else own
        self.taken = self.known = self.untimed = 0
        self.refused: Counter[str] = Counter()
        self.nothing = ""

    def add(self, captured: Captured) -> None:
        self.taken += captured.accepted
        self.known += captured.duplicates
        self.refused.update(each.reason for each in captured.refused)
        self.nothing = captured.reason or self.nothing

    def __str__(self) -> str:
        parts = [f"{counted(self.taken, 'message')} taken"]
        if self.known:
            parts.append(f"{self.known} there already")
        if self.nothing:
            parts.append(f"the rest left: {self.nothing}")
        if self.refused:
            why = ", ".join(f"{reason} × {n}" for reason, n in self.refused.most_common())
            parts.append(f"{self.refused.total()} refused ({why})")
        if self.untimed:
            parts.append(f"{self.untimed} without a time and zone of their own")
        return f"{self.name}: {', '.join(parts)}"


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--agent", required=True, metavar="SLUG|UUID")
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--visitor", metavar="ID", help="the host's id of who spoke")
        whose.add_argument(
            "--visitor-from", metavar="FIELD", help="the field of a conversation that holds it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        given = options["visitor"]
        if given is not None and (not given or name_of(given) != given):
            raise CommandError("--visitor: expected 1 to 200 printable characters")
        with database_needed():
            tenant_id = tenant_named(options["tenant"])
            with within(tenant_id):
                agent = agent_in_tenant(options["agent"])
                tenant = Tenant.objects.get(pk=tenant_id)
            if not (agent.memory_enabled and tenant.memory_enabled):
                raise CommandError(f"memory is off for {agent.slug}: nothing would be taken")
            try:
                with options["file"].open("rb") as file, _bar(file, options["file"]) as moved:
                    told, unread = self._import(file, agent, tenant, options, moved)
            except OSError as fault:
                raise CommandError(f"{options['file']}: {fault.strerror or fault}") from fault
        self._report(told, unread, agent, options)

    def _import(
        self, file: BinaryIO, agent: Agent, tenant: Tenant, options: dict[str, Any], moved: Any
    ) -> tuple[Sequence[Told], list[Unread]]:
        told: dict[tuple[str, str | None], Told] = {}
        unread: list[Unread] = []
        for each in stretches(elements(file), visitor_from=options["visitor_from"]):
            if isinstance(each, Unread):
                unread.append(each)
                continue
            visitor = each.visitor or options["visitor"]
            of = told.setdefault((each.conversation, visitor), Told(each))
            of.refused.update(refused.reason for refused in each.refused)
            of.untimed += each.untimed
            for start in range(0, len(each.said), BATCH):
                said = each.said[start : start + BATCH]
                of.add(capture(said, each.conversation, agent, tenant, visitor))
            moved()
        return list(told.values()), unread

    def _report(
        self, told: Sequence[Told], unread: list[Unread], agent: Agent, options: dict[str, Any]
    ) -> None:
        for each in told:
            self.stdout.write(str(each))
        for fault in unread:
            self.stdout.write(f"line {fault.line} was not read: {fault.reason}")
        taken, known = sum(t.taken for t in told), sum(t.known for t in told)
        self.stdout.write(
            f"{counted(taken, 'message')} taken from {counted(len(told), 'conversation')}, "
            f"{known:,} there already, {sum(t.refused.total() for t in told):,} refused, "
            f"{counted(len(unread), 'line')} not read"
        )
        if not told:
            raise CommandError("no conversation in the file: expected " + EXPECTED)
        if taken:
            self.stdout.write(
                "observe them now, without waiting: manage.py observe --ignore-cooldown "
                f"--tenant {options['tenant']} --agent {agent.slug}"
            )
        if unread:
            raise CommandError(
                f"{counted(len(unread), 'line')} could not be read (listed above); the rest was "
                "taken. Mend them and run it again: nothing is taken twice."
            )


EXPECTED = (
    "a JSON list of messages (role, content) or of conversations (messages), JSON lines of "
    "either, or a ChatGPT export's conversations.json"
)


def capture(
    said: Sequence[Said], conversation: str, agent: Agent, tenant: Tenant, visitor: str
) -> Captured:
    """One batch: embedded outside the transaction, written inside one."""
    prepared = prepare(said, space=space_of(tenant), timeout=EMBED_SECONDS)
    with within(tenant.pk):
        person = Visitor.objects.meet(host_id=visitor)
        captured = write(
            prepared,
            conversation=conversation_of(
                agent_id=agent.pk,
                visitor_id=person.pk,
                external_id=conversation,
                channel="import",
            ),
        )
        if not captured.accepted:  # nor does a visitor or a conversation come of it
            transaction.set_rollback(True)
        return captured


@contextmanager
def _bar(file: BinaryIO, path: Path) -> Iterator[Any]:
    """Progress by bytes on the error stream, when that is a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    terminal = Console(file=sys.stderr)
    with Progress(*columns, console=terminal, disable=not terminal.is_terminal) as progress:
        task = progress.add_task(path.name, total=path.stat().st_size)
        yield lambda: progress.update(task, completed=file.tell())
        progress.update(task, completed=path.stat().st_size)
