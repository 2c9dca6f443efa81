"""One writer at a time in a workflow, where writes are compared with each other (D30).

The whole workflow, not a fact or a scope of it: what contradicts may stand in another scope.
"""

from django.db import connection


def hold_workflow(workflow: str) -> None:
    """Wait for the workflow's lock; the transaction's end lets go. "" is work in none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended("
            "'workflow:' || %s, current_setting('app.tenant')::bigint))",
            [workflow],
        )
