"""How much each workflow wrote and searched: a counter row a workflow and day (G18)."""

from datetime import date, timedelta

from django.db import connection
from django.db.models import Sum

from memory.models import WorkflowUsage
from tenants.prepared import prepared

LONGEST = 365  # days that are kept, so the most that may be asked for


def count(workflow: str | None, *, writes: int = 0, searches: int = 0) -> None:
    """Add to today's counters of a workflow; without one nothing is counted.

    One statement in the caller's transaction, inside `within`: a write that is taken back counts
    nothing. It holds the row until the transaction ends, so call it as the last thing.
    """
    if not workflow or not (writes or searches):
        return
    with prepared() as cursor:
        cursor.execute(_COUNT, [workflow, writes, searches])


def per_workflow(days: int) -> dict[str, dict[str, int]]:
    """`{workflow: {"writes", "searches"}}` of the last `days` days, today among them, by name."""
    found = (
        WorkflowUsage.objects.filter(day__gt=_today_minus(days))
        .values("workflow")
        .annotate(written=Sum("writes"), searched=Sum("searches"))
        .order_by("workflow")
    )
    return {
        row["workflow"]: {"writes": row["written"], "searches": row["searched"]} for row in found
    }


def _today_minus(days: int) -> date:
    with connection.cursor() as cursor:
        cursor.execute("SELECT (now() AT TIME ZONE 'UTC')::date")
        today: date = cursor.fetchone()[0]
    return today - timedelta(days=days)


_COUNT = """
INSERT INTO memory_workflowusage AS u (workflow, day, writes, searches)
VALUES (%s, (now() AT TIME ZONE 'UTC')::date, %s, %s)
ON CONFLICT (tenant_id, day, workflow) DO UPDATE
SET writes = u.writes + excluded.writes, searches = u.searches + excluded.searches
"""
