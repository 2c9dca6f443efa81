"""Operations on replicated registers, and which replica knows which of them."""

import uuid

from django.db import models
from django.db.models.functions import Now

from tenants.models import InTenantKey, TenantRow


class ReplicaOperation(TenantRow):
    """One write of a register, never changed. `clock` counts operations by replica."""

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    replica = models.CharField(max_length=200)  # where it was issued
    key = models.CharField(max_length=200)
    value = models.JSONField(null=True)
    writer = models.CharField(max_length=200)  # the agent's name
    clock = models.JSONField()
    evidence_id = models.CharField(max_length=200, blank=True)
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "uid", name="operation_uid_unique")]

    def __str__(self) -> str:
        return f"operation {self.uid}"


class ReplicaKnowledge(TenantRow):
    """`replica` has learned `operation`. Knowledge only grows."""

    replica = models.CharField(max_length=200)
    operation = InTenantKey(ReplicaOperation, on_delete=models.CASCADE, related_name="known_by")

    class Meta:
        verbose_name_plural = "replica knowledge"
        constraints = [
            models.UniqueConstraint("tenant", "replica", "operation", name="knowledge_unique")
        ]

    def __str__(self) -> str:
        return f"knowledge {self.pk}"
