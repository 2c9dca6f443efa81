"""Times of a call, and tables that say on what machine and with what versions they were taken."""

import gc
import importlib.metadata
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence

from django.db import connection

PACKAGES = ("django", "psycopg", "pgvector", "numpy", "wordllama")


def times(call: Callable[[int], object], *, rounds: int, warm: int = 20) -> list[float]:
    """Milliseconds of `call(0)`, `call(1)`, … after `warm` calls that do not count."""
    for number in range(warm):
        call(number)
    gc.collect()
    taken = []
    for number in range(rounds):
        started = time.perf_counter()
        call(number)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def p50(taken: Sequence[float]) -> float:
    return statistics.median(taken)


def p95(taken: Sequence[float]) -> float:
    return statistics.quantiles(taken, n=20)[-1]


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print as Markdown, so that it can stand in docs/ as it is."""
    lines = [[_cell(cell) for cell in row] for row in rows]
    print(f"\n\n### {title}\n{machine()}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")


def machine() -> str:
    """The processor, cores, and the versions that matter."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        server = cursor.fetchone()[0]
    versions = [f"{name} {importlib.metadata.version(name)}" for name in PACKAGES]
    return ", ".join(
        [
            f"{_processor()}, {os.cpu_count()} cores",
            f"Python {platform.python_version()}",
            f"PostgreSQL {server}",
            *versions,
        ]
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _cell(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
