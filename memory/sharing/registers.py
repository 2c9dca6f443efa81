"""Last-writer-wins registers: what a set of operations says, as pure functions.

A replica is the set of operations it knows, and merging is their union, so the order in which
they were learned, and how often, cannot matter. A register's value is read from the set:

1. An operation that another one of the same key knew of (its clock covers the other's) has been
   overwritten, whatever the timestamps say: clocks of machines go backwards, causes do not.
2. What is left was written at the same time, as far as anybody knew. The latest timestamp wins,
   among equal ones the greater agent's name, then the greater id: a total order, the same for all.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.clocks import Clock, knew


@dataclass(frozen=True)
class Operation:
    """One write of a register, never changed. `clock` counts operations by replica."""

    id: UUID
    key: str
    value: Any
    agent: str
    clock: Clock
    at: datetime
    replica: str = ""
    evidence: str = ""


Operations = Mapping[UUID, Operation]


def merge(a: Operations, b: Operations) -> dict[UUID, Operation]:
    """All that either knows. An id names one operation everywhere."""
    assert all(a[id] == b[id] for id in a.keys() & b.keys()), "two operations under one id"
    return {**a, **b}


def state(operations: Iterable[Operation]) -> dict[str, Operation]:
    """For each key the operation that wins, ordered by key."""
    standing: dict[str, list[Operation]] = {}
    for operation in operations:
        rivals = standing.setdefault(operation.key, [])
        if not any(_overwrites(rival, operation) for rival in rivals):
            rivals[:] = [rival for rival in rivals if not _overwrites(operation, rival)]
            rivals.append(operation)
    return {key: max(rivals, key=_rank) for key, rivals in sorted(standing.items())}


def _overwrites(later: Operation, earlier: Operation) -> bool:
    """Two equal clocks overwrite neither: only a strange set has them, and it too has a winner."""
    return knew(later.clock, earlier.clock) and not knew(earlier.clock, later.clock)


def _rank(operation: Operation) -> tuple[datetime, str, UUID]:
    return operation.at, operation.agent, operation.id
