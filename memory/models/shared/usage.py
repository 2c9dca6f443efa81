"""How much a workflow wrote and searched on one day (UTC), kept for a year (G18)."""

from django.db import models

from tenants.models import TenantRow


class WorkflowUsage(TenantRow):
    workflow = models.CharField(max_length=200)
    day = models.DateField()
    writes = models.BigIntegerField(default=0)
    searches = models.BigIntegerField(default=0)

    class Meta:
        verbose_name_plural = "workflow usage"
        constraints = [
            models.UniqueConstraint("tenant", "day", "workflow", name="usage_unique"),
        ]

    def __str__(self) -> str:
        return f"usage {self.pk}"
