"""Draw what bench_retrieval and bench_search measured, as SVG: no font, script or library is
needed to see it."""

import json
import math
from argparse import ArgumentParser
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

WIDTH, ROW, LEFT, TOP = 720, 26, 190, 46
COLOURS = ("#3b6ea5", "#c8553d", "#5a8f4e", "#8a5fa3")
RIGHT, BOTTOM = 560, 360  # where the axes of curves end

Points = Sequence[tuple[float, float]]


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks: list[str] = []  # it needs no database and no service

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            help="bench_retrieval's --json, one a space, and bench_search's BENCH_JSON",
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
            if not series:
                continue
            target = options["out"] / f"retrieval-{of}.svg"
            target.write_text(bars(f"{of}: evidence recall@10, %", series), encoding="utf-8")
            self.stdout.write(str(target.name))
        for each in found:
            if "scopes" in each:
                target = options["out"] / "retrieval-speed.svg"
                title = "A search by the memories in its scope: p50, ms"
                target.write_text(curves(title, _speeds(each["scopes"])), encoding="utf-8")
                self.stdout.write(str(target.name))


def _speeds(scopes: Sequence[dict[str, Any]]) -> dict[str, Points]:
    """A curve for each way to search; what was not measured is NaN, and left out."""
    ways = {
        "search, exact": ("exact", "p50"),
        "bare SQL, exact": ("exact", "bare"),
        "search, HNSW": ("alone", "p50"),
        "numpy scan": ("exact", "numpy"),
    }
    found = {
        name: [
            (float(each["rows"]), float(each[figure]))
            for each in scopes
            if each["path"] == path and not math.isnan(each[figure])
        ]
        for name, (path, figure) in ways.items()
    }
    return {name: points for name, points in found.items() if points}


def curves(title: str, series: dict[str, Points]) -> str:
    """Lines over two logarithmic axes that begin and end at powers of ten."""
    points = [point for line in series.values() for point in line]
    (x0, x1), (y0, y1) = (
        (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
        for values in zip(*points, strict=True)
    )

    def place(point: tuple[float, float]) -> tuple[float, float]:
        x, y = math.log10(point[0]), math.log10(point[1])
        return (
            70 + (x - x0) / max(1, x1 - x0) * (RIGHT - 70),
            BOTTOM - (y - y0) / max(1, y1 - y0) * (BOTTOM - TOP),
        )

    parts = _sheet(title, BOTTOM + 40)
    for power in range(x0, x1 + 1):
        x, _ = place((10**power, 10**y0))
        parts.append(f'<path d="M{x:.1f} {TOP}V{BOTTOM}" stroke="#dddddd"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">{10**power:,}</text>'
        )
    for power in range(y0, y1 + 1):
        _, y = place((10**x0, 10**power))
        parts.append(f'<path d="M70 {y:.1f}H{RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="62" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for number, (name, line) in enumerate(series.items()):
        colour = COLOURS[number % 4]
        at = [place(point) for point in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in at]
        x, y = at[-1]
        said = f"{name}: {line[-1][1]:.3g}"
        parts.append(f'<text x="{x + 9:.1f}" y="{y + 4:.1f}" fill="{colour}">{escape(said)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _sheet(title: str, height: int) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13" role="img" aria-label="{escape(title)}">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="10" y="20" font-size="15" font-weight="bold">{escape(title)}</text>',
    ]


def bars(title: str, series: dict[str, dict[str, float]]) -> str:
    """Horizontal bars from 0 to 100, grouped by system, one colour a series."""
    systems = list(dict.fromkeys(system for values in series.values() for system in values))
    height = TOP + len(systems) * (ROW * len(series) + 12) + 10
    scale = (WIDTH - LEFT - 60) / 100
    parts = _sheet(title, height)
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
