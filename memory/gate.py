"""Every write derived from a person's words asks here first (D18)."""

from dataclasses import dataclass

from django.db import connection


@dataclass(frozen=True)
class Shut:
    """Why nothing may be written: shown to the caller, counted, never an error."""

    reason: str


MEMORY_OFF = Shut("memory is off")
PERSON_OFF = Shut("the person switched memory off")
GONE = Shut("gone")


def gate(*, agent_id: int | None, visitor_id: int | None) -> Shut | None:
    """Lock the visitor FOR KEY SHARE and read the switches again; None means go on.

    Inside `within`; one statement. Erase locks the visitor FOR UPDATE and deletes it, so whoever
    passes here holds off an erase until the transaction ends, and whoever comes later finds it
    gone. What a person writes by hand is not held up by PERSON_OFF: those callers let it pass.
    """
    enabled, captured, joins = "t.memory_enabled", "true", ""
    keys: list[int] = []
    if agent_id is not None:
        enabled += " AND a.memory_enabled"
        joins += "JOIN agents_agent a ON a.id = %s "
        keys.append(agent_id)
    if visitor_id is not None:
        captured = "v.auto_capture_enabled"
        joins += "JOIN agents_visitor v ON v.id = %s FOR KEY SHARE OF v"
        keys.append(visitor_id)
    with connection.cursor() as cursor:
        # Django has no FOR KEY SHARE, and NO KEY UPDATE would make two captures queue.
        cursor.execute(f"SELECT {enabled}, {captured} FROM tenants_tenant t {joins}", keys)  # noqa: S608
        row = cursor.fetchone()
    if row is None:
        return GONE
    on, may_capture = row
    if not on:
        return MEMORY_OFF
    return None if may_capture else PERSON_OFF
