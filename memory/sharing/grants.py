"""Access grants: an agent may read what others wrote in a role and scope, for a time."""

from datetime import datetime
from uuid import UUID

from memory.models import AccessGrant
from memory.sharing.agents import agent_called
from tenants.actor import Actor
from tenants.audit import record


class Past(ValueError):
    """A grant that would have ended before it begins."""


def grant(
    *, role: str, to: str, scope: str, until: datetime | None = None, by: Actor
) -> AccessGrant:
    """From now on, by the database's clock, until `until`.

    Past if that is not ahead: the row is written already, so the caller's block has to end.
    """
    made = AccessGrant.objects.create(
        grantor_role=role, grantee=agent_called(to), resource_scope=scope, valid_to=until
    )
    made.refresh_from_db()
    if made.valid_to is not None and made.valid_to <= made.valid_from:
        raise Past
    record("grant.created", by=by, subject="grant", subject_id=made.pk, role=role, scope=scope)
    return made


def revoke(uid: UUID | None, *, by: Actor) -> None:
    """End a grant at once. One that is not there is nothing to do."""
    found = AccessGrant.objects.filter(uid=uid).first() if uid is not None else None
    if found is not None:
        record("grant.revoked", by=by, subject="grant", subject_id=found.pk)
        found.delete()
