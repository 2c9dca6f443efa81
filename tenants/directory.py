"""What must be known before a tenant is: ids, from functions of the owner's (D4). A key's tenant
`tenants.context` asks for itself, on the way in.

The functions answer ids and slugs only; the row itself is then read again inside `within`.
"""

from uuid import UUID

from django.db import connection


def _one(sql: str, value: str | int | UUID) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(sql, [value])
        row = cursor.fetchone()
    return None if row is None else row[0]


def tenant_of_slug(slug: str) -> int | None:
    return _one("SELECT tenant_of_slug(%s)", slug)


def tenant_of_agent(uid: UUID) -> int | None:
    return _one("SELECT tenant_of_agent(%s)", uid)


def tenants_of_user(user_id: int) -> list[tuple[int, str]]:
    """(tenant id, slug) of each membership, oldest tenant first."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, slug FROM tenants_of_user(%s)", [user_id])
        return list(cursor.fetchall())


def tenants_with_work(stage: str, limit: int = 1_000) -> list[int]:
    """Tenants with rows for a stage (`memory.stages` names them), the longest waiting first."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id FROM tenants_with_work(%s, %s)", [stage, limit])
        return [row[0] for row in cursor.fetchall()]
