"""Play the main loop in the terminal; exit code 0 only if every step did its part.

Works offline whatever is configured, in a tenant of its own that is removed afterwards.
"""

import time
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table as Grid

from config.demo.play import Block, DidNotWork, Overheard, Shown, Table, Title, play
from config.demo.scratch import scratch_tenant
from memory.providers import using
from memory.providers.wordllama_space import WordLlamaEmbedder
from tenants.management.named import database_needed


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        terminal = Console(file=cast(IO[str], self.stdout), highlight=False)
        model, began = Overheard(), time.monotonic()
        with (
            database_needed(),
            using(language=model, embedder=WordLlamaEmbedder()),
            scratch_tenant() as scratch,
        ):
            try:
                for shown in play(scratch, model):
                    show(shown, terminal)
            except DidNotWork as fault:
                raise CommandError(f"the loop is broken: {fault}") from fault
        seconds = time.monotonic() - began
        terminal.print(f"\n[bold green]Every step did its part[/] ({seconds:.1f} s, offline).")


def show(shown: Shown, terminal: Console) -> None:
    if isinstance(shown, Title):
        terminal.print()
        terminal.rule(f"[bold]{escape(shown.text)}", align="left")
    elif isinstance(shown, Block):
        inside = escape(shown.text) or "[dim](nothing)"
        terminal.print(Panel(inside, title=shown.title, title_align="left", box=box.ROUNDED))
    elif isinstance(shown, Table):
        grid = Grid(title=shown.title, title_justify="left", box=box.SIMPLE_HEAD)
        for column in shown.columns:
            grid.add_column(column, overflow="fold")
        for row in shown.rows:
            grid.add_row(*map(escape, row))
        terminal.print(grid)
