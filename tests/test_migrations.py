"""Every migration of ours goes forth and back, and the models have none missing."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

OURS = ("memory", "agents", "tenants")


@pytest.mark.django_db(databases=["default", "owner"])
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_migrations_go_back_to_nothing_and_forth_again(
    django_db_blocker: Any,
) -> None:
    owner = connections["owner"]

    def tables() -> set[str]:
        with owner.cursor() as cursor:
            return {t for t in owner.introspection.table_names(cursor) if t.split("_")[0] in OURS}

    before = tables()
    connections["default"].close()
    try:
        executor = MigrationExecutor(owner)
        executor.migrate([(app, None) for app in OURS])
        assert tables() == set()
        with owner.cursor() as cursor:
            cursor.execute("SELECT proname FROM pg_proc WHERE proname LIKE 'tenant%%of%%'")
            assert cursor.fetchall() == []
    finally:
        executor = MigrationExecutor(owner)
        executor.migrate(executor.loader.graph.leaf_nodes())
        with owner.cursor() as cursor:
            cursor.execute("GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO keepsake_app")
    assert tables() == before
