"""The floor of the offline space, through the product: what gets in, and what stays out.

`floor_cases.json` holds ten people's memories, questions about them that mostly use other words,
and messages that concern nobody. "Unrelated answered" should be small at every size of scope,
"related answered" as large as that allows; "right first" is the share of the related questions
whose best hit is one of the memories they are about.
"""

import json
from pathlib import Path

import pytest

from agents.models import Agent
from memory import providers, store
from memory.models import Memory, Reader
from memory.recall.query import prepare
from memory.recall.search import Hit, search
from tests.benchmarks.measuring import table
from tests.factories import World, make_agent, make_memory

pytestmark = [pytest.mark.bench, pytest.mark.django_db]

SPACE = "wordllama-256"
CASES = json.loads(Path(__file__).with_name("floor_cases.json").read_text(encoding="utf-8"))


def keep(agent: Agent, texts: list[str]) -> list[Memory]:
    vectors = providers.embedder_for(SPACE).embed(texts, timeout=60)
    return [
        make_memory(agent, None, text, key=f"/notes/{number}", vector=store.AtHand(SPACE, vector))
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


def ask(agent: Agent, message: str) -> list[Hit]:
    return search(
        Reader.for_chat(agent.pk, None), prepare(message, space=SPACE, timeout=5), limit=5
    )


def test_floor() -> None:
    rows = []
    world = World()
    with world.inside():
        scopes = [(make_agent(), [scope]) for scope in CASES["scopes"]]
        everybody = (make_agent(), CASES["scopes"])
        for name, chosen in (("6", scopes), ("60", [everybody])):
            related = first = answered = asked = unrelated = 0
            for agent, held in chosen:
                texts = [text for scope in held for text in scope["memories"]]
                kept = iter([memory.pk for memory in keep(agent, texts)])
                for scope in held:
                    numbers = [next(kept) for _ in scope["memories"]]
                    for question, about in scope["asked"]:
                        hits = ask(agent, question)
                        related += 1
                        answered += bool(hits)
                        wanted = {numbers[place] for place in about}
                        first += bool(hits) and hits[0].id in wanted
                for message in CASES["unrelated"]:
                    asked += 1
                    unrelated += bool(ask(agent, message))
            rows.append([name, unrelated / asked, answered / related, first / related])
    table(
        "The floor, offline",
        ["memories in scope", "unrelated answered", "related answered", "right first"],
        rows,
    )
