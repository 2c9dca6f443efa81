"""What programs and visitors wait for: capture in batches, and memory before a first token."""

import json
import random
import time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents import chat
from agents.chat import Asked, turn
from agents.models import Agent
from memory import providers, store
from memory.providers.door import using
from memory.providers.types import ChatMessage
from tests.benchmarks.measuring import p50, p95, table, times
from tests.factories import World, make_key, make_memory
from tests.fakes import ScriptedLanguage

pytestmark = [pytest.mark.bench, pytest.mark.django_db(transaction=True)]

SPACE = "wordllama-256"
BATCH = 100
BATCHES = 30
TURNS = 200
_WORDS = (
    "I moved to Porto last spring and my sister likes tea more than coffee because the office "
    "there closes early so please send invoices in euros before Friday when we travel with the "
    "children to a small house near the sea where nobody plays loud music after ten at night"
).split()


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
        ours = time.process_time()
        taken = times(lambda number: send(number + 3), rounds=BATCHES, warm=0)
        ours = (time.process_time() - ours) / BATCHES * 1000
        rate = 1000 * BATCH / p50(taken)
        rows.append((words, p50(taken), p95(taken), ours, round(rate)))
    table(
        f"Capture through the API, batches of {BATCH}, vectors included",
        ("words a message", "batch p50 ms", "batch p95 ms", "our processor ms", "messages/s"),
        rows,
    )


def test_what_a_turn_pays_before_its_first_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "let_go", lambda: None)  # as with the pool of a web process
    rows = []
    for memories in (0, 200, 2_000):
        world = World()
        with world.inside():
            texts = [sentence(random.Random(n), 12) for n in range(memories)]
            vectors: Any = providers.embedder_for(SPACE).embed(texts, timeout=60) if texts else []
            for text, vector in zip(texts, vectors, strict=True):
                make_memory(world.agent, None, text, vector=store.AtHand(SPACE, vector))
            agent = Agent.objects.select_related("tenant").get(pk=world.agent.pk)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        dice, opened = random.Random(7), list[Any]()

        def ask(number: int) -> None:
            messages = [ChatMessage("user", sentence(dice, 10))]  # noqa: B023
            who = {"host_id": f"visitor {number % 20}"}
            asked = Asked(agent, who, messages, "chat")  # noqa: B023
            reply = turn(asked)
            next(reply)
            opened.append(reply)  # noqa: B023

        with using(language=ScriptedLanguage(*["Yes."] * (TURNS + 50))):
            connection.ensure_connection()
            ours = time.process_time()
            taken = times(ask, rounds=TURNS, warm=0)
            ours = (time.process_time() - ours) / TURNS * 1000
            with CaptureQueriesContext(connection) as queries:
                ask(0)
            for reply in opened:
                reply.close()
        rows.append((memories, p50(taken), p95(taken), ours, len(queries)))
    table(
        "Memory before a turn's first token: recall and capture, commit included",
        ("memories of the agent", "p50 ms", "p95 ms", "our processor ms", "statements"),
        rows,
    )
