"""The whole search beside the bare SQL of its legs and a scan in memory, by scope and by corpus.

`SCOPES` and `CORPUS` may be cut by BENCH_MOST (rows of the largest), for a quick look. Interleaved:
every round asks every way once, so that a busy moment is everybody's; the largest is asked alone,
too, since the bare SQL beside it reads half of the machine's caches full. With BENCH_JSON=FILE the
figures are written there.
"""

import json
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection, connections

from memory.models import Reader
from memory.recall import vector_index, wide
from memory.recall.query import Query, as_literal, prepare
from memory.recall.search import search
from tests.benchmarks import corpus
from tests.benchmarks.measuring import machine, p50, p95, table
from tests.factories import World, make_agent

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

MOST = int(os.environ.get("BENCH_MOST", "200000"))
SCOPES = [size for size in (10, 100, 1_000, 20_000, 200_000) if size <= MOST]
ROUNDS = 40
ASKED = [
    "Which dentist does the sister prefer?", "bicycle trip to Portugal in summer",
    "Does the customer want a window seat?", "jazz concert with the neighbour",
    "the washing machine and the report", "peanuts and bread for the team", "garden on Monday",
    "ticket for the train to the hotel",
]  # fmt: skip


def test_search_by_scope_and_corpus() -> None:
    world = World()
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
    corpus.prepare()
    figures: dict[str, Any] = {"machine": machine(), "scopes": [], "corpus": []}
    agents: dict[int, int] = {}
    with world.inside():
        for size in SCOPES:
            agents[size] = make_agent().pk
    small = [size for size in SCOPES if size <= 1_000]
    for size in small:
        corpus.fill(world.tenant.pk, agents[size], size)
    _analyze()
    before = {size: _timed(world, agents[size]) for size in small}
    for size in SCOPES:
        if size not in small:
            corpus.fill(world.tenant.pk, agents[size], size)
    _analyze()
    rows = []
    for size in SCOPES:
        rows += _scope_rows(world, agents[size], size, "exact")
        figures["scopes"].append({"rows": size, "path": "exact", **_cells(rows[-1])})
    if SCOPES[-1] > wide.EXACT:
        exact = _answers(world, agents[SCOPES[-1]])
        call_command("index_vectors", verbosity=0)
        vector_index.forget()
        rows += _scope_rows(world, agents[SCOPES[-1]], SCOPES[-1], "HNSW")
        figures["scopes"].append({"rows": SCOPES[-1], "path": "HNSW", **_cells(rows[-1])})
        alone = _timed(world, agents[SCOPES[-1]])
        rows.append([SCOPES[-1], "HNSW, alone", p50(alone), p95(alone), *[float("nan")] * 3])
        figures["scopes"].append({"rows": SCOPES[-1], "path": "alone", **_cells(rows[-1])})
        found = _answers(world, agents[SCOPES[-1]])
        same = [len(set(a) & set(b)) / max(1, len(a)) for a, b in zip(exact, found, strict=True)]
        figures["same as exact"] = statistics.mean(same)
        print(f"\nOf the exact ten nearest by meaning the index finds {statistics.mean(same):.3f}")
    table("Search by scope (ms)", HEAD, rows)
    beside = [
        [size, 1_110, p50(before[size]), sum(SCOPES), p50(taken), p50(taken) / p50(before[size])]
        for size in small
        for taken in [_timed(world, agents[size])]
    ]
    figures["corpus"] = beside
    table("The same scope in a larger corpus (p50, ms)",
          ["rows in scope", "corpus", "p50", "corpus", "p50", "ratio"], beside)  # fmt: skip
    if os.environ.get("BENCH_JSON"):
        Path(os.environ["BENCH_JSON"]).write_text(json.dumps(figures, indent=2), encoding="utf-8")


HEAD = ["rows in scope", "path", "search p50", "p95", "bare SQL p50", "ratio", "numpy p50"]


def _cells(row: list[Any]) -> dict[str, Any]:
    return dict(zip(("p50", "p95", "bare", "ratio", "numpy"), row[2:], strict=True))


