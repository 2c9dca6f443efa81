"""Writing the audit: ids, verbs and actors, in the transaction of what is audited."""

from collections.abc import Iterable
from typing import Any

from tenants.actor import Actor
from tenants.models import AuditEntry


def record(
    verb: str, *, by: Actor, subject: str = "", subject_id: int | None = None, **detail: Any
) -> AuditEntry:
    """Add an entry. `detail` holds ids, counts and names of fields, never a person's words."""
    return AuditEntry.objects.create(
        verb=verb,
        actor=by.sort,
        user_id=by.user_id,
        token_id=by.token_id,
        subject=subject,
        subject_id=subject_id,
        detail=detail,
    )


def record_each(
    verb: str, *, by: Actor, subject: str, subject_ids: Iterable[int], **detail: Any
) -> None:
    """The same about several subjects, an entry each, in one statement."""
    AuditEntry.objects.bulk_create(
        AuditEntry(
            verb=verb,
            actor=by.sort,
            user_id=by.user_id,
            token_id=by.token_id,
            subject=subject,
            subject_id=number,
            detail=detail,
        )
        for number in subject_ids
    )
