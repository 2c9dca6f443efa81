"""The search over messages: its scope, its legs, what stands around, its floor and its order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from django.db import connection

from agents.models import Agent, Message, Visitor
from memory.learning.capture import Said, conversation_of, prepare, write
from memory.models import MemoryVector
from memory.recall import messages
from memory.recall.messages import MessageHit, search_messages
from memory.recall.names import Names
from memory.recall.query import prepare as ask
from tests.factories import NOON, make_agent, make_visitor
from tests.memory.recall.conftest import Memories

pytestmark = pytest.mark.django_db

TALK = (
    "user: Good morning",
    "assistant: Hello, how was the weekend?",
    "user: We went to the harbour in Porto with the kids",
    "assistant: Nice! What did you eat there?",
    "user: Grilled sardines, every day",
    "assistant: Sounds lovely",
    "user: Do you know a good dentist?",
    "assistant: I can look one up",
    "user: The old one closed his practice in March",
    "user: My bicycle has a flat tyre",
    "assistant: The shop on Mill Lane repairs bicycles",
)


def say(
    world: Memories, *lines: str, agent: Agent | None = None, visitor: Visitor | None = None
) -> list[Message]:
    said = [
        Said(line.partition(": ")[0], line.partition(": ")[2], occurred_at=NOON) for line in lines
    ]
    ready = prepare(said, space=world.embedder.space, timeout=1)
    with world.inside():
        talk = conversation_of(
            agent_id=(agent or world.agent).pk,
            visitor_id=(visitor or world.visitor).pk,
            channel="chat",
        )
        return write(ready, conversation=talk).messages


def find(world: Memories, question: str, **fields: Any) -> list[MessageHit]:
    query = ask(question, space=world.embedder.space, timeout=1, names=fields.pop("names", Names()))
    with world.inside():
        return search_messages(
            fields.pop("agent", world.agent).pk,
            fields.pop("visitor", world.visitor).pk,
            query,
            **{"limit": 5, **fields},
        )


def texts(hits: Sequence[MessageHit]) -> list[str]:
    return [hit.text for hit in hits]


def test_the_message_that_says_it_comes_first_and_explains_itself(world: Memories) -> None:
    say(world, *TALK)
    hits = find(world, "Where is the bicycle shop?")
    assert hits[0].text == "The shop on Mill Lane repairs bicycles"
    assert hits[0].role == "assistant"
    assert {"d", "b", "b_around"} <= set(hits[0].because)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[0] <= 1


def test_an_answer_is_found_by_the_question_before_it(world: Memories) -> None:
    """The words of the query stand in the messages around, none in the answer."""
    say(world, *TALK)
    assert "Grilled sardines, every day" in texts(find(world, "What did they eat in Porto?"))[:3]


def test_who_is_named_is_who_said_it(world: Memories) -> None:
    say(world, "user: I love jazz concerts a lot", "assistant: I love jazz concerts a lot")
    names = Names(visitor="Mira", agent="Tutor")
    for question, role in [
        ("Does Mira love jazz?", "user"),
        ("Does Tutor love jazz?", "assistant"),
    ]:
        hits = find(world, question, names=names)
        assert hits[0].role == role
        assert hits[0].because["author"] > 0


def test_a_scope_sees_nothing_of_another(world: Memories) -> None:
    with world.inside():
        other, elsewhere = make_visitor(), make_agent()
    own = say(world, "user: my saffron rice")
    say(world, "user: saffron rice of somebody else", visitor=other)
    say(world, "user: saffron rice told to another agent", agent=elsewhere)
    assert [hit.id for hit in find(world, "saffron rice")] == [own[0].pk]
    before = find(world, "saffron rice")[0]
    for number in range(5):
        say(world, f"user: saffron number {number}", visitor=other)
    assert find(world, "saffron rice")[0] == before


@pytest.mark.parametrize(
    "question",
    ["velvet submarine parking lottery", "", "thanks!", "% & | ! :*", "\x00", "🍣", "to be or not"],
)
def test_what_nobody_spoke_of_finds_nothing(world: Memories, question: str) -> None:
    say(world, *TALK)
    assert find(world, question) == []


def test_nothing_said_nothing_found(world: Memories) -> None:
    assert find(world, "bicycle") == []


def test_a_message_without_its_vector_is_found_by_its_words(world: Memories) -> None:
    say(world, *TALK)
    with world.inside():
        MemoryVector.objects.all().delete()
    assert find(world, "bicycle shop on Mill Lane")[0].text.startswith("The shop on Mill Lane")


def test_a_long_message_is_one_hit(world: Memories) -> None:
    long = " ".join(f"saffron rice recipe number {number}." for number in range(400))
    message, *_ = say(world, f"user: {long}", "user: something else")
    hits = find(world, "saffron rice")
    assert [hit.id for hit in hits].count(message.pk) == 1


def test_ties_are_ordered_by_id_and_the_limit_cuts(world: Memories) -> None:
    said = [say(world, "user: saffron")[0].pk for _ in range(6)]
    assert [hit.id for hit in find(world, "saffron", limit=4)] == said[:4]
    assert find(world, "saffron", limit=0) == []
    assert find(world, "saffron", min_score=1.1) == []


def test_the_order_by_ranks_keeps_the_floor(world: Memories) -> None:
    say(world, *TALK)
    hits = find(world, "bicycle shop", fusion="rrf")
    assert "The shop on Mill Lane repairs bicycles" in texts(hits)[:2]
    assert 1.8 / 61 >= hits[0].score > hits[-1].score > 0
    assert find(world, "velvet submarine parking lottery", fusion="rrf") == []


def test_a_large_scope_answers_like_a_small_one(
    world: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where not every piece is weighed, the nearest and what is around them are."""
    for number in range(12):
        say(world, *(f"user: note {number} {place} about nothing" for place in range(6)))
    say(world, *TALK)
    questions = ["Where is the bicycle shop?", "Which dentist closed in March?"]
    whole = [find(world, question, limit=1) for question in questions]
    monkeypatch.setattr(messages, "WHOLE", 20)
    monkeypatch.setattr(messages, "NEAREST", 10)
    assert [texts(find(world, question, limit=1)) for question in questions] == [
        texts(hits) for hits in whole
    ]


def test_the_indexes_are_used_as_the_application(world: Memories) -> None:
    """Leakproof operators only: every statement finds its rows by an index under the policy."""
    say(world, *TALK)
    own = [world.agent.pk, world.visitor.pk]
    where = "agent_id = %s AND visitor_id = %s"
    literal = str(np.ones(64).tolist())
    asked: list[tuple[str, list[Any]]] = [
        (messages._ROWS.format(where=where, chosen=""), [*own, literal, world.embedder.space]),
        (messages._HELD.format(where=where), [*own, ["bicycl"]]),
        (messages._COUNTS, [["bicycl"], [1, 2, 3]]),
        (messages._BY_WORDS.format(where=where), [*own, ["bicycl"], 9, 9, 5]),
    ]
    with world.inside(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for sql, values in asked:
            cursor.execute("EXPLAIN " + sql, values)
            plan = "\n".join(row[0] for row in cursor.fetchall())
            assert "Seq Scan" not in plan
            conditions = [line for line in plan.splitlines() if "Index Cond" in line]
            assert conditions
            assert all("tenant_id = " in line or "message_id" in line for line in conditions), plan