def _scope_rows(world: World, agent_id: int, size: int, path: str) -> list[list[Any]]:
    reader = Reader.for_chat(agent_id, None)
    with world.inside(), connection.cursor() as cursor:
        cursor.execute("SELECT id FROM memory_memory WHERE agent_id = %s ORDER BY id", [agent_id])
        ids = [row[0] for row in cursor.fetchall()]
    matrix = corpus.vectors_of(ids) if size <= 20_000 else np.zeros((1, 256), np.float32)
    queries = [prepare(text, space=corpus.SPACE, timeout=5) for text in ASKED]

    def whole(number: int) -> None:
        query = prepare(ASKED[number % len(ASKED)], space=corpus.SPACE, timeout=5)
        with world.inside():
            search(reader, query, limit=10)

    def bare(number: int) -> None:
        query = queries[number % len(queries)]
        with world.inside(), connection.cursor() as cursor:
            _bare(cursor, agent_id, query, path)

    def scan(number: int) -> None:
        vector = queries[number % len(queries)].vector
        assert vector is not None
        np.argsort(-(matrix @ vector))[:10]

    rounds = ROUNDS if size <= 20_000 else 16
    taken = _interleaved([whole, bare, scan], rounds)
    numpy = p50(taken[2]) if size <= 20_000 else float("nan")
    return [[size, path, p50(taken[0]), p95(taken[0]), p50(taken[1]),
             p50(taken[0]) / p50(taken[1]), numpy]]  # fmt: skip


def _bare(cursor: Any, agent_id: int, query: Query, path: str) -> None:
    """The two legs as anybody would write them: no fusion, no floor, nothing explained."""
    vector = as_literal(query.vector) if query.vector is not None else ""
    if path == "HNSW":
        index = vector_index.VectorIndex(corpus.SPACE, "memory")
        cursor.execute("SET LOCAL enable_sort = off; SET LOCAL hnsw.iterative_scan = relaxed_order")
        cursor.execute(
            f"SELECT v.memory_id FROM memory_memoryvector v WHERE v.space = %s "
            f"AND v.memory_id IS NOT NULL ORDER BY v.vector::{index.type} <=> %s::{index.type} "
            "LIMIT 10",
            [corpus.SPACE, vector],
        )
        cursor.fetchall()
        cursor.execute("SET LOCAL enable_sort = on")
    else:
        cursor.execute(
            "SELECT v.memory_id FROM memory_memoryvector v JOIN memory_memory m "
            "ON m.id = v.memory_id WHERE m.agent_id = %s AND v.space = %s "
            "ORDER BY v.vector <=> %s::vector LIMIT 10",
            [agent_id, corpus.SPACE, vector],
        )
        cursor.fetchall()
    cursor.execute(
        "SELECT p.memory_id, sum(p.count / (p.count + 0.9)) FROM memory_posting p "
        "JOIN memory_memory m ON m.id = p.memory_id WHERE m.agent_id = %s AND p.term = ANY(%s) "
        "GROUP BY 1 ORDER BY 2 DESC LIMIT 10",
        [agent_id, list(query.terms)],
    )
    cursor.fetchall()


def _answers(world: World, agent_id: int) -> list[list[int]]:
    """Ids of the ten nearest by meaning alone, for each question."""
    answers, dice, words = [], random.Random(3), corpus.vocabulary()
    drawn = [
        " ".join(words[min(int(len(words) ** dice.random()), len(words) - 1)] for _ in range(6))
        for _ in range(32)
    ]
    for text in [*ASKED, *drawn]:
        asked = prepare(text, space=corpus.SPACE, timeout=5)
        query = Query(text, corpus.SPACE, vector=asked.vector)
        for _ in range(2):  # the first search of a scope sees how large it is
            with world.inside():
                hits = search(Reader.for_chat(agent_id, None), query, limit=10, floored=False)
        answers.append([hit.id for hit in hits])
    return answers


def _timed(world: World, agent_id: int) -> list[float]:
    def whole(number: int) -> None:
        query = prepare(ASKED[number % len(ASKED)], space=corpus.SPACE, timeout=5)
        with world.inside():
            search(Reader.for_chat(agent_id, None), query, limit=10)

    return _interleaved([whole], ROUNDS)[0]


def _interleaved(calls: list[Callable[[int], None]], rounds: int) -> list[list[float]]:
    taken: list[list[float]] = [[] for _ in calls]
    for number in range(-8, rounds):
        for place, call in enumerate(calls):
            started = time.perf_counter()
            call(number)
            if number >= 0:
                taken[place].append((time.perf_counter() - started) * 1000)
    return taken


def _analyze() -> None:
    with connections["owner"].cursor() as cursor:
        for name in ("memory_memory", "memory_memoryvector", "memory_posting"):
            cursor.execute(f"VACUUM ANALYZE {name}")
