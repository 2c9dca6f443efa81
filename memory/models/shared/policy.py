"""What happens when a write contradicts what is remembered, for the organisation or a workflow."""

import uuid

from django.db import models
from django.db.models.functions import Now

from tenants.models import TenantRow


class ConflictPolicy(TenantRow):
    """A workflow's own policy beats the organisation's, whose `workflow` is empty."""

    class Policy(models.TextChoices):
        IGNORE = "ignore"  # no check; both stay
        PLANNER_WINS = "planner_wins"
        TIMESTAMP_WINS = "timestamp_wins"
        HUMAN_IN_LOOP = "human_in_loop"

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    workflow = models.CharField(max_length=200, blank=True)
    policy = models.CharField(max_length=14, choices=Policy)
    webhook_url = models.CharField(max_length=2_000, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name_plural = "conflict policies"
        constraints = [
            models.UniqueConstraint("tenant", "uid", name="policy_uid_unique"),
            models.UniqueConstraint("tenant", "workflow", name="policy_workflow_unique"),
        ]

    def __str__(self) -> str:
        return f"policy {self.pk}"
