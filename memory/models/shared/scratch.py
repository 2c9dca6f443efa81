"""Transient working memory of a workflow: keys and values that end by themselves."""

from django.db import models
from django.db.models.functions import Now

from tenants.models import TenantRow


class ScratchEntry(TenantRow):
    workflow = models.CharField(max_length=200)
    key = models.CharField(max_length=200)
    value = models.JSONField()
    set_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "scratch entries"
        constraints = [models.UniqueConstraint("tenant", "workflow", "key", name="scratch_unique")]
        indexes = [models.Index(fields=["tenant", "set_at"], name="scratch_by_time")]

    def __str__(self) -> str:
        return f"scratch {self.pk}"
