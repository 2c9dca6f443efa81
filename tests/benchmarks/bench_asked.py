"""Everyday questions whose words are not those of the fact: are they found, and found first?

Facts are said, observed and placed by the offline provider, then searched as a chat would, offline
throughout. The facts of one person stand in one scope; a question counts as answered when its
fact is among the five hits.
"""

import pytest

from agents.models import Agent
from memory import providers, store
from memory.models import Reader
from memory.providers.offline import OfflineLanguage
from memory.providers.types import Question
from memory.recall.query import prepare
from memory.recall.search import search
from tests.benchmarks.measuring import table
from tests.factories import World, make_agent, make_memory
from tests.memory.providers.offline.asked import ASKED, FRESH
from tests.memory.providers.offline.helpers import NOON, said

pytestmark = [pytest.mark.bench, pytest.mark.django_db]

SPACE = "wordllama-256"


def keep(agent: Agent, facts: list[str]) -> dict[int, str]:
    """What each fact became, by the memory's id."""
    kept = {}
    taken: list[str] = []
    vectors = providers.embedder_for(SPACE)
    for fact in facts:
        for statement in said(fact):
            question = Question(statement, fact, NOON, wide=False)
            (proposal,) = OfflineLanguage().reconcile(question, timeout=5).proposals
            draft = proposal.draft
            key = draft.key or ""
            while key in taken:
                key += "-2"
            taken.append(key)
            vector = vectors.embed([statement], timeout=60)[0]
            memory = make_memory(
                agent,
                None,
                statement,
                key=key,
                description=draft.description or "",
                vector=store.AtHand(SPACE, vector),
            )
            kept[memory.pk] = fact
    return kept


def test_asked() -> None:
    rows, missed = [], []
    with World().inside():
        for name, pairs in (("known", ASKED), ("fresh", FRESH)):
            agent = make_agent()
            kept = keep(agent, list(dict.fromkeys(fact for fact, _ in pairs)))
            found = first = 0
            for fact, question in pairs:
                query = prepare(question, space=SPACE, timeout=5)
                hits = search(Reader.for_chat(agent.pk, None), query, limit=5)
                about = [kept[hit.id] for hit in hits]
                found += fact in about
                first += about[:1] == [fact]
                if fact not in about:
                    missed.append(question)
            number = len(pairs)
            rows.append([name, len(set(kept.values())), number, found / number, first / number])
    table(
        "Asked in other words, offline",
        ["pairs", "facts", "questions", "found", "found first"],
        rows,
    )
    print(*missed, sep="\n")
