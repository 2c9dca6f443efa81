"""Statements that run again and again: read and planned once a connection, not at every call.

Most of what a short statement costs is its plan. `within` asks for one that holds for every tenant
(`plan_cache_mode`), so what is prepared must not hang on its values: ids as one array, and no
LIMIT by which an index would be chosen.
"""

from contextlib import AbstractContextManager
from typing import Any

from django.db import connection
from django.db.backends.postgresql.base import ServerBindingCursor
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper


def prepared() -> CursorWrapper:
    """`connection.cursor()` whose statements are prepared once they are repeated.

    Parameters travel beside the text, so each needs a place where Postgres knows its type. Behind
    a pooler that loses prepared statements (`DATABASE_PREPARES`) nothing is prepared.
    """
    connection.ensure_connection()
    made: Any = ServerBindingCursor
    with connection.wrap_database_errors:
        cursor = made(connection.connection)
    return (_Logged if connection.queries_logged else CursorWrapper)(cursor, connection)


class _Logged(CursorDebugWrapper):
    """Logs a statement as it is written: of one that is prepared the cursor keeps no text."""

    def debug_sql(
        self,
        sql: str | None = None,
        params: Any = None,
        use_last_executed_query: bool = False,
        many: bool = False,
    ) -> AbstractContextManager[None]:
        return super().debug_sql(sql, params, many=many)
