"""Prepared statements: planned once, the same plan for every tenant, and each tenant's own rows."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DataError, connection

from agents.models import Agent
from tenants.context import within
from tenants.prepared import prepared
from tests.factories import make_agent, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)

SLUGS = "SELECT slug FROM agents_agent WHERE slug = ANY(%s::text[]) ORDER BY slug"


@pytest.fixture(autouse=True)
def own_connection() -> Iterator[None]:
    """One that has prepared nothing yet, and that nobody gets afterwards."""
    connection.close()
    yield
    connection.close()


def slugs(*wanted: str) -> list[str]:
    with prepared() as cursor:
        cursor.execute(SLUGS, [list(wanted)])
        return [row[0] for row in cursor.fetchall()]


def plans() -> list[tuple[int, int]]:
    """Of the statement above: how often a plan for all values was used, and one for these."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements "
            "WHERE statement LIKE 'SELECT slug FROM agents_agent%%'"
        )
        return [(generic, custom) for generic, custom in cursor.fetchall()]


def test_the_same_plan_serves_tenants_their_own_rows() -> None:
    tenants = [make_tenant(), make_tenant()]
    for tenant in tenants:
        with within(tenant.pk):
            make_agent("shared")
            make_agent(tenant.slug)
    for _ in range(4):
        for tenant in tenants:
            with within(tenant.pk):
                assert slugs("shared", *(each.slug for each in tenants)) == ["shared", tenant.slug]
        assert slugs("shared") == []  # outside of a tenant
    ((generic, custom),) = plans()
    assert generic >= 5
    assert custom <= 4  # those outside, where nobody asked for one plan


def test_a_connection_that_may_not_prepare_answers_the_same() -> None:
    with within(make_tenant().pk):
        make_agent("a")
        raw: Any = connection.connection
        raw.prepare_threshold = None
        assert [slugs("a"), slugs("a", "b"), slugs("a")] == [["a"]] * 3
        assert plans() == []


def test_what_is_prepared_stays_right_when_the_table_changes() -> None:
    with within(make_tenant().pk):
        for number in range(5):
            make_agent(f"agent {number}")
            assert len(slugs(*(f"agent {n}" for n in range(9)))) == number + 1
        Agent.objects.all().delete()
        assert slugs("agent 1") == []


def test_a_statement_is_logged_as_it_is_written() -> None:
    connection.force_debug_cursor = True
    try:
        with within(make_tenant().pk):
            connection.queries_log.clear()
            for _ in range(4):
                slugs("a")
        assert [each["sql"] for each in connection.queries_log].count(SLUGS) == 4
    finally:
        connection.force_debug_cursor = False


def test_a_fault_is_the_databases_own() -> None:
    with within(make_tenant().pk), pytest.raises(DataError), prepared() as cursor:
        cursor.execute("SELECT 1 / %s::int", [0])
