"""Registers converge: laws of merging, and the winner against an independent brute force."""

import random
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.sharing.registers import Operation, Operations, merge, state

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
REPLICAS = ("east", "north", "west")

# Any clocks at all, also ones that no honest replica would issue: equal ones, gaps, zeros.
OPERATION = st.builds(
    Operation,
    id=st.uuids(),
    key=st.sampled_from(["a", "b", "c"]),
    value=st.none() | st.integers() | st.lists(st.text(max_size=3), max_size=2),
    agent=st.sampled_from(["ada", "bob"]),
    clock=st.dictionaries(st.sampled_from(REPLICAS), st.integers(0, 3), max_size=3),
    at=st.integers(0, 3).map(lambda minutes: NOON + timedelta(minutes=minutes)),
)
ALL = st.lists(OPERATION, max_size=8, unique_by=lambda each: each.id)
PARTS = st.lists(st.integers(0, 7), max_size=8)


def by_id(operations: list[Operation]) -> dict[UUID, Operation]:
    return {each.id: each for each in operations}


def part(operations: list[Operation], places: list[int]) -> Operations:
    return by_id([operations[place] for place in places if place < len(operations)])


def brute_force(operations: Operations) -> dict[str, Any]:
    """Every pair is compared; written without a look at how `registers` does it."""

    def vector(operation: Operation) -> list[int]:
        return [operation.clock.get(replica, 0) for replica in REPLICAS]

    def beats(a: Operation, b: Operation) -> bool:
        va, vb = vector(a), vector(b)
        return va != vb and all(x >= y for x, y in zip(va, vb, strict=True))

    winners = {}
    for key in sorted({each.key for each in operations.values()}):
        rivals = [each for each in operations.values() if each.key == key]
        standing = [a for a in rivals if not any(beats(b, a) for b in rivals)]
        standing.sort(key=lambda each: (each.at, each.agent, each.id.int))
        winners[key] = standing[-1]
    return winners


@given(ALL, PARTS, PARTS, PARTS)
def test_merging_is_commutative_associative_idempotent_and_loses_nothing(
    operations: list[Operation], x: list[int], y: list[int], z: list[int]
) -> None:
    a, b, c = (part(operations, places) for places in (x, y, z))
    both = merge(a, b)
    assert both == merge(b, a) == merge(both, a) == merge(both, both)
    assert merge(both, c) == merge(a, merge(b, c))
    assert both.keys() == a.keys() | b.keys()


@given(ALL)
def test_the_winner_is_the_one_of_a_brute_force(operations: list[Operation]) -> None:
    held = state(operations)
    assert held == brute_force(by_id(operations))
    assert list(held) == sorted(held)


@given(ALL, st.randoms(use_true_random=False))
def test_whatever_the_order_and_however_often_the_winner_is_the_same(
    operations: list[Operation], chance: random.Random
) -> None:
    again = operations + [chance.choice(operations) for _ in operations]
    chance.shuffle(again)
    assert state(again) == state(operations)
    if len(operations) <= 4:
        assert all(state(order) == state(operations) for order in permutations(operations))


@given(ALL, PARTS, PARTS)
def test_the_state_of_a_merge_needs_only_the_winners_and_rivals_of_both(
    operations: list[Operation], x: list[int], y: list[int]
) -> None:
    """Learning may go through any number of hands: states agree wherever operations do."""
    a, b = part(operations, x), part(operations, y)
    assert state(merge(a, b).values()) == brute_force({**b, **a})


class Honest:
    """Replicas in memory, as the database keeps them: a clock each, and who knows what."""

    def __init__(self) -> None:
        self.known: dict[str, dict[UUID, Operation]] = {name: {} for name in REPLICAS}
        self.issued: list[Operation] = []

    def write(self, replica: str, key: str, minutes: int) -> None:
        clock = {
            name: max((o.clock.get(name, 0) for o in self.known[replica].values()), default=0)
            for name in REPLICAS
        }
        clock[replica] += 1
        made = Operation(
            id=UUID(int=len(self.issued)),
            key=key,
            value=len(self.issued),
            agent=replica,
            clock=clock,
            at=NOON + timedelta(minutes=minutes),
        )
        self.issued.append(made)
        self.known[replica][made.id] = made

    def sync(self, replica: str, other: str) -> None:
        self.known[replica] = merge(self.known[replica], self.known[other])


STEP = st.tuples(
    st.sampled_from(REPLICAS), st.sampled_from(REPLICAS), st.integers(0, 5), st.booleans()
)


@given(st.lists(STEP, max_size=25))
def test_what_was_known_is_never_won_back_though_timestamps_go_backwards(
    steps: list[tuple[str, str, int, bool]],
) -> None:
    world = Honest()
    for one, other, minutes, writes in steps:
        if writes:
            before = state(world.known[one].values()).get("k")
            world.write(one, "k", minutes)
            now = state(world.known[one].values())["k"]
            assert now is world.issued[-1], "a replica reads what it just wrote"
            assert before is None or now != before
        else:
            world.sync(one, other)
    for one in REPLICAS:
        for other in REPLICAS:
            world.sync(one, other)
    for one in REPLICAS:
        world.sync(one, REPLICAS[-1])
    finals = [world.known[name] for name in REPLICAS]
    assert finals[0] == finals[1] == finals[2] == by_id(world.issued)
    assert state(finals[0].values()) == brute_force(by_id(world.issued))


def test_two_operations_under_one_id_are_refused() -> None:
    one, other = (Operation(UUID(int=1), "k", value, "ada", {"east": 1}, NOON) for value in (1, 2))
    with pytest.raises(AssertionError):
        merge(by_id([one]), by_id([other]))
