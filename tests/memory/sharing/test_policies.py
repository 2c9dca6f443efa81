"""One policy of a workflow, whoever sets it at the same time."""

import pytest

from memory.models import ConflictPolicy
from memory.sharing import policies
from tenants.actor import SYSTEM
from tests.factories import World
from tests.race import at_once


@pytest.mark.django_db(transaction=True)
def test_of_policies_set_at_once_one_is_left_and_all_answer_it() -> None:
    world = World()

    def put(policy: str) -> object:
        with world.inside():
            return policies.put(policy=policy, workflow="w", by=SYSTEM).uid

    wanted = ["ignore", "planner_wins", "timestamp_wins", "human_in_loop"]
    answers = at_once(*(lambda policy=each: put(policy) for each in wanted))
    with world.inside():
        kept = ConflictPolicy.objects.get()
    assert answers == [kept.uid] * 4
    assert kept.policy in wanted
