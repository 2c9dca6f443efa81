"""The offline conflict check on labelled pairs: what it finds, and what it raises falsely.

`conflict_pairs.json` holds pairs of agents' notes by kind: contradictions (both cannot be true
now) and what only looks like one. Within each kind the pairs alternate between two halves: the
1st, 3rd, … were there to build with, the 2nd, 4th, … are held out. A pair counts as raised when
its severity is high, since only high acts.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.conflicts import Candidate, Severity, check_offline
from memory.providers.offline import claims
from memory.providers.offline.notes import reading
from tests.benchmarks.measuring import p50, p95, table, times

pytestmark = [pytest.mark.bench, pytest.mark.django_db]  # the table says which server there is

PAIRS = json.loads(Path(__file__).with_name("conflict_pairs.json").read_text(encoding="utf-8"))
HALVES = ("built with", "held out")


def pairs(half: str) -> Iterator[tuple[bool, str, str, str]]:
    """(contradicts, kind, a, b) of one half."""
    for label in ("contradictions", "consistent"):
        for kind, found in PAIRS[label].items():
            for a, b in found[HALVES.index(half) :: 2]:
                yield label == "contradictions", kind, a, b


def test_precision_and_recall() -> None:
    rows: list[list[object]] = []
    for half in HALVES:
        kinds: dict[tuple[bool, str], list[Severity | None]] = {}
        for label, kind, a, b in pairs(half):
            kinds.setdefault((label, kind), []).append(severity(a, b))
        for (label, kind), found in kinds.items():
            high = found.count(Severity.HIGH)
            right = high if label else len(found) - high
            rows.append([half, _LABEL[label], kind, len(found), high, right / len(found)])
        raised = [(label, found.count(Severity.HIGH)) for (label, _), found in kinds.items()]
        hits = sum(high for label, high in raised if label)
        there = sum(len(found) for (label, _), found in kinds.items() if label)
        alarms = sum(high for label, high in raised if not label)
        rows.append([half, "all", f"precision {hits / (hits + alarms):.3f}", "", "", ""])
        rows.append([half, "all", f"recall {hits / there:.3f}", there, hits, hits / there])
    table(
        "Contradictions found offline",
        ["half", "label", "kind", "pairs", "raised as high", "right"],
        rows,
    )


def test_time() -> None:
    texts = [text for half in HALVES for _, _, a, b in pairs(half) for text in (a, b)]
    size = len(texts) - 11

    def fresh(number: int) -> None:
        read_anew()
        again(number)

    def again(number: int) -> None:
        start = number * 13 % size
        check_offline(
            texts[start], [Candidate(n, t) for n, t in enumerate(texts[start + 1 :][:10])]
        )

    rows = []
    for name, call in (("all texts new", fresh), ("texts read before", again)):
        taken = times(call, rounds=300)
        rows.append([name, p50(taken), p95(taken)])
    table("One text against ten, offline", ["", "p50 ms", "p95 ms"], rows)


def severity(a: str, b: str) -> Severity | None:
    found = check_offline(b, [Candidate(1, a)])
    return found[0].severity if found else None


def read_anew() -> None:
    claims.read.cache_clear()
    reading.read.cache_clear()


_LABEL = {True: "contradiction", False: "consistent"}
