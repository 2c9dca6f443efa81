"""Injection of contract 2: knowledge reaches everyone, what is personal reaches one person."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Agent, Visitor
from memory import store
from memory.models import Category, Draft, Memory, Reader
from memory.providers import using
from memory.recall.context import Recalled, prepare, recall
from memory.store import AtHand, New
from tenants.actor import Actor
from tests.factories import World, make_agent, make_visitor
from tests.fakes import StubEmbedder

pytestmark = pytest.mark.django_db
EMBEDDER = StubEmbedder()


@pytest.fixture
def world() -> Iterator[World]:
    with using(embedder=EMBEDDER):
        yield World()


def keep(
    world: World,
    content: str,
    *,
    agent: Agent | None = None,
    of: Visitor | None = None,
    category: str | None = None,
) -> Memory:
    """Knowledge without `of`; with it a memory of the person, the agent's or everyone's."""
    if of is None:
        kind, draft = Memory.Kind.KNOWLEDGE, Draft(content=content)
    elif agent is None:
        kind, draft = Memory.Kind.PERSON, Draft(content=content, label="general")
    else:
        kind, draft = Memory.Kind.PERSON, Draft(content=content, category=category)
    vector = AtHand(EMBEDDER.space, EMBEDDER.embed([content], timeout=1)[0])
    with world.inside():
        if agent is not None:
            Category.objects.of(agent.pk)
        (memory,) = store.add_many(
            [
                New(
                    kind, draft, agent.pk if agent else None, of.pk if of else None, vector,
                )
            ],
            tenant_id=world.tenant.pk,
            by=Actor.user(world.admin.user_id or 0),
        )  # fmt: skip
    return memory


def ask(world: World, message: str, visitor: Visitor | None = None, **kw: Any) -> Recalled:
    query = prepare(message, space=EMBEDDER.space, timeout=1)
    with world.inside():
        return recall(
            Reader.for_chat(kw.get("agent", world.agent).pk, visitor.pk if visitor else None), query
        )


def test_the_sections_of_the_contract(world: World) -> None:
    keep(world, "Our refund window is 30 days", agent=world.agent)
    keep(world, "The user is a recursion engineer", of=world.visitor)
    keep(
        world, "The user struggled with understanding recursion", agent=world.agent,
        of=world.visitor, category="knowledge_gaps",
    )  # fmt: skip
    recalled = ask(world, "engineer struggled understanding recursion", world.visitor)
    assert recalled.block == (
        "## Agent Knowledge\n- Our refund window is 30 days\n\n"
        "## User Information\n- The user is a recursion engineer\n\n"
        "## Relevant Context from Previous Conversations\n"
        "- [Knowledge Gaps] The user struggled with understanding recursion"
    )
    assert {m.reason for m in recalled.memories} == {"knowledge", "searched"}


def test_knowledge_reaches_everyone_and_what_is_personal_one_person(world: World) -> None:
    with world.inside():
        stranger, other_agent = make_visitor(), make_agent()
    keep(world, "Our refund window is 30 days", agent=world.agent)
    keep(world, "The user is a recursion engineer", of=world.visitor)
    keep(
        world, "The user struggled with recursion", agent=world.agent, of=world.visitor,
        category="knowledge_gaps",
    )  # fmt: skip
    question = "recursion engineer struggled"
    for visitor in (stranger, None):
        assert ask(world, question, visitor).block == (
            "## Agent Knowledge\n- Our refund window is 30 days"
        )
    elsewhere = ask(world, question, world.visitor, agent=other_agent).block
    assert elsewhere == "## User Information\n- The user is a recursion engineer"


def test_a_nonsense_question_brings_nothing_that_was_searched_for(world: World) -> None:
    keep(world, "The user is a software engineer", of=world.visitor)
    assert ask(world, "velvet submarine parking lottery", world.visitor).block == ""


def test_five_of_each_at_most(world: World) -> None:
    for number in range(8):
        keep(world, f"The user likes tea number {number}", of=world.visitor)
        keep(
            world, f"The user drank tea pot {number}", agent=world.agent, of=world.visitor,
            category="preferences",
        )  # fmt: skip
    lines = ask(world, "which tea does the user like", world.visitor).block.splitlines()
    assert sum(line.startswith("- The user") for line in lines) == 5
    assert sum(line.startswith("- [Preferences]") for line in lines) == 5


def test_who_wants_no_memory_in_responses_gets_none_knowledge_included(world: World) -> None:
    keep(world, "Our refund window is 30 days", agent=world.agent)
    with world.inside():
        Visitor.objects.update(use_memory_in_responses=False)
    assert ask(world, "refund", world.visitor).block == ""


def test_an_inactive_category_keeps_its_memories(world: World) -> None:
    keep(
        world, "The user struggled with recursion", agent=world.agent, of=world.visitor,
        category="knowledge_gaps",
    )  # fmt: skip
    with world.inside():
        Category.objects.update(is_active=False)
    assert "[Knowledge Gaps]" in ask(world, "struggled with recursion", world.visitor).block


@pytest.mark.parametrize("memories", [1, 30])
def test_statements_do_not_grow_with_what_there_is(world: World, memories: int) -> None:
    for number in range(memories):
        keep(world, f"Fact {number} of the shop", agent=world.agent)
        keep(world, f"The user likes tea {number}", of=world.visitor)
    query = prepare("tea", space=EMBEDDER.space, timeout=1)
    with world.inside(), CaptureQueriesContext(connection) as asked:
        recall(Reader.for_chat(world.agent.pk, world.visitor.pk), query)
    counted = [q["sql"] for q in asked if not q["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert len(counted) <= 5, counted
