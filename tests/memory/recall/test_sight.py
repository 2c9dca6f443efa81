"""Groups as a condition and as a column, and what the planner knows of a tenant's rows."""

import pytest
from django.db import connection, connections

from memory.models import Memory, Presence, Reader
from memory.recall.sight import EVERYWHERE, GROUP, HERE, KNOWLEDGE, SHARED, among, visible
from tests.factories import World, make_memory
from tests.memory.recall.conftest import Memories

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

GROUPS = [*map(str, Presence), EVERYWHERE, HERE, KNOWLEDGE, SHARED]
# Every kind of row, with and without an agent; constraints are not the matter here.
EVERY_ROW = """
SELECT row_number() OVER () AS id, kind, presence, agent_id
FROM unnest(ARRAY['learned', 'person', 'knowledge', 'shared']) AS kind,
     unnest(ARRAY['', 'omnipresent', 'pattern', 'on-demand']) AS presence,
     unnest(ARRAY[NULL, 7]) AS agent_id
"""


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_is_asked_for_as_it_is_told(group: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT ({among([group])}) = ({GROUP} = %s) FROM ({EVERY_ROW}) every",
            [group],
        )
        assert all(same for (same,) in cursor.fetchall())


def test_several_groups_are_all_of_them_and_none_is_none() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FILTER (WHERE {among([HERE, SHARED])}),"
            f" count(*) FILTER (WHERE {among([])}) FROM ({EVERY_ROW}) every"
        )
        assert cursor.fetchone() == (4 + 8, 0)


def test_an_unknown_group_is_refused() -> None:
    with pytest.raises(KeyError):
        among(["elsewhere"])


def test_the_planner_expects_a_small_tenants_rows(world: Memories) -> None:
    """Beside a tenant with nearly all rows, it took a small one's for none, and chose by that."""
    with world.inside():
        ids = [make_memory(world.agent, None, f"one two three {n} {n}x").pk for n in range(20)]
    crowd = World()
    with crowd.inside():
        theirs = make_memory(crowd.agent, None, "theirs")
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "INSERT INTO memory_posting (tenant_id, term, memory_id, count) "
            "SELECT %s, 'word' || number, %s, 1 FROM generate_series(1, 15000) AS number",
            [crowd.tenant.pk, theirs.pk],
        )
        cursor.execute("ANALYZE memory_posting")
    with world.inside(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memory_posting WHERE memory_id = ANY(%s)", [ids])
        (real,) = cursor.fetchone()
        cursor.execute(
            "EXPLAIN (FORMAT JSON) SELECT FROM memory_posting WHERE memory_id = ANY(%s)", [ids]
        )
        (plan,) = cursor.fetchone()
    expected = plan[0]["Plan"]["Plan Rows"]
    assert real >= 80
    assert real / 3 <= expected <= real * 3


def test_a_visible_row_has_what_a_group_is_told_by() -> None:
    columns = visible(Reader.for_chat(1, None), None).sql
    for name in ("kind", "presence", "agent_id"):
        assert f'"{Memory._meta.db_table}"."{name}"' in columns.partition(" FROM ")[0]
