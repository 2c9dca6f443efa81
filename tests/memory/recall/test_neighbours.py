"""What reconcile sees near an observation: exactly its scope, nearest first, in few statements."""

from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Visitor
from memory import review, store
from memory.models import (
    Draft,
    Memory,
    MemoryVector,
    MessageChunk,
    Mutation,
    Observation,
    Tombstone,
)
from memory.recall.neighbours import excerpts, known, siblings
from tests.factories import (
    make_agent,
    make_conversation,
    make_draft,
    make_mutation,
    make_observation,
    make_visitor,
)
from tests.memory.recall.conftest import Memories

pytestmark = pytest.mark.django_db
SPACE = "plane"
EAST, NEAR, NORTH = [1.0, 0.0], [0.9, 0.1], [0.0, 1.0]


def hand(vector: list[float], space: str = SPACE) -> store.AtHand:
    return store.AtHand(space, np.array(vector, dtype=np.float32))


def observed(
    world: Memories,
    statement: str,
    vector: list[float] | None,
    of: Visitor | None = None,
    space: str = SPACE,
) -> Observation:
    return make_observation(
        world.agent,
        of or world.visitor,
        statement,
        statement_vector=vector,
        space=space if vector else "",
    )


def said(world: Memories, text: str, vector: list[float], of: Visitor | None, **cut: int) -> None:
    conversation = make_conversation(world.agent, of, text)
    message = conversation.messages.get()
    chunk = MessageChunk.objects.create(
        message=message,
        agent=world.agent,
        visitor=of,
        start=cut.get("start", 0),
        end=cut.get("end", len(message.content)),
    )
    MemoryVector.objects.create(chunk=chunk, space=SPACE, vector=vector)


# --- siblings ------------------------------------------------------------------------------------


def test_siblings_are_the_nearest_of_the_scope(world: Memories) -> None:
    with world.inside():
        about = observed(world, "about", EAST)
        observed(world, "far", NORTH)
        observed(world, "near", NEAR)
        observed(world, "another space", EAST, space="other")
        observed(world, "another person", EAST, of=make_visitor())
        assert siblings(about, 5) == ["near", "far"]
        assert siblings(about, 1) == ["near"]


def test_without_a_vector_siblings_are_the_newest(world: Memories) -> None:
    with world.inside():
        about = observed(world, "about", None)
        observed(world, "older", EAST)
        observed(world, "newer", None)
        assert siblings(about, 5) == ["newer", "older"]


# --- excerpts ------------------------------------------------------------------------------------


def test_excerpts_are_cut_from_the_message_and_nearest_first(world: Memories) -> None:
    with world.inside():
        said(world, "user: 🍣 I like sushi and tea", NEAR, world.visitor, start=2, end=14)
        said(world, "assistant: Noted.", EAST, world.visitor)
        said(world, "user: of somebody else", EAST, make_visitor())
        said(world, "user: of nobody", EAST, None)
        found = excerpts(world.agent.pk, world.visitor.pk, EAST, SPACE, 5)
        assert found == ["assistant: Noted.", "user: I like sushi"]
        assert excerpts(world.agent.pk, None, EAST, SPACE, 5) == ["user: of nobody"]
        assert excerpts(world.agent.pk, world.visitor.pk, EAST, SPACE, 1) == found[:1]
        assert excerpts(world.agent.pk, world.visitor.pk, EAST, "other", 5) == []


@pytest.mark.parametrize("vector", [None, [0.0, 0.0], [float("nan"), 0.0]])
def test_no_vector_no_excerpts(world: Memories, vector: list[float] | None) -> None:
    with world.inside():
        said(world, "user: anything", EAST, world.visitor)
        assert excerpts(world.agent.pk, world.visitor.pk, vector, SPACE, 5) == []


# --- known ---------------------------------------------------------------------------------------


