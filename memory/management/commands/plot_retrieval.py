"""Draw what bench_retrieval measured, as SVG: no font, script or library is needed to see it."""

import json
from argparse import ArgumentParser
from html import escape
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

WIDTH, ROW, LEFT, TOP = 720, 26, 190, 46
COLOURS = ("#3b6ea5", "#c8553d", "#5a8f4e", "#8a5fa3")


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks: list[str] = []  # it needs no database and no service

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="+", type=Path, help="bench_retrieval's --json, one a space"
        )
        parser.add_argument("--out", type=Path, required=True, help="the folder for the drawings")

    def handle(self, *args: Any, **options: Any) -> None:
        found = []
        for file in options["files"]:
            try:
                found.append(json.loads(file.read_text(encoding="utf-8")))
            except (OSError, ValueError) as problem:
                raise CommandError(f"{file}: {problem}") from problem
        options["out"].mkdir(parents=True, exist_ok=True)
        for of in ("messages", "memories"):
            series = {
                each["space"]: {
                    system: figures["R@10"] for system, figures in each["quality"][of].items()
                }
                for each in found
                if "quality" in each
            }
            target = options["out"] / f"retrieval-{of}.svg"
            target.write_text(bars(f"{of}: evidence recall@10, %", series), encoding="utf-8")
            self.stdout.write(str(target.name))


def bars(title: str, series: dict[str, dict[str, float]]) -> str:
    """Horizontal bars from 0 to 100, grouped by system, one colour a series."""
    systems = list(dict.fromkeys(system for values in series.values() for system in values))
    height = TOP + len(systems) * (ROW * len(series) + 12) + 10
    scale = (WIDTH - LEFT - 60) / 100
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13" role="img" aria-label="{escape(title)}">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="10" y="20" font-size="15" font-weight="bold">{escape(title)}</text>',
    ]
    for place, name in enumerate(series):
        x = LEFT + place * 190
        parts.append(f'<rect x="{x}" y="28" width="11" height="11" fill="{COLOURS[place % 4]}"/>')
        parts.append(f'<text x="{x + 16}" y="38">{escape(name)}</text>')
    y = TOP + 8
    for system in systems:
        parts.append(f'<text x="10" y="{y + 16}">{escape(system)}</text>')
        for place, values in enumerate(series.values()):
            value = values.get(system, 0.0)
            parts.append(
                f'<rect x="{LEFT}" y="{y}" width="{value * scale:.1f}" height="{ROW - 6}" '
                f'fill="{COLOURS[place % 4]}"/>'
                f'<text x="{LEFT + value * scale + 6:.1f}" y="{y + 15}">{value:.1f}</text>'
            )
            y += ROW
        y += 12
    return "\n".join([*parts, "</svg>"]) + "\n"
