"""Everything that touches shared memory, at once: no deadlock, no error, each change told once."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from memory import review
from memory.learning import embed
from memory.lifecycle import sweep
from memory.models import ConflictPolicy, Draft, Event, Memory, Mutation
from memory.providers.wordllama_space import SPACE
from memory.sharing import read, teams, workflows, write
from memory.sharing.agents import reader_of_all
from memory.sharing.graph import stage as graph
from memory.sharing.search import Asked, search
from memory.sharing.write import Prepared, prepare
from tenants.actor import SYSTEM
from tenants.caller import Caller
from tenants.context import within
from tenants.races import settled
from tests.factories import make_member, make_tenant
from tests.memory.sharing.test_write_races import DAYS, at_once

pytestmark = pytest.mark.django_db(transaction=True)

ENDS = ("memory.superseded", "memory.deleted", "memory.expired")


class Acts:
    """What may happen in one tenant; each by its name, with chance's choices."""

    def __init__(self, policy: str) -> None:
        self.tenant_id = make_tenant().pk
        with within(self.tenant_id):
            ConflictPolicy.objects.create(policy=policy)
            self.by: Caller = make_member("admin")
            self.teams = [teams.create(name=name, by=SYSTEM) for name in "xy"]
        self.prepared = list(self._prepared())

    def _prepared(self) -> Any:
        for n in range(12):
            for scope in ("private", "team", "global"):
                fields = {
                    "content": f"The deadline is {DAYS[n % 5]}.", "scope": scope,
                    "workflow": ("w", None)[n % 2], "fact_key": (None, None, "deadline")[n % 3],
                }  # fmt: skip
                each = prepare(f"agent {n % 4}", Draft.model_validate(fields), space=SPACE)
                yield each
                yield Prepared(each.agent, each.draft, each.query, None)

    def write(self, chance: random.Random) -> None:
        write.write(chance.choice(self.prepared), tenant_id=self.tenant_id, by=SYSTEM)

    def search(self, chance: random.Random) -> None:
        one = chance.choice(self.prepared)
        search(Asked(one.agent, one.query, 5), tenant_id=self.tenant_id)

    def delete(self, chance: random.Random) -> None:
        with within(self.tenant_id):
            there = list(Memory.objects.live().values_list("uid", flat=True))
            if there:
                read.delete(reader_of_all(), chance.choice(there), by=SYSTEM)

    def expire(self, chance: random.Random) -> None:
        with within(self.tenant_id):
            there = list(Memory.objects.live().values_list("pk", flat=True))
            if there:
                rows = Memory.objects.filter(pk=chance.choice(there))
                rows.update(expires_at="2020-01-01T00:00Z")
        sweep.step(self.tenant_id)

    def work(self, chance: random.Random) -> None:
        chance.choice((embed.step, graph.step))(self.tenant_id)

    def purge(self, chance: random.Random) -> None:
        workflows.purge("w", tenant_id=self.tenant_id, by=SYSTEM)

    def move(self, chance: random.Random) -> None:
        names = [f"agent {n}" for n in chance.sample(range(4), 2)]
        team = chance.choice(self.teams)

        def act() -> None:
            with within(self.tenant_id):
                teams.set_agents(team, names, by=SYSTEM)

        settled(act)

    def decide(self, chance: random.Random) -> None:
        with within(self.tenant_id):
            newest = list(Mutation.objects.order_by("-pk").values_list("pk", flat=True)[:5])
        verb = chance.choice([review.approve, review.keep_both, review.reject, review.undo])
        try:
            if newest:
                verb(mutation_id=chance.choice(newest), by=self.by)
        except review.ReviewRefused:
            pass


def some(acts: Acts, seed: int, count: int) -> Callable[[], None]:
    def run() -> None:
        chance = random.Random(seed)
        others = [
            acts.search,
            acts.delete,
            acts.expire,
            acts.work,
            acts.purge,
            acts.move,
        ]
        for _ in range(count):
            chance.choice([acts.write, chance.choice([*others, acts.decide])])(chance)

    return run


@pytest.mark.parametrize("policy", ["timestamp_wins", "human_in_loop", "ignore"])
def test_all_of_it_at_once(policy: str) -> None:
    acts = Acts(policy)
    at_once([some(acts, seed, 30) for seed in range(6)], workers=6)
    with within(acts.tenant_id):
        told = Counter(Event.objects.values_list("memory_id", "kind"))
        for memory in Memory.objects.all():
            starts = told[memory.pk, "memory.written"]
            ends = sum(told[memory.pk, kind] for kind in ENDS)
            stands = memory.deleted_at is None and memory.superseded_by_id is None
            assert starts >= 1
            assert starts - ends == int(stands)
