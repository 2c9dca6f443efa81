"""The receipt of an erase: that it happened, when, by whom, and how much went. No text."""

import uuid

from django.db import models
from django.db.models.functions import Now

from tenants.models import TenantRow


class Erasure(TenantRow):
    """`rows` counts by table. The person is a number that no row answers to any more."""

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    visitor_id = models.BigIntegerField()
    rows = models.JSONField(default=dict)
    at = models.DateTimeField(db_default=Now(), editable=False)
    user_id = models.BigIntegerField(null=True)
    token_id = models.BigIntegerField(null=True)
    # Backups made from this day on may still hold the data; null when the installation does not
    # say how long it keeps them (BACKUP_DAYS).
    oldest_backup = models.DateField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "uid", name="erasure_uid_unique")]
        indexes = [models.Index(fields=["tenant", "-at", "-id"], name="erasure_by_time")]

    def __str__(self) -> str:
        return f"erasure {self.pk}"
