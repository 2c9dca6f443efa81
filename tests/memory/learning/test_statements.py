"""A conversation and an observation cost the same number of statements in a scope of any size."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.learning import observe, reconcile
from memory.models import Observation
from memory.providers import using
from tests.factories import (
    World,
    make_conversation,
    make_memory,
    make_mutation,
    make_observation,
    make_visitor,
)
from tests.fakes import ScriptedLanguage, StubEmbedder, decided, observed

pytestmark = pytest.mark.django_db
ADD = {
    "operation": "add", "key": "/new", "description": "new", "content": "The user drinks tea.",
    "presence": "on-demand",
}  # fmt: skip


def peopled(size: int) -> World:
    """A visitor with so many memories, proposals, observations and messages, and as many others."""
    world = World()
    with world.inside():
        lines = [f"user: I have cat number {n}" for n in range(size)]
        read = make_conversation(world.agent, world.visitor, *lines)
        read.observed_to = size
        read.save()
        make_conversation(world.agent, world.visitor, "user: I like tea")
        for number in range(size):
            make_memory(world.agent, world.visitor, f"The user has {number} cats.")
            make_observation(world.agent, world.visitor, f"The user saw {number} dogs.")
            make_memory(world.agent, make_visitor(), f"The user has {number} cats.")
        make_mutation(world.agent, world.visitor)
    return world


def statements(size: int, step: Callable[[int], object], *replies: str) -> int:
    world = peopled(size)
    language = ScriptedLanguage(*replies)
    with (
        using(language=language, embedder=StubEmbedder()),
        CaptureQueriesContext(connection) as seen,
    ):
        step(world.tenant.pk)
    assert language.transport.left == 0
    return len(seen)


def test_an_observed_conversation() -> None:
    few = observed(("The user likes tea.", "I like tea", 1))
    many = observed(*((f"The user likes tea {n}.", "I like tea", 1) for n in range(20)))
    assert (
        statements(3, observe.step, few)
        == statements(60, observe.step, few)
        == statements(3, observe.step, many)
    )


@pytest.mark.parametrize(
    "reply",
    [decided("mutate", ADD), decided("discard"), decided("repeat", about=1), decided("defer")],
    ids=["mutate", "discard", "repeat", "defer"],
)
def test_a_reconciled_observation(reply: str) -> None:
    assert statements(3, reconcile.step, reply) == statements(60, reconcile.step, reply)


def test_a_scope_that_somebody_works_on_costs_nothing_more() -> None:
    """Waiting rows of busy scopes are not looked at one by one."""

    def count(busy: int) -> int:
        world = World()
        with world.inside():
            for _ in range(busy):
                held = make_observation(world.agent, make_visitor())
                Observation.objects.filter(pk=held.pk).update(
                    lease_until="2999-01-01T00:00:00+00:00"
                )
                make_observation(world.agent, held.visitor, "The user waits.")
            make_observation(world.agent, world.visitor, "The user drinks mate.")
        with (
            using(language=ScriptedLanguage(decided("discard")), embedder=StubEmbedder()),
            CaptureQueriesContext(connection) as seen,
        ):
            assert reconcile.step(world.tenant.pk).processed == 1
        return len(seen)

    assert count(1) == count(12)
