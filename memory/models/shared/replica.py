"""Operations on replicated registers, and how much each replica knows of them."""

import uuid

from django.db import models

from tenants.models import TenantRow

REPLICA_LIMIT = 200


class Replica(TenantRow):
    """What a replica knows, by replica: the first so many operations that were issued there.

    Whoever learns from another learns all that it knows, so what is known of one replica has no
    gaps and one number says it. Numbers only grow.
    """

    name = models.CharField(max_length=REPLICA_LIMIT)
    clock = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "name", name="replica_name_unique")]

    def __str__(self) -> str:
        return f"replica {self.pk}"


class ReplicaOperation(TenantRow):
    """One write of a register, never changed; the `tick`th that was issued at `replica`.

    `clock` is what the replica knew, this operation included.
    """

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    replica = models.CharField(max_length=REPLICA_LIMIT)
    tick = models.BigIntegerField()
    key = models.CharField(max_length=200)
    value = models.JSONField(null=True)
    writer = models.CharField(max_length=200)  # the agent's name
    clock = models.JSONField()
    evidence_id = models.CharField(max_length=200, blank=True)
    made_at = models.DateTimeField()  # read after the lock, by the database's clock

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "uid", name="operation_uid_unique"),
            models.UniqueConstraint("tenant", "replica", "tick", name="operation_tick_unique"),
        ]
        indexes = [
            # What stands in a register of one replica is the last that was issued there.
            models.Index(fields=["tenant", "replica", "key", "-tick"], name="operation_by_key")
        ]

    def __str__(self) -> str:
        return f"operation {self.uid}"
