"""Why it was recalled or not: near misses, triggers, switches, what others have, and the past."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Agent, Visitor
from memory import store
from memory.models import Draft, Memory, MemoryVersion, Presence, Reader
from memory.recall.context import prepare
from memory.recall.explain import NEAREST, Explained, explain
from tenants.actor import SYSTEM
from tenants.models import AuditEntry
from tests.factories import make_visitor
from tests.memory.recall.conftest import Memories

pytestmark = pytest.mark.django_db


def why(world: Memories, message: str, **fields: Any) -> Explained:
    query = prepare(message, space=world.embedder.space, timeout=1)
    visitor = fields.pop("visitor", world.visitor)
    with world.inside():
        return explain(Reader.for_chat(world.agent.pk, visitor and visitor.pk), query, **fields)


def test_the_block_is_the_prompts_own(world: Memories) -> None:
    world.keep("Always be kind.", presence=Presence.OMNIPRESENT)
    world.keep("The user loves sushi.", of=world.visitor)
    told, asked = why(world, "sushi"), world.ask("sushi")
    assert told.recalled.block == asked.block != ""
    assert told.recalled.memories == asked.memories


def test_each_leg_has_its_own_score(world: Memories) -> None:
    world.keep("The user loves sushi.", of=world.visitor)
    world.keep("Something else entirely.", of=world.visitor)
    (found,) = why(world, "sushi").chosen
    assert [leg.name for leg in found.legs] == ["semantic", "keyword"]
    assert [leg.rank for leg in found.legs] == [1, 1]
    assert all(0 < leg.score <= 1 for leg in found.legs)
    assert found.memory.rank == 1


def test_what_is_below_the_floor_is_told_with_its_score(world: Memories) -> None:
    for number in range(NEAREST + 8):
        world.keep(f"unrelated fact {number} on gardens and boats", of=world.visitor)
    told = why(world, "sushi")
    assert told.chosen == ()
    assert 0 < len(told.passed) <= 5 + NEAREST
    for near in told.passed:
        assert near.why == "below the floor"
        assert near.score is not None
        assert near.floor is not None
        assert near.score < near.floor
    scores = [near.score or 0 for near in told.passed]
    assert scores == sorted(scores, reverse=True)


def test_what_is_beyond_the_nearest_is_told_apart(world: Memories, settings: Any) -> None:
    settings.RECALL_K = 2
    for number in range(4):
        world.keep(f"sushi number {number}", of=world.visitor)
    told = why(world, "sushi")
    assert len(told.chosen) == 2
    assert [near.why for near in told.passed] == ["beyond the nearest"] * 2


def test_a_trigger_that_is_not_there(world: Memories) -> None:
    for number in range(25):
        world.keep(
            f"Refund rule {number}.",
            presence=Presence.PATTERN,
            trigger_patterns=[f"refund{number}"],
        )
    told = why(world, "REFUND3 please")
    assert [one.memory.text for one in told.chosen] == ["Refund rule 3."]
    silent = [one for one in told.passed if one.why == "no trigger"]
    assert (len(silent), told.untriggered) == (20, 24)
    assert silent[0].triggers == ("refund0",)


@pytest.mark.parametrize("switch", ["agent", "person"])
def test_a_switch_is_named_and_nothing_else_told(world: Memories, switch: str) -> None:
    world.keep("The user loves sushi.", of=world.visitor)
    with world.inside():
        if switch == "agent":
            Agent.objects.update(memory_enabled=False)
        else:
            Visitor.objects.update(use_memory_in_responses=False)
    told = why(world, "sushi")
    assert told.off == (switch,)
    assert (told.recalled.block, told.chosen, told.passed) == ("", (), ())


def test_what_others_have_is_counted_and_never_shown(world: Memories) -> None:
    with world.inside():
        other = make_visitor()
    world.keep("sushi of another", of=other)
    gone = world.keep("sushi that ended", of=world.visitor)
    with world.inside():
        store.close(gone, because=Memory.Closed.DELETED, by=SYSTEM)
    told = why(world, "sushi")
    assert (told.unseen.of_others, told.unseen.ended) == (1, 1)
    assert "another" not in repr(told)
    assert why(world, "sushi", visitor=None).unseen.of_others == 1


def test_what_has_no_vector_yet_is_counted(world: Memories) -> None:
    world.keep("The user loves sushi.", of=world.visitor)
    world.keep("The user rides a bicycle.", of=world.visitor, vector=None)
    told = why(world, "sushi")
    assert told.unembedded == 1
    assert [one.memory.text for one in told.chosen] == ["The user loves sushi."]


def test_it_writes_nothing(world: Memories) -> None:
    world.keep("The user loves sushi.", of=world.visitor)
    with CaptureQueriesContext(connection) as queries:
        why(world, "sushi")
    assert not [q for q in queries if q["sql"].lstrip().startswith(("INSERT", "UPDATE", "DELETE"))]
    with world.inside():
        assert AuditEntry.objects.filter(subject="visitor").count() == 0


# --- as of ---------------------------------------------------------------------------------------


def moved(world: Memories, memory: Memory, said: int, **days: int) -> None:
    """Its versions made that many days ago; what it says today was `said` so many days ago."""
    now = timezone.now()
    with world.inside():
        Memory.objects.filter(pk=memory.pk).update(
            created_at=now - timedelta(days=days["v1"]), valid_from=now - timedelta(days=said)
        )
        for name, ago in days.items():
            MemoryVersion.objects.filter(memory=memory, version=int(name[1:])).update(
                made_at=now - timedelta(days=ago)
            )


def test_a_memory_says_what_it_said_then(world: Memories) -> None:
    memory = world.keep("The user loves sushi.", of=world.visitor, key="/food")
    with world.inside():
        store.change(memory, Draft(content="The user hates sushi.", key="/food/fish"), by=SYSTEM)
    moved(world, memory, said=2, v1=9, v2=2)
    now = timezone.now()
    then = why(world, "sushi", at=now - timedelta(days=5))
    assert "[/food] The user loves sushi." in then.recalled.block
    assert (then.chosen[0].memory.version, then.changed_since) == (1, frozenset([memory.pk]))
    later = why(world, "sushi", at=now - timedelta(days=1))
    assert "[/food/fish] The user hates sushi." in later.recalled.block
    assert later.changed_since == frozenset()
    assert why(world, "sushi", at=now - timedelta(days=10)).chosen == ()


def test_its_presence_and_triggers_are_those_of_then(world: Memories) -> None:
    memory = world.keep("Be kind.", presence=Presence.PATTERN, trigger_patterns=["kind"])
    patch = Draft(presence=Presence.OMNIPRESENT, trigger_patterns=())
    with world.inside():
        store.change(memory, patch, by=SYSTEM)
    moved(world, memory, said=9, v1=9, v2=2)
    then = timezone.now() - timedelta(days=5)
    assert why(world, "hello there", at=then).chosen == ()
    assert why(world, "how kind", at=then).chosen[0].memory.reason == "triggered"
    assert why(world, "hello there").chosen[0].memory.reason == "omnipresent"


def test_what_was_closed_then_and_restored_later_was_not_there(world: Memories) -> None:
    memory = world.keep("The user loves sushi.", of=world.visitor)
    with world.inside():
        store.close(memory, because=Memory.Closed.DELETED, by=SYSTEM)
        store.restore(memory, to=memory.as_draft, by=SYSTEM)
    moved(world, memory, said=9, v1=9, v2=6, v3=2)
    days = {8: 1, 4: 0, 1: 1}
    for ago, count in days.items():
        assert len(why(world, "sushi", at=timezone.now() - timedelta(days=ago)).chosen) == count
