"""The walk of the graph in process: a workflow of 2,000 memories, alone and among 200,000."""

import pytest
from django.db import connection, connections, transaction

from memory.recall.sight import visible
from memory.sharing.agents import agent_asking, agent_called, reader_of
from memory.sharing.graph import walk
from tests.benchmarks.measuring import p50, p95, table, times
from tests.factories import World

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

SCOPE, ALL = 2_000, 200_000
ROUNDS = 200
# A name in a few memories of the workflow, one that every workflow says often, one in all of them.
ASKED = {
    "names nothing": "what should be done about the delay",
    "a name": "what does thing 7x3 need",
    "a common name": "who speaks of tool 4",
    "in every memory": "where is headquarters and thing 7x4",
    "six names": "thing 7x1 thing 7x2 thing 7x3 tool 1 tool 2 tool 3",
}


def fill(tenant_id: int, writer_id: int, count: int) -> None:
    """Memories by workflow, each naming two things of its workflow, a tool, and headquarters."""
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SELECT set_config('app.tenant', %s, true)", [str(tenant_id)])
        cursor.execute(_MEMORIES, [writer_id, SCOPE, count])
        cursor.execute(_ENTITIES, [count // SCOPE])
        cursor.execute("ANALYZE memory_memory, memory_entity")
        cursor.execute(_MENTIONS, [tenant_id, tenant_id])
        cursor.execute(_RELATIONS, [tenant_id] * 6)


def test_walk() -> None:
    worlds = {SCOPE: World(), ALL: World()}
    for count, world in worlds.items():
        with world.inside():
            # The workflow that is asked is number 7: alone, the others are taken away.
            writer = agent_called("a").pk
        fill(world.tenant.pk, writer, max(count, 8 * SCOPE))
        if count == SCOPE:
            with world.inside(), connection.cursor() as cursor:
                cursor.execute(
                    "DELETE FROM memory_mention USING memory_memory m "
                    "WHERE memory_id = m.id AND workflow <> 'w7'"
                )
                cursor.execute(
                    "DELETE FROM memory_relation USING memory_memory m "
                    "WHERE memory_id = m.id AND workflow <> 'w7'"
                )
                cursor.execute("DELETE FROM memory_memory WHERE workflow <> 'w7'")
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum does
    rows = []
    for name, question in ASKED.items():
        row: list[object] = [name]
        for world in worlds.values():
            with world.inside():

                def walked(question: str = question) -> list[int]:
                    asking, named = agent_asking("a", question)
                    sight = visible(reader_of(asking, workflow="w7"), None)
                    return walk.nearest(sight, named, limit=100)

                def ask(number: int) -> None:
                    walked()

                found = len(walked())
                taken = times(ask, rounds=ROUNDS)
            row += [found, p50(taken), p95(taken)]
        rows.append([*row, f"{row[5] / row[2]:.2f}"])  # type: ignore[operator]
    table(
        f"Walk of the graph, a workflow of {SCOPE:,} memories (ms)",
        ["question", "found", "p50 alone", "p95", f"found of {ALL:,}", "p50 among", "p95", "ratio"],
        rows,
    )


_MEMORIES = """
INSERT INTO memory_memory (uid, kind, key, description, content, presence, trigger_patterns, label,
    pinned, is_auto_generated, scope, role, workflow, clock, extracted, unchecked, hash, version,
    length, source, confirmed, closed_because, writer_id)
SELECT gen_random_uuid(), 'shared', '', '', 'Note ' || n, '', '{}', '', false, false, 'global', '',
    'w' || (n / size), '{}', true, false, md5(n::text), 1, 2, '{}', 0, '', writer
FROM (SELECT %s::bigint AS writer, %s::bigint AS size) given, generate_series(0, %s - 1) AS n
"""
_ENTITIES = """
INSERT INTO memory_entity (name, shown)
SELECT name, name FROM (
    SELECT 'thing ' || w || 'x' || n AS name
    FROM generate_series(0, %s - 1) AS w, generate_series(0, 499) AS n
    UNION ALL SELECT 'tool ' || n FROM generate_series(0, 49) AS n
    UNION ALL SELECT 'headquarters'
) named
"""
_MENTIONS = """
INSERT INTO memory_mention (memory_id, entity_id)
SELECT m.id, e.id
FROM (SELECT id, workflow, substr(content, 6)::bigint AS n FROM memory_memory
      WHERE tenant_id = %s) m
CROSS JOIN LATERAL (VALUES
    ('thing ' || substr(workflow, 2) || 'x' || n %% 500),
    ('thing ' || substr(workflow, 2) || 'x' || (n * 7 + 3) %% 500),
    ('tool ' || n %% 50), ('headquarters')) AS said(name)
JOIN memory_entity e ON e.tenant_id = %s AND e.name = said.name
ON CONFLICT DO NOTHING
"""
_RELATIONS = """
INSERT INTO memory_relation (memory_id, subject_id, verb, object_id)
SELECT m.id, one.id, 'needs', other.id
FROM (SELECT id, workflow, substr(content, 6)::bigint AS n FROM memory_memory
      WHERE tenant_id = %s) m
JOIN memory_entity one
    ON one.tenant_id = %s AND one.name = 'thing ' || substr(workflow, 2) || 'x' || n %% 500
JOIN memory_entity other
    ON other.tenant_id = %s AND other.name = 'thing ' || substr(workflow, 2) || 'x'
       || (n * 7 + 3) %% 500
UNION ALL
SELECT m.id, one.id, 'uses', other.id
FROM (SELECT id, workflow, substr(content, 6)::bigint AS n FROM memory_memory
      WHERE tenant_id = %s) m
JOIN memory_entity one
    ON one.tenant_id = %s AND one.name = 'thing ' || substr(workflow, 2) || 'x' || n %% 500
JOIN memory_entity other ON other.tenant_id = %s AND other.name = 'tool ' || n %% 50
"""
