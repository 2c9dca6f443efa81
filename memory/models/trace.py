"""What one recall used and why: ids, legs, ranks and versions, no text (D45)."""

from django.db import models
from django.db.models.functions import Now

from agents.models import Agent, Message, Visitor
from tenants.models import InTenantKey, TenantRow


class RecallTrace(TenantRow):
    """`memories` is a list of `{"id", "version", "reason", "leg", "rank", "score", "shown"}`."""

    agent = InTenantKey(Agent, on_delete=models.CASCADE, related_name="+")
    visitor = InTenantKey(Visitor, on_delete=models.CASCADE, null=True, related_name="+")
    message = InTenantKey(Message, on_delete=models.CASCADE, null=True, related_name="traces")
    channel = models.CharField(max_length=20, default="chat")
    memories = models.JSONField(default=list)
    steps = models.JSONField(default=dict)  # milliseconds by step
    tokens = models.PositiveIntegerField(default=0)
    took_ms = models.FloatField(default=0)
    failed = models.CharField(max_length=100, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "-at", "-id"], name="trace_by_time"),
            models.Index(fields=["tenant", "agent", "-at"], name="trace_by_agent"),
        ]

    def __str__(self) -> str:
        return f"trace {self.pk}"
