"""Automation on a person's memory: on an event, run a tool; and each time one did (D40)."""

from django.db import models
from django.db.models.functions import Now

from agents.models import Claimable, Visitor
from memory.models.event import Event
from tenants.models import InTenantKey, TenantRow

HEARD = (Event.Kind.CREATED, Event.Kind.UPDATED, Event.Kind.DELETED)


class Listener(TenantRow):
    """On `event` of a person's profile, where `category` and `key_prefix` fit ("" is any), run
    `tool` with `arguments`, for that person.

    In its texts `{key}`, `{category}`, `{content}` and `{id}` stand for the memory's.
    """

    name = models.CharField(max_length=100)
    event = models.CharField(max_length=40, choices=[(kind.value, kind.value) for kind in HEARD])
    category = models.CharField(max_length=100, blank=True)
    key_prefix = models.CharField(max_length=200, blank=True)
    tool = models.CharField(
        max_length=20,
        choices=[(name, name) for name in ("remember", "update_memory", "forget")],
    )
    arguments = models.JSONField(default=dict)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        indexes = [
            models.Index(
                fields=["tenant", "event"],
                condition=models.Q(active=True),
                name="listener_active",
            )
        ]

    def __str__(self) -> str:
        return f"listener {self.pk}"


class Hearing(Claimable, TenantRow):
    """One event that a listener is to act on, written in the event's own transaction."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        REFUSED = "refused"  # the tool said no: `said` has its reason
        STOPPED = "stopped"  # the chain of listeners was too long: it ended here

    listener = InTenantKey(Listener, on_delete=models.CASCADE, related_name="hearings")
    event = InTenantKey(Event, on_delete=models.CASCADE, related_name="hearings")
    visitor = InTenantKey(Visitor, on_delete=models.CASCADE, related_name="+")
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    said = models.CharField(max_length=200, blank=True)  # the tool's answer: no text of a memory
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "listener", "event", name="hearing_once")]
        indexes = [
            models.Index(
                fields=["tenant", "id"],
                condition=models.Q(status="waiting", parked_at=None),
                name="hearing_waiting",
            ),
            models.Index(fields=["tenant", "event"], name="hearing_by_event"),
            models.Index(fields=["tenant", "visitor"], name="hearing_by_visitor"),
        ]

    def __str__(self) -> str:
        return f"hearing {self.pk}"
