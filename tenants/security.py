"""Migration operations that give a table its tenant: policy, composite keys, narrow rights.

Each is reversible. `TenantTable` belongs in the migration that creates the table, after all
tables of that migration that it refers to.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from tenants.models.base import InTenantKey

# Read once a statement instead of at every row, and not by the planner: it expects as much of any
# tenant, so a plan that was made for one tenant serves the others, and one it has never heard of.
THIS_TENANT = "(SELECT nullif(current_setting('app.tenant', true), '')::bigint)"


def app_role() -> str:
    """The role that the application connects as: owns nothing, is held by every policy."""
    return str(settings.DATABASES["default"]["USER"])


def _only(column: str) -> str:
    """What a policy says: of the open tenant alone, to read and to write."""
    return f"USING ({column} = {THIS_TENANT}) WITH CHECK ({column} = {THIS_TENANT})"


class _Sql(Operation):
    """Runs `up` and `down`; changes no model state."""

    reduces_to_sql = True
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        pass

    def up(
        self, editor: BaseDatabaseSchemaEditor, app_label: str, state: ProjectState
    ) -> list[str]:
        raise NotImplementedError

    def down(
        self, editor: BaseDatabaseSchemaEditor, app_label: str, state: ProjectState
    ) -> list[str]:
        raise NotImplementedError

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for statement in self.up(schema_editor, app_label, to_state):
            schema_editor.execute(statement)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for statement in self.down(schema_editor, app_label, from_state):
            schema_editor.execute(statement)


def _composite(model: Any, field: InTenantKey) -> tuple[str, str]:
    """The name and the SQL of one composite key."""
    table, column = model._meta.db_table, field.column
    name = f"{table}_{column}_in_tenant"[:63]
    target = field.remote_field.model._meta.db_table
    return name, (
        f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" '
        f'FOREIGN KEY (tenant_id, "{column}") REFERENCES "{target}" (tenant_id, id) '
        "DEFERRABLE INITIALLY DEFERRED"
    )


def _is_indexed(model: Any, field: InTenantKey) -> bool:
    """Does an index over all rows start with (tenant, this key) already?"""
    for index in [*model._meta.indexes, *model._meta.constraints]:
        fields = [str(name).lstrip("-") for name in getattr(index, "fields", ())]
        expressions = [getattr(part, "name", "") for part in getattr(index, "expressions", ())]
        columns = (fields or expressions)[:2]
        if columns == ["tenant", field.name] and getattr(index, "condition", None) is None:
            return True
    return False


def _index(model: Any, field: InTenantKey) -> tuple[str, str]:
    """The name and the SQL of the index by which a composite key is followed."""
    table, column = model._meta.db_table, field.column
    name = f"{table}_{column}_key"[:63]
    where = f' WHERE "{column}" IS NOT NULL' if field.null else ""
    return name, f'CREATE INDEX "{name}" ON "{table}" (tenant_id, "{column}"){where}'


class TenantTable(_Sql):
    """Row-level security with one policy, `UNIQUE (tenant_id, id)`, composite foreign keys."""

    def __init__(self, model: str) -> None:
        self.model = model

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return "TenantTable", [self.model], {}

    def describe(self) -> str:
        return f"Hold {self.model} to its tenant"

    def _keys(
        self, app_label: str, state: ProjectState
    ) -> tuple[str, list[tuple[str, str]], list[tuple[str, str]]]:
        """The table, its composite keys (name, SQL), and the indexes they need (name, SQL)."""
        model: Any = state.apps.get_model(app_label, self.model)
        fields = [f for f in model._meta.local_fields if isinstance(f, InTenantKey)]
        indexes = [_index(model, field) for field in fields if not _is_indexed(model, field)]
        return model._meta.db_table, [_composite(model, field) for field in fields], indexes

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        table, keys, indexes = self._keys(app_label, state)
        return [
            f'ALTER TABLE "{table}" ADD CONSTRAINT "{table}_tenant_key" UNIQUE (tenant_id, id)',
            f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY',
            f'CREATE POLICY tenant_rows ON "{table}" {_only("tenant_id")}',
            *(sql for _, sql in keys + indexes),
        ]

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        table, keys, indexes = self._keys(app_label, state)
        return [
            *(f'DROP INDEX "{name}"' for name, _ in indexes),
            *(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"' for name, _ in reversed(keys)),
            f'DROP POLICY tenant_rows ON "{table}"',
            f'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY',
            f'ALTER TABLE "{table}" DROP CONSTRAINT "{table}_tenant_key"',
        ]


class Freed(TenantTable):
    """Take back what `TenantTable` did, before the migration that drops the table does."""

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return "Freed", [self.model], {}

    def describe(self) -> str:
        return f"Free {self.model} from its tenant"

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return super().down(editor, app_label, state)

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return super().up(editor, app_label, state)


class CompositeKey(_Sql):
    """The composite key, and its index, of one `InTenantKey` added to a table that exists."""

    def __init__(self, model: str, field: str) -> None:
        self.model, self.field = model, field

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return "CompositeKey", [self.model, self.field], {}

    def describe(self) -> str:
        return f"Hold {self.model}.{self.field} to its tenant"

    def _field(self, app_label: str, state: ProjectState) -> tuple[Any, InTenantKey]:
        model: Any = state.apps.get_model(app_label, self.model)
        return model, model._meta.get_field(self.field)

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        model, field = self._field(app_label, state)
        key = [_composite(model, field)[1]]
        return key if _is_indexed(model, field) else [*key, _index(model, field)[1]]

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        model, field = self._field(app_label, state)
        drop = (
            f'ALTER TABLE "{model._meta.db_table}" DROP CONSTRAINT "{_composite(model, field)[0]}"'
        )
        if _is_indexed(model, field):
            return [drop]
        return [drop, f'DROP INDEX "{_index(model, field)[0]}"']


class NumberKey(_Sql):
    """A composite key for a plain number column that points up the layers (Token → Agent)."""

    def __init__(self, table: str, column: str, target: str) -> None:
        self.table, self.column, self.target = table, column, target

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return "NumberKey", [self.table, self.column, self.target], {}

    def describe(self) -> str:
        return f"Hold {self.table}.{self.column} to its tenant"

    @property
    def _name(self) -> str:
        return f"{self.table}_{self.column}_in_tenant"[:63]

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [
            f'ALTER TABLE "{self.table}" ADD CONSTRAINT "{self._name}" '
            f'FOREIGN KEY (tenant_id, "{self.column}") REFERENCES "{self.target}" (tenant_id, id) '
            "ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
        ]

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [f'ALTER TABLE "{self.table}" DROP CONSTRAINT "{self._name}"']


class _OnTable(_Sql):
    """An operation that knows its table and nothing else."""

    what = ""

    def __init__(self, table: str) -> None:
        self.table = table

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return type(self).__name__, [self.table], {}

    def describe(self) -> str:
        return self.what.format(table=self.table)


class OwnRowOnly(_OnTable):
    """The tenant table itself: a row is seen and written only under its own id."""

    what = "Hold {table} to the open tenant"

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [
            f'ALTER TABLE "{self.table}" ENABLE ROW LEVEL SECURITY',
            f'CREATE POLICY tenant_rows ON "{self.table}" {_only("id")}',
        ]

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [
            f'DROP POLICY tenant_rows ON "{self.table}"',
            f'ALTER TABLE "{self.table}" DISABLE ROW LEVEL SECURITY',
        ]


class PlannedForAnyTenant(_Sql):
    """Policies that were made before `THIS_TENANT` was a SELECT, as they are made now."""

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return "PlannedForAnyTenant", [], {}

    def describe(self) -> str:
        return "Hide the open tenant from the planner"

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        with editor.connection.cursor() as cursor:
            cursor.execute(
                "SELECT polrelid::regclass::text FROM pg_policy WHERE polname = 'tenant_rows'"
            )
            tables = [table for (table,) in cursor.fetchall()]
        columns = {table: "id" if table == "tenants_tenant" else "tenant_id" for table in tables}
        return [
            f"ALTER POLICY tenant_rows ON {table} {_only(column)}"
            for table, column in columns.items()
        ]

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return []  # both say the same


class AppendOnly(_OnTable):
    """The application may insert and read, not change or remove."""

    what = "Let the application only add to {table}"

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [f'REVOKE UPDATE, DELETE, TRUNCATE ON "{self.table}" FROM "{app_role()}"']

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [f'GRANT UPDATE, DELETE ON "{self.table}" TO "{app_role()}"']


class Unlogged(_OnTable):
    """Counters that may be lost in a crash need no write-ahead log."""

    what = "Keep {table} out of the write-ahead log"

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [f'ALTER TABLE "{self.table}" SET UNLOGGED']

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [f'ALTER TABLE "{self.table}" SET LOGGED']


class NotReferredTo(_OnTable):
    """A leaf: no key leads to its rows, so it needs no `UNIQUE (tenant_id, id)`."""

    what = "Let nothing refer to {table}"

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [f'ALTER TABLE "{self.table}" DROP CONSTRAINT "{self.table}_tenant_key"']

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [
            f'ALTER TABLE "{self.table}" '
            f'ADD CONSTRAINT "{self.table}_tenant_key" UNIQUE (tenant_id, id)'
        ]


class DecidesTenant(_Sql):
    """Tell the planner that rows of one `column` are of one tenant.

    It would take the two for independent, and expect of a small tenant no row where there are
    thousands: loops instead of hashes, and whichever index. Counts from the next ANALYZE on.
    """

    def __init__(self, table: str, column: str) -> None:
        self.table, self.column = table, column

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return "DecidesTenant", [self.table, self.column], {}

    def describe(self) -> str:
        return f"Say that {self.table}.{self.column} decides the tenant"

    @property
    def _name(self) -> str:
        return f"{self.table}_{self.column}_tenant"[:63]

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [
            f'CREATE STATISTICS "{self._name}" (dependencies) '
            f'ON tenant_id, "{self.column}" FROM "{self.table}"'
        ]

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return [f'DROP STATISTICS "{self._name}"']


class Function(_Sql):
    """A SECURITY DEFINER function from a file, executable by the application's role alone.

    `signature` is the name with its argument types: `tenant_of_key(text)`.
    """

    def __init__(self, signature: str, file: str, earlier: str | None = None) -> None:
        self.signature, self.file, self.earlier = signature, file, earlier

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        return "Function", [self.signature, self.file, self.earlier], {}

    def describe(self) -> str:
        return f"Create function {self.signature}"

    def _create(self, file: str) -> list[str]:
        return [
            (Path(settings.BASE_DIR) / file).read_text(encoding="utf-8"),
            f"REVOKE ALL ON FUNCTION {self.signature} FROM PUBLIC",
            f'GRANT EXECUTE ON FUNCTION {self.signature} TO "{app_role()}"',
        ]

    def up(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        return self._create(self.file)

    def down(self, editor: Any, app_label: str, state: ProjectState) -> list[str]:
        if self.earlier is not None:
            return self._create(self.earlier)
        return [f"DROP FUNCTION {self.signature}"]
