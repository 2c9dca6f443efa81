"""A search is planned once for all tenants, so nothing in the plan may hang on whose it is."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, connections

from agents.models import Agent
from memory.models import Reader
from memory.recall.fusion import best_of, ranked_of
from memory.recall.query import prepare
from memory.recall.sight import visible
from tenants.context import within
from tests.factories import make_agent, make_memory, make_tenant
from tests.fakes import StubEmbedder

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

_TEXTS = "SELECT * FROM best JOIN memory_memory USING (id)"
Legs = Callable[..., tuple[str, list[Any]]]


def plan(agent: Agent, legs: Legs) -> str:
    """As it is made for a statement that is prepared: no value is known, and only the open
    tenant could be."""
    query = prepare("who waters the plants", space=StubEmbedder().space, timeout=5)
    sql, values = legs(visible(Reader.for_chat(agent.pk, None), None), query, limit=5)
    places = (
        f"${n}::float8" if isinstance(value, float) else f"${n}"
        for n, value in enumerate(values, 1)
    )
    sql = re.sub("%s", lambda _: next(places), sql).replace("%%", "%")
    with connection.cursor() as cursor:
        cursor.execute(
            f"EXPLAIN (GENERIC_PLAN) {sql} SELECT * FROM best JOIN memory_memory USING (id)"
        )
        return "\n".join(line for (line,) in cursor.fetchall())


@pytest.mark.parametrize("legs", [best_of, ranked_of])
def test_the_plan_is_the_same_in_every_tenant(embedder: StubEmbedder, legs: Legs) -> None:
    large, small, later = make_tenant(), make_tenant(), make_tenant()
    agents: dict[int, Agent] = {}
    for tenant, count in ((large, 400), (small, 3)):
        with within(tenant.pk):
            agents[tenant.pk] = make_agent()
            for number in range(count):
                make_memory(agents[tenant.pk], None, f"Note {number} about plants and pots.")
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
    with within(later.pk):  # nothing is known of it
        agents[later.pk] = make_agent()
    plans = set()
    for tenant in (large, small, later):
        with within(tenant.pk):
            plans.add(plan(agents[tenant.pk], legs))
    assert len(plans) == 1
