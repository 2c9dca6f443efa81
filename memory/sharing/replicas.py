"""Replicas of registers, kept: write at one, let one learn what another knows, read the state.

The pure part is `registers`. Here a replica is one row whose clock says which operations it
knows, so learning is merging two clocks, and the row's lock keeps a replica's ticks one after
another: none is given twice and none is lost. Inside `within`.
"""

import json
from collections.abc import Iterable
from typing import Any

from django.db import connection

from memory.clocks import merged
from memory.models import Replica, ReplicaOperation
from memory.sharing import registers
from memory.sharing.agents import agent_called
from memory.sharing.registers import Operation


def write(replica: str, *, key: str, value: Any, agent: str, evidence: str = "") -> Operation:
    """Set a register at a replica, over all that the replica knows of it."""
    writer = agent_called(agent)
    with connection.cursor() as cursor:
        cursor.execute(_TICK, [replica, replica])
        clock, at = cursor.fetchone()
    clock = json.loads(clock)
    row = ReplicaOperation.objects.create(
        replica=replica,
        tick=clock[replica],
        key=key,
        value=value,
        writer=writer.name,
        clock=clock,
        evidence_id=evidence,
        made_at=at,
    )
    return _operation(row)


def sync(replica: str, *, peers: Iterable[str]) -> int:
    """Learn every operation that the peers know; how many were new. An unknown one knows none."""
    taught: dict[str, int] = {}
    for known in Replica.objects.filter(name__in=set(peers)).values_list("clock", flat=True):
        taught = merged(taught, known)
    if not taught:
        return 0
    Replica.objects.bulk_create([Replica(name=replica)], ignore_conflicts=True)
    mine = Replica.objects.select_for_update(no_key=True).get(name=replica)
    new: int = sum(max(0, count - mine.clock.get(issuer, 0)) for issuer, count in taught.items())
    if new:
        mine.clock = merged(mine.clock, taught)
        mine.save(update_fields=["clock"])
    return new


def state(replica: str) -> list[Operation]:
    """What each register holds at this replica, ordered by key."""
    rows = ReplicaOperation.objects.raw(_LAST, [replica])
    return list(registers.state(map(_operation, rows)).values())


def _operation(row: ReplicaOperation) -> Operation:
    return Operation(
        id=row.uid,
        key=row.key,
        value=row.value,
        agent=row.writer,
        clock=row.clock,
        at=row.made_at,
        replica=row.replica,
        evidence=row.evidence_id,
    )


# The instant is read when the row is held: a write that had to wait is later than what it waited
# for.
_TICK = """
INSERT INTO memory_replica AS r (name, clock) VALUES (%s, jsonb_build_object(%s::text, 1))
ON CONFLICT (tenant_id, name) DO UPDATE
SET clock = r.clock || jsonb_build_object(r.name, coalesce((r.clock ->> r.name)::bigint, 0) + 1)
RETURNING clock, clock_timestamp()
"""
# One replica's operations on a register overwrite each other in turn, so the last known of each
# is all that can win: `registers.state` then decides among replicas.
_LAST = """
SELECT DISTINCT ON (o.key, o.replica) o.*
FROM memory_replica r
CROSS JOIN LATERAL jsonb_each_text(r.clock) AS known(issuer, count)
JOIN memory_replicaoperation o ON o.replica = known.issuer AND o.tick <= known.count::bigint
WHERE r.name = %s
ORDER BY o.key, o.replica, o.tick DESC
"""
