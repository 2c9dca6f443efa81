"""Who is told of events, and each telling with its attempts (D40)."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from agents.models import Claimable
from memory.models.event import Event
from tenants.models import InTenantKey, TenantRow


class Webhook(TenantRow):
    """A subscription. It hears of events that are younger than itself."""

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    url = models.CharField(max_length=2_000)
    events = ArrayField(models.CharField(max_length=40))
    secret = models.BinaryField(editable=False)  # sealed under MASTER_KEY: signing needs it
    active = models.BooleanField(default=True)
    failures = models.PositiveIntegerField(default=0)  # deliveries given up since the last success
    paused_because = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "uid", name="webhook_uid_unique")]

    def __str__(self) -> str:
        return f"webhook {self.uid}"


class Delivery(Claimable, TenantRow):
    """One event on its way to one receiver, under one id and one body.

    `webhook` is null for a policy's `webhookUrl`, which `url` then holds.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        FAILED = "failed"  # given up; an operator may replay it
        ERASED = "erased"  # what it told of is gone

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    event = InTenantKey(Event, on_delete=models.CASCADE, related_name="deliveries")
    webhook = InTenantKey(
        Webhook, on_delete=models.CASCADE, null=True, blank=True, related_name="deliveries"
    )
    url = models.CharField(max_length=2_000)
    body = models.BinaryField(null=True, editable=False)  # the bytes that are signed and sent
    status = models.CharField(max_length=9, choices=Status, default=Status.WAITING)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint("tenant", "uid", name="delivery_uid_unique"),
            models.UniqueConstraint(
                fields=["tenant", "event", "webhook", "url"],
                nulls_distinct=False,
                name="delivery_once",
            ),
            models.CheckConstraint(
                name="delivery_waits_or_ended",
                condition=models.Q(status="waiting", ended_at=None)
                | ~models.Q(status="waiting") & models.Q(ended_at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "id"],
                condition=models.Q(status="waiting"),
                name="delivery_queue",
            )
        ]

    def __str__(self) -> str:
        return f"delivery {self.uid}"


class Attempt(TenantRow):
    """One try: when, what came back, how long it took. Never the response's body."""

    delivery = InTenantKey(Delivery, on_delete=models.CASCADE, related_name="tries")
    at = models.DateTimeField(db_default=Now(), editable=False)
    status = models.PositiveSmallIntegerField(null=True)  # of HTTP; null when none came
    error = models.CharField(max_length=200, blank=True)
    milliseconds = models.PositiveIntegerField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "delivery", "id"], name="attempt_by_delivery")]

    def __str__(self) -> str:
        return f"attempt {self.pk}"
