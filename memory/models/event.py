"""What happened to a memory, for others to hear of: the outbox (D40). No text."""

import uuid

from django.db import models
from django.db.models.functions import Now

from tenants.models import TenantRow


class Event(TenantRow):
    class Kind(models.TextChoices):
        CREATED = "memory.created"
        UPDATED = "memory.updated"
        DELETED = "memory.deleted"
        # Of shared memory alone (contract 4).
        WRITTEN = "memory.written"
        EXPIRED = "memory.expired"
        SUPERSEDED = "memory.superseded"
        CONFLICT_BLOCKED = "memory.conflict_blocked"
        CONFLICT_DETECTED = "memory.conflict_detected"
        CONFLICT_RESOLVED = "memory.conflict_resolved"

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40, choices=Kind)
    # A number: the event outlives an erased memory. Null where a write was blocked.
    memory_id = models.BigIntegerField(null=True)
    memory_uid = models.UUIDField(null=True)  # of the memory, or of the write that waits
    is_shared = models.BooleanField(default=False)  # webhooks hear of shared memory only
    detail = models.JSONField(default=dict)  # ids, names of agents, scopes: no text
    category = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=200, blank=True)
    depth = models.PositiveSmallIntegerField(default=0)  # of a listener's chain, stops at 5
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    dispatched_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "uid", name="event_uid_unique")]
        indexes = [
            models.Index(
                fields=["tenant", "id"],
                condition=models.Q(dispatched_at=None),
                name="event_to_dispatch",
            ),
            models.Index(fields=["tenant", "memory_id"], name="event_by_memory"),
        ]

    def __str__(self) -> str:
        return f"event {self.uid}"
