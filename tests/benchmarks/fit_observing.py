"""Fit the weights of the offline observer on annotated conversations, and say how they generalise.

    python -m tests.benchmarks.fit_observing FILE [--write]

Two logistic regressions: a message by its own shape and neighbours, then by its standing among
its writer's messages. The second one is trained on scores that the first gave to conversations it
had not seen. The figures printed are leave-one-conversation-out; --write fits on all of them.
"""

import os
import sys
from pathlib import Path

import django
import numpy as np
import numpy.typing as npt

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()  # before what reaches a model

from memory.learning import observing_bench as bench  # noqa: E402
from memory.providers.offline import core, salience  # noqa: E402
from memory.providers.offline.observe import LONG_MESSAGE  # noqa: E402
from memory.providers.offline.statements import tell  # noqa: E402

Array = npt.NDArray[np.float64]
TARGET = Path(__file__).parents[2] / "memory/providers/offline/weights.py"
RIDGE, RIDGE_STANDING = 100.0, 30.0


class Data:
    """All turns as rows, with the conversation, session and writer each belongs to."""

    def __init__(self, path: Path) -> None:
        rows: list[dict[str, float]] = []
        labels: list[bool] = []
        self.sessions: list[tuple[int, int, list[str]]] = []
        where: list[int] = []
        able: list[bool] = []
        sure: list[bool] = []
        for number, conversation in enumerate(bench.load(path)):
            pairs = list(bench.cases(conversation))
            for one, other in zip(pairs[::2], pairs[1::2], strict=True):
                turns = one.transcript.turns
                roles = [turn.role for turn in turns]
                self.sessions.append((len(rows), len(rows) + len(turns), list(roles)))
                shapes = [salience.shape(turn.text[:LONG_MESSAGE]) for turn in turns]
                rows += salience.features(shapes, roles)
                for turn in turns:
                    told = tell(turn.text, "The user")
                    able.append(bool(told))
                    sure.append(any(core.is_core(t) for t in told))
                    labels.append(turn.number in one.annotated | other.annotated)
                where += [number] * len(turns)
        self.names = list(rows[0])
        self.x = np.array([[row[name] for name in self.names] for row in rows])
        self.y = np.array(labels, float)
        self.where = np.array(where)
        self.able, self.sure = np.array(able), np.array(sure)

    def standing(self, scores: Array) -> tuple[list[str], Array]:
        rows = [
            row
            for start, end, roles in self.sessions
            for row in salience.standing([float(s) for s in scores[start:end]], roles)
        ]
        names = list(rows[0])
        return names, np.array([[row[name] for name in names] for row in rows])


def logistic(x: Array, y: Array, ridge: float) -> tuple[Array, float]:
    """Weights on the raw features and a bias; the penalty is on standardised features."""
    mean, deviation = x.mean(0), x.std(0) + 1e-9
    z = np.c_[(x - mean) / deviation, np.ones(len(x))]
    penalty = np.eye(z.shape[1]) * ridge
    penalty[-1, -1] = 1e-6
    w = np.zeros(z.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-z @ w))
        w -= np.linalg.solve(
            (z * (p * (1 - p))[:, None]).T @ z + penalty, z.T @ (p - y) + penalty @ w
        )
    weights = w[:-1] / deviation
    return weights, float(w[-1] - weights @ mean)


def f1(chosen: Array, y: Array) -> float:
    return float(2 * (chosen * y).sum() / (chosen.sum() + y.sum()))


def best_cut(scores: Array, data: Data, where: Array) -> float:
    cuts = np.quantile(scores[where], np.linspace(0.15, 0.85, 141))
    values = [
        f1(
            ((scores[where] > cut) & data.able[where] | data.sure[where]).astype(float),
            data.y[where],
        )
        for cut in cuts
    ]
    smooth = np.convolve(np.pad(values, 4, mode="edge"), np.ones(9) / 9, "valid")
    return float(cuts[int(np.argmax(smooth))])


Model = tuple[Array, float, list[str], Array, float]


def fit(data: Data, train: Array) -> Model:
    groups = np.unique(data.where[train])
    scores = np.zeros(len(data.y))
    w, bias = logistic(data.x[train], data.y[train], RIDGE)
    for group in groups:  # scores the first model gives to what it has not seen
        held = data.where == group
        part_w, part_bias = logistic(data.x[train & ~held], data.y[train & ~held], RIDGE)
        scores[held] = data.x[held] @ part_w + part_bias
    names, rows = data.standing(scores)
    second, second_bias = logistic(rows[train], data.y[train], RIDGE_STANDING)
    cut = best_cut(rows @ second + second_bias, data, train)
    return w, bias, names, second, second_bias - cut


def predict(data: Data, model: Model) -> Array:
    w, bias, _, second, second_bias = model
    _, rows = data.standing(data.x @ w + bias)
    scores = rows @ second + second_bias
    chosen: Array = np.where((scores > 0) & data.able | data.sure, 1.0, 0.0)
    return chosen


def main(path: Path, write: bool) -> None:
    data = Data(path)
    total = bench.Score()
    for group in np.unique(data.where):
        held = data.where == group
        chosen = predict(data, fit(data, ~held))[held]
        y = data.y[held]
        part = bench.Score(int((chosen * y).sum()), int(chosen.sum()), int(y.sum()))
        total += part
        sys.stdout.write(
            f"{group + 1}: P {part.precision:.3f} R {part.recall:.3f} F1 {part.f1:.3f}\n"
        )
    sys.stdout.write(f"all: P {total.precision:.3f} R {total.recall:.3f} F1 {total.f1:.3f}\n")
    if not write:
        return
    w, bias, names, second, second_bias = fit(data, np.ones(len(data.y), bool))

    def dictionary(keys: list[str], values: Array) -> str:
        return "".join(f'    "{k}": {v:.4f},\n' for k, v in zip(keys, values, strict=True))

    TARGET.write_text(
        '"""Weights of the observer, written by `tests/benchmarks/fit_observing.py`."""\n\n'
        f"MESSAGE_BIAS = {bias:.4f}\n"
        f"MESSAGE: dict[str, float] = {{\n{dictionary(data.names, w)}}}\n\n"
        f"STANDING_BIAS = {second_bias:.4f}\nSTANDING: dict[str, float] = {{\n"
        f"{dictionary(names, second)}}}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--write" in sys.argv)
