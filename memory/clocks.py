"""Vector clocks: who knew of what when it wrote (contract 4, D32).

A clock is `{agent's name: tick}`, within one scope. Ticks and what an agent has seen are one row
an agent and scope; both change by adding in the database, so no tick and no lesson is lost.
Inside `within`.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from tenants.prepared import prepared

Clock = Mapping[str, int]


def tick(agent_id: int, name: str, scope: str) -> tuple[dict[str, int], datetime]:
    """Count a write of this agent and answer its clock, all it has seen and its own new tick; and
    the instant of the tick, by the database's clock.

    Holds the row until the transaction ends: the agent's writes in a scope are one after another.
    """
    with prepared() as cursor:
        cursor.execute(_TICK, [agent_id, scope])
        ticks, seen, at = cursor.fetchone()
    seen = json.loads(seen) if isinstance(seen, str) else seen
    return {**seen, name: ticks}, at


def learn(agent_id: int, name: str, lessons: Iterable[tuple[str, Clock]]) -> None:
    """Remember what rows taught: (scope, clock) of each. What teaches nothing writes nothing."""
    taught: dict[str, dict[str, int]] = {}
    for scope, clock in lessons:
        known = taught.setdefault(scope, {})
        known.update(merged(known, {who: at for who, at in clock.items() if who != name}))
    taught = {scope: clock for scope, clock in sorted(taught.items()) if clock}
    if taught:
        with prepared() as cursor:
            cursor.execute(_LEARN, [agent_id, json.dumps(taught), agent_id])


def merged(a: Clock, b: Clock) -> dict[str, int]:
    """The least clock that knows of both."""
    return {who: max(a.get(who, 0), b.get(who, 0)) for who in {**a, **b}}


def knew(later: Clock, earlier: Clock) -> bool:
    """Did whoever wrote `later` know of `earlier`?"""
    return all(later.get(who, 0) >= at for who, at in earlier.items())


_TICK = """
INSERT INTO memory_vectorclock AS c (agent_id, scope, ticks, seen) VALUES (%s, %s, 1, '{}')
ON CONFLICT (tenant_id, agent_id, scope) DO UPDATE SET ticks = c.ticks + 1
RETURNING ticks, seen, clock_timestamp()
"""
_LEARN = """
INSERT INTO memory_vectorclock AS c (agent_id, scope, ticks, seen)
SELECT %s, taught.scope, 0, taught.clock
FROM jsonb_each(%s::jsonb) AS taught(scope, clock)
LEFT JOIN memory_vectorclock held ON held.agent_id = %s AND held.scope = taught.scope
WHERE held.id IS NULL OR EXISTS (
    SELECT 1 FROM jsonb_each_text(taught.clock) AS each(who, at)
    WHERE coalesce((held.seen ->> who)::bigint, 0) < at::bigint
)
ON CONFLICT (tenant_id, agent_id, scope) DO UPDATE SET seen = (
    SELECT jsonb_object_agg(who, at) FROM (
        SELECT who, max(at::bigint) AS at
        FROM (SELECT * FROM jsonb_each_text(c.seen) UNION ALL
              SELECT * FROM jsonb_each_text(excluded.seen)) AS both_of_them(who, at)
        GROUP BY who
    ) AS highest
)
"""
