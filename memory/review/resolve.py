"""How a mutation ends: its row says how, when and by whom; one that is stale goes round again."""

from django.db import models
from django.db.models.functions import Now

from memory.models import Mutation, Observation
from memory.review.refusals import Stale
from tenants.audit import record
from tenants.caller import Caller

STALE_RETURNS = 3  # D24
RESOLVED = (
    "status", "resolution", "resolved_at", "resolved_by", "by_token", "reason", "version",
    "memory", "memory_version",
)  # fmt: skip


def resolve(
    mutation: Mutation, resolution: Mutation.Resolution, by: Caller | None, *, reason: str = ""
) -> None:
    """Mark it as ended; None ended it by itself."""
    approved = resolution in (Mutation.Resolution.APPROVED, Mutation.Resolution.EDITED)
    mutation.status = Mutation.Status.APPROVED if approved else Mutation.Status.REJECTED
    mutation.resolution = resolution
    mutation.resolved_at = mutation.held_at  # type: ignore[attr-defined]
    mutation.resolved_by_id = by.user_id if by is not None else None
    mutation.by_token = by is not None and by.sort == "member"
    mutation.reason = reason
    mutation.version += 1
    mutation.save(update_fields=RESOLVED)


def stale(mutation: Mutation, by: Caller, why: str) -> Stale:
    """End the mutation and send its observations back to reconcile, at most three times."""
    resolve(mutation, Mutation.Resolution.STALE, None, reason=why)
    observations = Observation.objects.filter(mutations__mutation=mutation)
    observations.filter(stale_returns__gte=STALE_RETURNS).update(
        status=Observation.Status.DISCARDED, resolved_at=Now(), resolved_because="stale too often"
    )
    observations.filter(stale_returns__lt=STALE_RETURNS).update(
        status=Observation.Status.NEW,
        resolved_at=None,
        resolved_because="",
        not_before=None,
        stale_returns=models.F("stale_returns") + 1,
    )
    record(
        "mutation.stale",
        by=by.actor,
        subject="mutation",
        subject_id=mutation.pk,
        operation=mutation.operation,
    )
    return Stale(f"{why}: it goes back to be reconciled")
