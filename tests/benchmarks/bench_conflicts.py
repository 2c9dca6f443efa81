"""The offline conflict check on labelled pairs: what it finds, and what it raises falsely.

`conflict_pairs.json` holds pairs of agents' notes by kind: contradictions (both cannot be true
now) and what only looks like one. Within each kind the pairs alternate between two halves: the
1st, 3rd, … were there to build with, the 2nd, 4th, … are held out. A pair counts as raised when
its severity is high, since only high acts.
"""

import json
from collections.abc import Iterator
from pathlib import Path

PAIRS = json.loads(Path(__file__).with_name("conflict_pairs.json").read_text(encoding="utf-8"))
HALVES = ("built with", "held out")


def pairs(half: str) -> Iterator[tuple[bool, str, str, str]]:
    """(contradicts, kind, a, b) of one half."""
    for label in ("contradictions", "consistent"):
        for kind, found in PAIRS[label].items():
            for a, b in found[HALVES.index(half) :: 2]:
                yield label == "contradictions", kind, a, b
