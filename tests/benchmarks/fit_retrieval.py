"""Fit the weights of an embedding space, and say how well they do where they were not fitted.

    python -m tests.benchmarks.fit_retrieval FILE

FILE is what `bench_retrieval` takes. Rows come through the product; a listwise softmax over the
rows of each question is fitted on all conversations but one and measured on that one, in turn.
What is printed last are the weights fitted on all of them, as calibrations.json holds them.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
DECAY = 1e-3
ROUNDS = 400


class Case:
    """One question: its rows' features, which rows answer it, and what the floor says of them."""

    def __init__(self, columns: Numbers, wanted: Sequence[int], evidence: Numbers, floor: float):
        self.columns, self.wanted, self.evidence, self.floor = columns, wanted, evidence, floor

    def ranks(self, weights: Numbers, tail: float) -> list[float]:
        order = self.columns @ weights
        if self.evidence.max(initial=0.0) < self.floor:
            return [np.inf for _ in self.wanted]
        order = np.where(self.evidence >= tail * self.floor, order, -np.inf)
        place = np.empty(len(order))
        place[np.argsort(-order, kind="stable")] = np.arange(1, len(order) + 1)
        return [float(place[row]) if np.isfinite(order[row]) else np.inf for row in self.wanted]


def fitted(cases: Sequence[Case], start: Numbers) -> Numbers:
    """Adam on the mean loss: plain, and quick enough for a few thousand rows a question."""
    weights, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, ROUNDS + 1):
        slope = 2 * DECAY * weights
        for case in cases:
            order = case.columns @ weights
            odds = np.exp(order - order.max())
            odds /= odds.sum()
            answer = case.columns[case.wanted].mean(axis=0)
            slope += (case.columns.T @ odds - answer) / len(cases)
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        rate = 0.3 * min(1.0, 4 * (1 - step / ROUNDS))
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights


def left_out(
    groups: Sequence[Sequence[Case]], start: Numbers, tail: float
) -> tuple[list[list[float]], list[list[list[float]]]]:
    """The ranks of every question under weights that never saw its conversation."""
    every, each = [], []
    for place, group in enumerate(groups):
        rest = [case for other, cases in enumerate(groups) if other != place for case in cases]
        weights = fitted(rest, start)
        ranks = [case.ranks(weights, tail) for case in group]
        every += ranks
        each.append(ranks)
    return every, each


def report(
    title: str, groups: Sequence[Sequence[Case]], names: Sequence[str], tail: float
) -> dict[str, float]:
    from memory.learning.retrieval_bench import measured

    start = np.ones(len(names))
    every, each = left_out(groups, start, tail)
    figures = measured(every)
    per = ", ".join(f"{measured(ranks)['R@10']}" for ranks in each)
    print(f"{title}: {figures}, R@10 each: {per}", flush=True)
    weights = fitted([case for group in groups for case in group], start)
    return dict(zip(names, [round(float(weight), 2) for weight in weights], strict=True))


def gathered(path: Path) -> tuple[str, dict[str, list[list[Case]]]]:
    """The cases by what is searched: messages and memories, with and without the participant."""
    from memory.learning import retrieval_bench as bench
    from memory.providers import default_space

    space = default_space()
    found: dict[str, list[list[Case]]] = {"messages": [], "memories": []}
    with bench.scratch_tenant() as caller:
        for told in bench.load(path):
            rows = bench.fill(caller, told, space)
            found["messages"].append(list(_each(rows, space, caller.tenant_id, _messages)))
            found["memories"].append(list(_each(rows, space, caller.tenant_id, _memories)))
            print(".", end="", flush=True)
    return space, found


def _each(rows: Any, space: str, tenant_id: int, case: Callable[..., Case | None]) -> Any:
    from memory.recall.query import prepare
    from tenants.context import within

    for asked in rows.questions:
        query = prepare(asked.text, space=space, timeout=60, names=rows.names)
        with within(tenant_id):
            made = case(rows, asked, query)
        if made is not None:
            yield made


def _messages(rows: Any, asked: Any, query: Any) -> Case | None:
    from memory.recall.calibration import calibration_of
    from memory.recall.message_features import around, features
    from memory.recall.messages import evidence_of, gather

    said, scope = gather(rows.agent_id, rows.visitor_id, query)
    figures = calibration_of(query.space)
    columns = features(said, scope, query.time, query.side)
    wanted = [place for place, pk in enumerate(said.message.tolist()) if pk in asked.messages]
    evidence = around(evidence_of(said, scope, figures), said)
    return Case(columns, wanted, evidence, figures.floor + figures.growth * np.log(scope.n + 3))


MEMORY_FEATURES = ("semantic", "keyword", "about", "told", "date")


def _memories(rows: Any, asked: Any, query: Any) -> Case | None:
    from django.db import connection

    from memory.models import Reader
    from memory.recall.calibration import calibration_of
    from memory.recall.fusion import best_of
    from memory.recall.sight import visible

    if not asked.memories:
        return None
    seen = visible(Reader.for_chat(rows.agent_id, rows.visitor_id), None)
    best, values = best_of(seen, query, limit=10_000, floored=False)
    with connection.cursor() as cursor:
        cursor.execute(best + _ROWS, values)
        found = np.array(cursor.fetchall(), float)
    pks, evidence, legs, extra = found[:, 0], found[:, 1], found[:, 2:4], found[:, 4:]
    figures = calibration_of(query.space)
    return Case(
        np.concatenate([legs, extra * evidence.max()], axis=1),
        [place for place, pk in enumerate(pks.tolist()) if int(pk) in asked.memories],
        evidence,
        figures.floor + figures.growth * np.log(len(found) + 3),
    )


_ROWS = """
SELECT id, evidence, coalesce(meaning, 0), coalesce(share, 0), about::int, coalesce(told, 0), dated
FROM placed ORDER BY id
"""


def main(path: Path) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from memory.recall.message_features import FEATURES

    space, found = gathered(path)
    print(f"\n{space}, leaving out one conversation in turn")
    weights: dict[str, Any] = {}
    for tail in (0.0, 0.4, 0.5, 0.6, 0.7, 1.0):
        weights["messages"] = report(
            f"messages, participant, {tail}", found["messages"], FEATURES, tail
        )
        weights["memories"] = report(
            f"memories, participant, {tail}", found["memories"], MEMORY_FEATURES, tail
        )
    nobody = {
        "messages": (FEATURES, FEATURES.index("author")),
        "memories": (MEMORY_FEATURES, MEMORY_FEATURES.index("about")),
    }
    for of, (names, column) in nobody.items():
        for group in found[of]:
            for case in group:
                case.columns[:, column] = 0.0
        report(f"{of}, nobody named", found[of], names, 0.5)
    print(json.dumps(weights, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
