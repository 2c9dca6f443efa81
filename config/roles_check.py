"""Refuses to serve with a database role that row-level security would not hold."""

from collections.abc import Iterable
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.base import DatabaseWrapper

# `session_user`: what the connection may become again by RESET ROLE is what counts.
QUESTION = """
    SELECT session_user, r.rolsuper, r.rolbypassrls,
           (SELECT min(c.relname::text) FROM pg_class c
             WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
               AND pg_has_role(session_user, c.relowner, 'MEMBER'))
      FROM pg_roles r WHERE r.rolname = session_user
"""


def problem_with(connection: BaseDatabaseWrapper) -> str | None:
    """Say why this connection must not serve tenants, or None if it may."""
    with connection.cursor() as cursor:
        cursor.execute(QUESTION)
        role, superuser, bypasses, owned = cursor.fetchone()
    if superuser:
        why = "is a superuser"
    elif bypasses:
        why = "has BYPASSRLS"
    elif owned is not None:
        why = f"owns the table {owned}, or is a member of the role that does"
    else:
        return None
    return (
        f"DATABASE_URL connects as {role}, which {why}: row-level security would not hold. "
        "Use a role that owns nothing (docs/postgres.md)."
    )


class UnsafeRole(Exception):
    """The start is refused; the message says what to change."""


def refuse_unsafe_role() -> None:
    """Raise UnsafeRole unless `default` is an ordinary role that owns nothing."""
    connection = connections["default"]
    try:
        problem = problem_with(connection)
    finally:
        connection.close()
        if isinstance(connection, DatabaseWrapper):
            connection.close_pool()  # opened again by whoever needs it: it outlives no fork
    if problem is not None:
        raise UnsafeRole(problem)


@register(Tags.database)
def check_role(databases: Iterable[str] | None, **kwargs: Any) -> list[CheckMessage]:
    """`check --database default` says the same."""
    if "default" not in (databases or ()):
        return []
    problem = problem_with(connections["default"])
    return [Error(problem, id="keepsake.E001")] if problem else []
