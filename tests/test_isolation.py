"""Nothing crosses tenants: tried as the application's role, on every tenant table there is."""

from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from agents.models import Agent, Conversation
from memory.models import Memory, Mutation
from tenants.context import within
from tenants.models import Tenant
from tests.factories import World, make_memory, make_mutation
from tests.test_schema import tenant_tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def two() -> tuple[World, World]:
    worlds = World(), World()
    for world in worlds:
        with world.inside():
            make_memory(world.agent, world.visitor)
            make_mutation(world.agent, world.visitor)
    return worlds


def count(table: str, where: str = "true") -> int:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT count(*) FROM "{table}" WHERE {where}')
        return int(cursor.fetchone()[0])


def test_each_table_shows_only_the_open_tenants_rows(two: tuple[World, World]) -> None:
    for world in two:
        with world.inside():
            for table in tenant_tables():
                assert count(table, f"tenant_id <> {world.tenant.pk}") == 0, table
            assert Memory.objects.count() == 1
            assert Mutation.objects.count() == 1
            assert Tenant.objects.count() == 1


def test_without_a_tenant_each_table_is_empty(two: tuple[World, World]) -> None:
    for table in [*tenant_tables(), "tenants_tenant"]:
        assert count(table) == 0, table


@pytest.mark.parametrize("verb", ["update", "delete"])
def test_a_statement_without_a_filter_reaches_nobody_else(
    two: tuple[World, World], verb: str
) -> None:
    here, there = two
    with here.inside():
        if verb == "update":
            assert Agent.objects.update(name="renamed") == 1
        else:
            Mutation.objects.all().delete()
    with there.inside():
        assert Agent.objects.get().name != "renamed"
        assert Mutation.objects.count() == 1


def test_a_row_cannot_move_into_another_tenant(two: tuple[World, World]) -> None:
    here, there = two
    with pytest.raises(DatabaseError, match="row-level security"), here.inside():
        Agent.objects.update(tenant_id=there.tenant.pk)


def test_a_key_cannot_point_into_another_tenant(two: tuple[World, World]) -> None:
    here, there = two

    def try_with(**keys: Any) -> None:
        with transaction.atomic(), here.inside(), connection.cursor() as cursor:
            Conversation.objects.create(**keys)
            with pytest.raises(IntegrityError), transaction.atomic():
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            transaction.set_rollback(True)

    try_with(agent_id=there.agent.pk, visitor_id=here.visitor.pk)
    try_with(agent_id=here.agent.pk, visitor_id=there.visitor.pk)


def test_a_search_path_trick_does_not_reach_the_directory(two: tuple[World, World]) -> None:
    """A table of the caller's own, put before the real one, is not what the function reads."""
    here, _ = two
    with here.inside(), connection.cursor() as cursor:
        try:
            with transaction.atomic():
                cursor.execute("CREATE TEMP TABLE tenants_tenant (id bigint, slug text)")
                cursor.execute("INSERT INTO pg_temp.tenants_tenant VALUES (666, 'evil')")
                cursor.execute("SELECT tenant_of_slug('evil')")
                assert cursor.fetchone() == (None,)
                raise _Enough
        except (_Enough, DatabaseError):
            pass  # no right to make temporary tables is as good an answer


class _Enough(Exception):
    pass


def test_two_tenants_may_use_the_same_names(two: tuple[World, World]) -> None:
    for world in two:
        with within(world.tenant.pk):
            Agent.objects.create(slug="ava", name="Ava")
