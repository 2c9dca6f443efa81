"""Counters of workflows: each write and search once, by day, whoever counts at the same time."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F

from memory.models import WorkflowUsage
from memory.sharing import usage
from tests.factories import World
from tests.race import at_once

pytestmark = pytest.mark.django_db


def test_counts_add_up_by_workflow() -> None:
    world = World()
    with world.inside():
        usage.count("pipeline-1", writes=1)
        usage.count("pipeline-1", writes=2, searches=1)
        usage.count("pipeline-2", searches=4)
        assert usage.per_workflow(30) == {
            "pipeline-1": {"writes": 3, "searches": 1},
            "pipeline-2": {"writes": 0, "searches": 4},
        }
        assert WorkflowUsage.objects.count() == 2


@pytest.mark.parametrize("workflow", [None, ""])
def test_what_belongs_to_no_workflow_is_not_counted(workflow: str | None) -> None:
    world = World()
    with world.inside():
        usage.count(workflow, writes=1)
        usage.count("w")
        assert not WorkflowUsage.objects.exists()


def test_a_period_begins_with_its_first_day() -> None:
    world = World()
    with world.inside():
        usage.count("w", writes=1)
        WorkflowUsage.objects.update(day=F("day") - timedelta(days=6), writes=5)
        usage.count("w", writes=1)
        assert usage.per_workflow(7) == {"w": {"writes": 6, "searches": 0}}
        assert usage.per_workflow(6) == {"w": {"writes": 1, "searches": 0}}


def test_what_is_taken_back_is_not_counted_and_others_see_nothing() -> None:
    world, other = World(), World()
    with world.inside(), transaction.atomic():
        usage.count("w", writes=1)
        transaction.set_rollback(True)
    with other.inside():
        usage.count("w", writes=1)
    with world.inside():
        assert usage.per_workflow(365) == {}


@pytest.mark.django_db(transaction=True)
def test_none_is_lost_when_several_count_at_once() -> None:
    world = World()

    def write() -> None:
        for _ in range(10):
            with world.inside():
                usage.count("w", writes=1)

    assert at_once(*[write] * 4) == [None] * 4
    with world.inside():
        assert usage.per_workflow(1) == {"w": {"writes": 40, "searches": 0}}
