"""Bars as plain numbers for an inline SVG: no script, no style attribute, no outside host."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, GAP = 480.0, 96.0, 2.0


@dataclass(frozen=True)
class Bar:
    """One rectangle. `series` counts from 0 and chooses the colour."""

    x: float
    y: float
    width: float
    height: float
    series: int
    title: str


@dataclass(frozen=True)
class Bars:
    """A stacked bar chart, and the same as rows of a table for whoever does not see it."""

    bars: tuple[Bar, ...]
    marks: tuple[float, ...]  # x of the columns in which something failed
    names: tuple[str, ...]
    unit: str
    top: float  # the value at full height
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    width: float = WIDTH
    height: float = HEIGHT

    @property
    def is_empty(self) -> bool:
        return self.top == 0 and not self.marks


def bars(
    rows: Sequence[tuple[str, tuple[float, ...]]],
    *,
    names: tuple[str, ...],
    unit: str,
    marks: Sequence[bool] = (),
) -> Bars:
    """One column a row, its values stacked from the bottom, scaled to the highest column."""
    top = max((sum(values) for _, values in rows), default=0)
    slot = WIDTH / max(len(rows), 1)
    drawn = []
    for number, (label, values) in enumerate(rows):
        floor = HEIGHT
        for series, value in enumerate(values):
            if not value or not top:
                continue
            height = HEIGHT * value / top
            floor -= height
            title = f"{label}: {value:g} {names[series]}"
            drawn.append(
                Bar(
                    round(number * slot + GAP / 2, 2), round(floor, 2), round(slot - GAP, 2),
                    round(height, 2), series, title,
                )
            )  # fmt: skip
    failed = tuple(round((n + 0.5) * slot, 2) for n, mark in enumerate(marks) if mark)
    return Bars(tuple(drawn), failed, names, unit, top, tuple(rows))
