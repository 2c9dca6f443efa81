"""What a distance means in each embedding space: figures kept as data, in calibrations.json.

A cosine of 0.3 is a near paraphrase in one space and noise in another. `far` is what text with
nothing in common may have, `near` what a clear answer reaches; between them most of the semantic
evidence lies. `semantic` and `keyword` say how far each leg is trusted as evidence; they add up
to 1.

Nothing below the floor is returned. Among many memories the best match of an unrelated message is
better by chance than among few, so the floor rises with the logarithm of their number. The best
has to reach it; beside it others may follow down to `tail` of the floor. The
offline space was fitted on cases of our own, which tests/benchmarks/bench_floor.py plays through;
the others are cautious guesses.

What passes the floor is ordered by a weighted sum: `memories` and `messages` hold the weights of
each (`memory.recall.fusion`, `memory.recall.message_features`). They were fitted by
tests/benchmarks/fit_retrieval.py, one conversation left out in turn.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("calibrations.json")


@dataclass(frozen=True)
class Calibration:
    far: float
    near: float
    semantic: float
    keyword: float
    floor: float
    growth: float
    tail: float
    memories: Mapping[str, float]
    messages: Mapping[str, float]


@cache
def _all() -> dict[str, Calibration]:
    return {
        space: Calibration(**figures)
        for space, figures in json.loads(_FILE.read_text(encoding="utf-8")).items()
    }


def calibration_of(space: str) -> Calibration:
    """The space's own figures, or the cautious ones of a space that nobody has measured."""
    return _all().get(space) or _all()[""]
