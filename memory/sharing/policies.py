"""Conflict policies: what a contradiction does, in the organisation or in one workflow."""

from uuid import UUID

from memory.models import ConflictPolicy
from tenants.actor import Actor
from tenants.audit import record


def put(*, policy: str, workflow: str = "", webhook_url: str = "", by: Actor) -> ConflictPolicy:
    """Set the policy of a workflow, or with none the organisation's: there is one of each."""
    ConflictPolicy.objects.bulk_create(
        [ConflictPolicy(workflow=workflow, policy=policy, webhook_url=webhook_url)],
        update_conflicts=True,
        unique_fields=["tenant", "workflow"],
        update_fields=["policy", "webhook_url"],
    )
    kept = ConflictPolicy.objects.get(workflow=workflow)
    record("policy.set", by=by, subject="policy", subject_id=kept.pk, policy=policy)
    return kept


def remove(uid: UUID | None, *, by: Actor) -> None:
    """The organisation's policy, or `ignore`, holds again. One that is not there is nothing."""
    found = ConflictPolicy.objects.filter(uid=uid).first() if uid is not None else None
    if found is not None:
        record("policy.removed", by=by, subject="policy", subject_id=found.pk)
        found.delete()
