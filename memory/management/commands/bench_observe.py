"""Print how well the offline observer finds the turns that annotators marked."""

from argparse import ArgumentParser
from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.learning import observing_bench as bench
from memory.providers.offline import OfflineLanguage
from memory.providers.types import Transcript


class Command(BaseCommand):
    help = "Precision and recall of the turns the offline observer quotes, beside a baseline."
    requires_system_checks: list[str] = []  # it needs no database and no service

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="annotated conversations (docs/observing.md)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            conversations = bench.load(options["file"])
        except (OSError, ValueError) as problem:
            raise CommandError(f"{options['file']}: {problem}") from problem
        offline, taken, turns = OfflineLanguage(), 0.0, 0

        def observe(transcript: Transcript) -> set[int]:
            nonlocal taken, turns
            start = perf_counter()
            findings = offline.observe(transcript, timeout=60).findings
            taken += perf_counter() - start
            turns += len(transcript.turns)
            return {finding.turn for finding in findings if finding.turn is not None}

        self.stdout.write(bench.table(conversations, observe))
        if turns:
            self.stdout.write(f"{turns} turns read at {1e5 * taken / turns:.1f} ms per 100 turns")