def test_live_memories_of_exactly_this_scope(world: Memories) -> None:
    with world.inside():
        other_agent, other_visitor = make_agent(), make_visitor()
    far = world.keep("far", of=world.visitor, vector=hand(NORTH))
    near = world.keep("near", of=world.visitor, vector=hand(NEAR))
    bare = world.keep("bare", of=world.visitor, vector=None)
    foreign = world.keep("other space", of=world.visitor, vector=hand([1, 0, 0], "solid"))
    world.keep("for all", vector=hand(EAST))
    world.keep("of another", of=other_visitor, vector=hand(EAST))
    world.keep("of another agent", of=world.visitor, agent=other_agent, vector=hand(EAST))
    gone = world.keep("gone", of=world.visitor, vector=hand(EAST))
    with world.inside():
        Memory.objects.filter(pk=gone.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
        rows = known(world.agent.pk, world.visitor.pk, EAST, SPACE)
    assert [row.memory_id for row in rows] == [bare.pk, foreign.pk, near.pk, far.pk]
    assert [row.similarity and round(row.similarity, 2) for row in rows] == [None, None, 0.99, 0.0]
    row = rows[2]
    assert (row.state, row.key, row.content, row.presence) == (
        "memory",
        near.key,
        "near",
        "on-demand",
    )
    assert (row.memory_version, row.hash, row.mutation_id) == (1, near.hash, None)


def test_pending_proposals_say_what_would_be(world: Memories) -> None:
    target = world.keep("old", of=world.visitor, key="/a/b", description="d", vector=None)
    with world.inside():
        add = make_mutation(
            world.agent, world.visitor, draft=make_draft("new"), vector=EAST, space=SPACE
        )
        modify = make_mutation(
            world.agent,
            world.visitor,
            operation="modify",
            target=target,
            draft=Draft(content="changed"),
        )
        delete = make_mutation(world.agent, world.visitor, operation="delete", target=target)
        make_mutation(world.agent, None)
        Mutation.objects.filter(pk=add.pk).update(version=3)
        rows = {
            row.mutation_id: row for row in known(world.agent.pk, world.visitor.pk, EAST, SPACE)
        }
    assert set(rows) == {None, add.pk, modify.pk, delete.pk}
    one = rows[add.pk]
    assert (one.state, one.content, one.operation, one.mutation_version) == (
        "pending",
        "new",
        "add",
        3,
    )
    assert one.similarity == pytest.approx(1)
    changed = rows[modify.pk]
    assert (changed.key, changed.content, changed.similarity) == ("/a/b", "changed", None)
    assert (changed.memory_id, changed.memory_version) == (target.pk, 1)
    assert (rows[delete.pk].operation, rows[delete.pk].content) == ("delete", "old")


def test_rejected_proposals_until_they_are_lifted(world: Memories) -> None:
    with world.inside():
        mutation = make_mutation(
            world.agent, world.visitor, draft=make_draft("never"), vector=EAST, space=SPACE
        )
    review.reject(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        Tombstone.objects.create(
            agent=world.agent,
            visitor=world.visitor,
            hash="forgotten",
            expires_at=timezone.now() + timedelta(days=1),
        )
        Tombstone.objects.create(
            agent=world.agent,
            visitor=world.visitor,
            hash="over",
            expires_at=timezone.now() - timedelta(days=1),
        )
        forgotten, never = known(world.agent.pk, world.visitor.pk, EAST, SPACE)
        assert (never.state, never.content, never.mutation_id) == ("rejected", "never", mutation.pk)
        assert never.similarity == pytest.approx(1)
        assert never.tombstone_id
        assert (forgotten.hash, forgotten.content, forgotten.mutation_id) == ("forgotten", "", None)
        Tombstone.objects.update(lifted_at=timezone.now())
        assert known(world.agent.pk, world.visitor.pk, EAST, SPACE) == []


def test_a_zero_vector_has_no_similarity(world: Memories) -> None:
    memory = world.keep("empty", of=world.visitor, vector=hand(EAST))
    with world.inside():
        MemoryVector.objects.filter(memory=memory).update(vector=[0, 0])
        (row,) = known(world.agent.pk, world.visitor.pk, EAST, SPACE)
        assert row.similarity is None
        (row,) = known(world.agent.pk, world.visitor.pk, [0.0, 0.0], SPACE)
        assert row.similarity is None


def test_the_nearest_are_kept_when_there_are_too_many(world: Memories) -> None:
    for number in range(4):
        world.keep(f"far {number}", of=world.visitor, vector=hand(NORTH))
    near = world.keep("near", of=world.visitor, vector=hand(EAST))
    with world.inside():
        rows = known(world.agent.pk, world.visitor.pk, EAST, SPACE, limit=2)
    assert rows[0].memory_id == near.pk
    assert len(rows) == 2


@pytest.mark.parametrize("count", [1, 12])
def test_statements_are_constant(world: Memories, count: int) -> None:
    with world.inside():
        about = observed(world, "about", EAST)
        for number in range(count):
            observed(world, f"sibling {number}", EAST)
            said(world, f"user: text {number}", EAST, world.visitor)
            make_mutation(world.agent, world.visitor)
    for number in range(count):
        world.keep(f"memory {number}", of=world.visitor, vector=hand(EAST))
    with world.inside(), CaptureQueriesContext(connection) as caught:
        siblings(about, 5)
        excerpts(world.agent.pk, world.visitor.pk, EAST, SPACE, 10)
        rows = known(world.agent.pk, world.visitor.pk, EAST, SPACE)
    assert len(rows) == 2 * count
    assert len(caught) == 6


def test_a_row_becomes_what_a_model_is_shown(world: Memories) -> None:
    world.keep("near", of=world.visitor, key="/a", description="d", vector=hand(EAST))
    with world.inside():
        (row,) = known(world.agent.pk, world.visitor.pk, EAST, SPACE)
    shown = row.as_known(7)
    assert (shown.number, shown.state, shown.key) == (7, "memory", "/a")
    assert (shown.description, shown.content, shown.presence) == ("d", "near", "on-demand")
    assert shown.similarity == pytest.approx(1)
