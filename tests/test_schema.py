"""What every table obeys (D1, D5, D8): read from the catalogue, so a new table cannot forget it."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import connection, models

from tenants.models import InTenantKey, TenantRow

pytestmark = pytest.mark.django_db

# Tables of the installation: no tenant, no memory text (D5, G5).
INSTALLATION = {
    "auth_group", "auth_group_permissions", "auth_permission", "auth_user", "auth_user_groups",
    "auth_user_user_permissions", "django_admin_log", "django_content_type", "django_migrations",
    "django_session", "django_celery_beat_clockedschedule", "django_celery_beat_crontabschedule",
    "django_celery_beat_intervalschedule", "django_celery_beat_periodictask",
    "django_celery_beat_periodictasks", "django_celery_beat_solarschedule", "memory_run",
    "tenants_ratewindow", "tenants_tenant",
}  # fmt: skip


def rows(sql: str, *values: object) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)  # type: ignore[arg-type]
        return list(cursor.fetchall())


def tables() -> set[str]:
    return {
        str(name) for (name,) in rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    }


def tenant_tables() -> list[str]:
    return sorted(tables() - INSTALLATION)


def tenant_models() -> Iterator[type[models.Model]]:
    for model in apps.get_models():
        if issubclass(model, TenantRow):
            yield model


def test_a_table_is_an_installation_table_by_name_or_belongs_to_a_tenant() -> None:
    assert tables() >= INSTALLATION
    assert tenant_tables() == sorted(model._meta.db_table for model in tenant_models())


def test_every_tenant_table_has_a_tenant_that_cannot_be_null() -> None:
    found = rows(
        "SELECT table_name FROM information_schema.columns WHERE column_name = 'tenant_id' "
        "AND is_nullable = 'NO' AND table_schema = 'public'"
    )
    assert {name for (name,) in found} == set(tenant_tables())


def test_every_tenant_table_has_one_policy_for_reading_and_writing() -> None:
    secured = rows(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relrowsecurity AND n.nspname = 'public'"
    )
    assert {name for (name,) in secured} == {*tenant_tables(), "tenants_tenant"}
    policies = rows("SELECT tablename, cmd, permissive, qual, with_check FROM pg_policies")
    assert sorted(str(p[0]) for p in policies) == sorted([*tenant_tables(), "tenants_tenant"])
    for table, command, permissive, reading, writing in policies:
        column = "id" if table == "tenants_tenant" else "tenant_id"
        assert (command, permissive) == ("ALL", "PERMISSIVE"), table
        assert reading == writing, table
        assert str(reading).startswith(f"({column} = "), table
        assert "( SELECT" in str(reading), table  # once a statement, and not by the planner
        assert "app.tenant" in str(reading), table


LEAVES = {"memory_posting", "memory_memoryvector"}  # nothing may refer to these


def test_every_tenant_table_can_be_referred_to_within_its_tenant() -> None:
    assert not {target for _, target, *_ in foreign_keys()} & LEAVES
    for table in set(tenant_tables()) - LEAVES:
        unique = rows(
            "SELECT 1 FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'u' "
            "AND pg_get_constraintdef(oid) = 'UNIQUE (tenant_id, id)'",
            table,
        )
        assert unique, table


def foreign_keys() -> list[tuple[str, str, str, bool, bool]]:
    return [
        (str(a), str(b), str(c), bool(d), bool(e))
        for a, b, c, d, e in rows(
            "SELECT conrelid::regclass::text, confrelid::regclass::text, "
            "pg_get_constraintdef(oid), condeferrable, condeferred "
            "FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace"
        )
    ]


def test_keys_between_tenant_tables_are_composite_and_deferred() -> None:
    ours = set(tenant_tables())
    between = [key for key in foreign_keys() if key[0] in ours and key[1] in ours]
    assert between
    for table, _, definition, deferrable, deferred in between:
        assert definition.startswith("FOREIGN KEY (tenant_id, "), (table, definition)
        assert "(tenant_id, id)" in definition, (table, definition)
        assert (deferrable, deferred) == (True, True), (table, definition)


def test_every_relation_in_code_has_its_key_in_the_database() -> None:
    definitions = {(table, definition.split(")")[0]) for table, _, definition, *_ in foreign_keys()}
    for model in tenant_models():
        for field in model._meta.local_fields:
            if not isinstance(field, models.ForeignKey):
                continue
            related = field.remote_field.model
            if issubclass(related, TenantRow):
                assert isinstance(field, InTenantKey), field
                wanted = (model._meta.db_table, f"FOREIGN KEY (tenant_id, {field.column}")
                assert wanted in definitions, field


def test_every_unique_index_of_a_tenant_table_starts_with_the_tenant() -> None:
    for table in tenant_tables():
        for (definition,) in rows(
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index "
            "WHERE indrelid = %s::regclass AND indisunique AND NOT indisprimary",
            table,
        ):
            assert "(tenant_id" in str(definition), definition


def test_where_an_agent_or_visitor_may_be_missing_two_missing_ones_are_equal() -> None:
    for table, name in [
        ("memory_memory", "memory_learned_key_unique"),
        ("agents_conversation", "conversation_external_id_unique"),
    ]:
        (found,) = rows("SELECT pg_get_indexdef(%s::regclass)", name)
        assert "NULLS NOT DISTINCT" in str(found[0]), table


def test_every_key_between_tenant_tables_has_an_index_to_follow() -> None:
    for model in tenant_models():
        for field in model._meta.local_fields:
            if not isinstance(field, InTenantKey):
                continue
            found = rows(
                "SELECT indexdef FROM pg_indexes WHERE tablename = %s AND "
                "(indexdef LIKE %s OR indexdef LIKE %s)",
                model._meta.db_table,
                f"%(tenant_id, {field.column})%",
                f"%(tenant_id, {field.column}, %",
            )
            assert found, field


def test_the_application_role_is_ordinary_and_owns_nothing() -> None:
    ((role, superuser, bypass),) = rows(
        "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    )
    assert (role, superuser, bypass) == ("keepsake_app", False, False)
    assert rows("SELECT 1 FROM pg_class WHERE relowner = current_user::regrole") == []


def test_the_audit_can_be_added_to_and_read_only() -> None:
    for table in ("tenants_auditentry", "tenants_auditseal"):
        for right, may in [
            ("SELECT", True),
            ("INSERT", True),
            ("UPDATE", False),
            ("DELETE", False),
        ]:
            assert rows("SELECT has_table_privilege(%s, %s)", table, right) == [(may,)]


def test_the_directory_answers_the_application_alone_and_only_ids() -> None:
    found = rows(
        "SELECT p.oid::regprocedure::text, p.prosecdef, p.proconfig::text, "
        "has_function_privilege('public', p.oid, 'EXECUTE'), "
        "has_function_privilege(current_user, p.oid, 'EXECUTE'), "
        "pg_get_function_result(p.oid) "
        "FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
        "WHERE n.nspname = 'public' AND (p.proname LIKE 'tenant%%')"
    )
    assert {str(row[0]) for row in found} == {
        "tenant_of_agent(uuid)",
        "tenant_of_key(text)",
        "tenant_of_slug(text)",
        "tenants_of_user(bigint)",
        "tenants_with_work(text,integer)",
    }
    for name, definer, config, everyone, application, result in found:
        assert definer, name
        assert "search_path=public" in str(config), name
        assert (everyone, application) == (False, True), name
        assert result in (
            "bigint", "TABLE(tenant_id bigint)", "TABLE(tenant_id bigint, slug text)",
        ), name  # fmt: skip


def test_a_vector_column_never_has_a_fixed_size() -> None:
    sizes = rows("SELECT atttypmod FROM pg_attribute WHERE atttypid = 'vector'::regtype")
    assert sizes
    assert {size for (size,) in sizes} == {-1}
