"""What programs and visitors wait for: capture in batches, and memory before a first token."""

import json
import random
import time
from typing import Any

import psutil
import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents import chat
from agents.chat import Asked, turn
from agents.models import Agent
from memory.providers.door import using
from memory.providers.types import ChatMessage
from tests.benchmarks.bench_recall import ASKED, fill
from tests.benchmarks.measuring import p50, p95, table, times
from tests.factories import World, make_key
from tests.fakes import ScriptedLanguage

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

BATCH = 100
BATCHES = 30
TURNS = 200
_WORDS = (
    "I moved to Porto last spring and my sister likes tea more than coffee because the office "
    "there closes early so please send invoices in euros before Friday when we travel with the "
    "children to a small house near the sea where nobody plays loud music after ten at night"
).split()


def processor() -> tuple[float, float]:
    """Seconds of processor time so far, ours and that of our connection's Postgres process.

    Unlike the time that passed, these hardly depend on what else the machine is doing.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = psutil.Process(cursor.fetchone()[0]).cpu_times()
    return time.process_time(), server.user + server.system


def processor_since(before: tuple[float, float], rounds: int) -> tuple[float, float]:
    """Milliseconds a round of the same two."""
    ours, theirs = (now - then for now, then in zip(processor(), before, strict=True))
    return ours / rounds * 1000, theirs / rounds * 1000


def sentence(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(_WORDS, k=words)).capitalize() + "."


def batch(number: int, *, words: int) -> str:
    dice = random.Random(number)
    messages = [
        {
            "id": f"{number}-{each}",
            "role": ("user", "assistant")[each % 2],
            "content": sentence(dice, words),
            "occurred_at": "2026-03-03T23:30:00-08:00",
        }
        for each in range(BATCH)
    ]
    return json.dumps(
        {"visitor": f"user {number}", "conversation": f"c {number}", "messages": messages}
    )


def test_capture_through_the_api() -> None:
    world = World()
    with world.inside():
        key = make_key()
    client = Client(headers={"Authorization": f"Bearer {key}"})
    path = f"/api/agents/{world.agent.slug}/capture"
    rows, numbers = [], iter(range(10**6))
    for words in (8, 16, 32):
        bodies = [batch(next(numbers), words=words) for _ in range(BATCHES + 3)]

        def send(number: int) -> Any:
            answer = client.post(path, bodies[number], "application/json")  # noqa: B023
            assert answer.json()["accepted"] == BATCH
            return answer

        for number in range(3):
            send(number)
        before = processor()
        taken = times(lambda number: send(number + 3), rounds=BATCHES, warm=0)
        ours, theirs = processor_since(before, BATCHES)
        rate = 1000 * BATCH / p50(taken)
        rows.append((words, p50(taken), p95(taken), ours, theirs, round(rate)))
    table(
        f"Capture through the API, batches of {BATCH}, vectors included",
        (
            "words a message",
            "batch p50 ms",
            "batch p95 ms",
            "our CPU ms",
            "its CPU ms",
            "messages/s",
        ),
        rows,
    )


def test_what_a_turn_pays_before_its_first_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "let_go", lambda: None)  # as with the pool of a web process
    rows = []
    for memories in (0, 200, 2_000):
        world = World()
        with world.inside():
            fill(world.agent, None, memories, seed=memories)
            agent = Agent.objects.select_related("tenant").get(pk=world.agent.pk)
        with connections["owner"].cursor() as cursor:
            cursor.execute("ANALYZE")  # as autovacuum does
        opened = list[Any]()

        def ask(number: int) -> None:
            messages = [ChatMessage("user", ASKED[number % len(ASKED)])]
            who = {"host_id": f"visitor {number % 20}"}
            asked = Asked(agent, who, messages, "chat")  # noqa: B023
            reply = turn(asked)
            next(reply)
            opened.append(reply)  # noqa: B023

        with using(language=ScriptedLanguage(*["Yes."] * (TURNS + 50))):
            connection.ensure_connection()
            before = processor()
            taken = times(ask, rounds=TURNS, warm=0)
            ours, theirs = processor_since(before, TURNS)
            with CaptureQueriesContext(connection) as queries:
                ask(0)
            for reply in opened:
                reply.close()
        rows.append((memories, p50(taken), p95(taken), ours, theirs, len(queries)))
    table(
        "Memory before a turn's first token: recall and capture, commit included",
        ("memories of the agent", "p50 ms", "p95 ms", "our CPU ms", "its CPU ms", "statements"),
        rows,
    )
