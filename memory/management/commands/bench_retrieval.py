"""Measure how well and how fast memory is searched, on a file of annotated conversations."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from memory.learning import retrieval_bench as bench
from memory.learning.retrieval_systems import MEMORIES, MESSAGES, Searcher
from memory.providers import default_space
from tenants.management.named import database_needed

FIGURES = ("R@5", "R@10", "R@20", "hit@10", "MRR")


class Command(BaseCommand):
    help = (
        __doc__ or ""
    ) + " A scratch tenant is filled through the product's own path and removed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="annotated conversations (docs/retrieval.md)")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there, too")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            conversations = bench.load(options["file"])
        except (OSError, ValueError) as problem:
            raise CommandError(f"{options['file']}: {problem}") from problem
        space = default_space()
        with database_needed():
            User.objects.exists()
        with bench.scratch_tenant() as caller:
            rows = [bench.fill(caller, told, space) for told in conversations]
            found: dict[str, Any] = {"space": space, "quality": {}, "speed": {}}
            for of, systems in (("messages", MESSAGES), ("memories", MEMORIES)):
                searchers = {name: Searcher(caller, space, of, name) for name in systems}
                found["quality"][of] = {
                    name: bench.quality(rows, find, of) for name, find in searchers.items()
                }
                found["speed"][of] = {
                    name: bench.times(find, rows) for name, find in searchers.items()
                }
        if options["json"]:
            options["json"].write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        questions = sum(len(told.questions) for told in rows)
        self.stdout.write(f"{len(rows)} conversations, {questions} questions, space {space}")
        for of in ("messages", "memories"):
            self.stdout.write(f"\n{_table(of, found['quality'][of], FIGURES)}")
            self.stdout.write(f"\n{_table(of + ', ms', found['speed'][of], ('p50', 'p95'))}")


def _table(title: str, systems: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> str:
    lines = [f"| {title} | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for system, figures in systems.items():
        cells = [f"{figures[name]:.1f}" if name in figures else "" for name in names]
        lines.append(f"| {system} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
