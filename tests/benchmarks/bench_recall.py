"""Recall in process, offline: what a turn pays, by how much the reader may see and how much not."""

import random
from collections import Counter

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from agents.models import Agent, Visitor
from memory import providers, store
from memory.models import Presence, Reader
from memory.recall import context
from tests.benchmarks.measuring import p50, p95, table, times
from tests.factories import World, make_agent, make_memory, make_visitor

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

SPACE = "wordllama-256"
ROUNDS = 300
STEPS = ("embed", "standing", "search", "format")
_WHO = ["user", "user's sister", "user's team", "user's manager", "user's neighbour", "customer"]
_DOES = ["likes", "cannot stand", "is planning", "asked twice about", "forgot", "wants to change"]
_WHAT = [
    "spicy food", "the pricing of the enterprise plan", "a trip to Portugal", "running at dawn",
    "the quarterly report", "jazz concerts", "peanuts", "the bicycle in the hallway", "loud music",
    "statistics", "a new passport", "the garden", "night shifts", "Rust and Python", "chess",
    "the washing machine", "old films", "invoices in euros", "window seats", "short answers",
]  # fmt: skip
_WHEN = [
    "on Mondays",
    "since March",
    "in the evening",
    "every summer",
    "when travelling",
    "at work",
]
ASKED = [
    "What should I cook tonight?", "Where could we travel in May?", "Write a short report",
    "Which plan do you recommend for our team of twelve?", "I am looking for a concert",
    "The invoice is wrong again, please check the euros", "book a window seat to Lisbon",
    "what do I do on Mondays?", "velvet submarine parking lottery", "my neighbour is loud",
]  # fmt: skip


def sentences(count: int, seed: int) -> list[str]:
    """Statements as a memory would hold them, most of them different."""
    dice = random.Random(seed)
    return [
        f"The {dice.choice(_WHO)} {dice.choice(_DOES)} {dice.choice(_WHAT)} "
        f"{dice.choice(_WHEN)}, see note {dice.randrange(10 * count)}."
        for _ in range(count)
    ]


def fill(agent: Agent, visitor: Visitor | None, count: int, seed: int) -> None:
    """One in twenty omnipresent, one in ten on a trigger, the rest searched for."""
    texts = sentences(count, seed)
    vectors = providers.embedder_for(SPACE).embed(texts, timeout=60)
    for number, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        presence = Presence.ON_DEMAND
        patterns: tuple[str, ...] = ()
        if number % 100 == 0:
            presence = Presence.OMNIPRESENT
        elif number % 10 == 1:
            presence, patterns = Presence.PATTERN, (f"note {number}", texts[number].split()[-4])
        make_memory(
            agent,
            visitor,
            text,
            presence=presence,
            trigger_patterns=patterns,
            vector=store.AtHand(SPACE, vector),
        )


def test_recall() -> None:
    world = World()
    with world.inside():
        agents = {size: make_agent() for size in (10, 200, 2_000)}
        for size, agent in agents.items():
            fill(agent, None, size, seed=size)
        others = [make_visitor() for _ in range(20)]
        for number, visitor in enumerate(others):
            fill(world.agent, visitor, 100, seed=number)
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum does
    rows = []
    for size, agent in [*agents.items(), (100, world.agent)]:
        person = others[0] if agent is world.agent else None
        reader = Reader.for_chat(agent.pk, person.pk if person else None)
        steps: Counter[str] = Counter()

        def turn(number: int, reader: Reader = reader, steps: Counter[str] = steps) -> None:
            query = context.prepare(ASKED[number % len(ASKED)], space=SPACE, timeout=5)
            with world.inside():
                recalled = context.recall(reader, query)
            assert recalled.failed is None
            steps.update(recalled.steps)

        taken = times(turn, rounds=ROUNDS)
        with CaptureQueriesContext(
            connection,
        ) as caught:
            turn(0)
        counted = [
            sql["sql"]
            for sql in caught
            if not sql["sql"].startswith(("BEGIN", "COMMIT")) and "set_config" not in sql["sql"]
        ]
        name = f"{size} of one person, beside 1,900 of others" if person else f"{size:,}"
        per = {step: value / (ROUNDS + 21) for step, value in steps.items()}
        rows.append([name, p50(taken), p95(taken), len(counted)] + [per[step] for step in STEPS])
    table(
        "Recall in process, offline (ms)",
        ["memories in scope", "p50", "p95", "statements", *STEPS],
        rows,
    )
