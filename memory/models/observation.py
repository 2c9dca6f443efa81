"""What a conversation taught, before anybody decided what to make of it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from pgvector.django import VectorField

from agents.models import Agent, Claimable, Conversation, Visitor
from agents.models.scope import in_scope
from tenants.models import InTenantKey, TenantRow


class ObservationQuerySet(models.QuerySet["Observation"]):
    def waiting(self) -> "ObservationQuerySet":
        """What reconcile may take: not decided, not parked."""
        return self.filter(status__in=Observation.WAITING, parked_at=None)

    def in_scope(self, agent_id: int, visitor_id: int | None) -> "ObservationQuerySet":
        return self.filter(in_scope(agent_id, visitor_id))


class Observation(Claimable, TenantRow):
    """A statement and its evidence.

    `evidence` is a list of `{"message", "position", "role", "at", "offset", "quote"}`; the quote
    is copied, so the queue outlives its messages (D43). `flags` say what a reviewer should know:
    `no-evidence`, `instruction-like`, `secret-masked`, `from-recalled-text`.
    """

    class Status(models.TextChoices):
        NEW = "new"
        DEFERRED = "deferred"
        CONSOLIDATED = "consolidated"
        DISCARDED = "discarded"

    WAITING = (Status.NEW, Status.DEFERRED)

    agent = InTenantKey(Agent, on_delete=models.CASCADE, related_name="+")
    visitor = InTenantKey(
        Visitor, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    conversation = InTenantKey(Conversation, on_delete=models.CASCADE, related_name="observations")
    position = models.PositiveIntegerField()  # of the message it rests on
    statement = models.CharField(max_length=2_000)
    evidence = models.JSONField(default=list)
    flags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    hash = models.CharField(max_length=64)  # of the statement, E7
    said_at = models.DateTimeField()
    status = models.CharField(max_length=12, choices=Status, default=Status.NEW)
    defers = models.PositiveSmallIntegerField(default=0)
    stale_returns = models.PositiveSmallIntegerField(default=0)
    resolved_because = models.CharField(max_length=300, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    made_by = models.JSONField(default=dict)
    space = models.CharField(max_length=100, blank=True)
    statement_vector = VectorField(null=True, editable=False)
    evidence_vector = VectorField(null=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = ObservationQuerySet.as_manager()

    class Meta:
        constraints = [
            # A run that is repeated after a kill cannot say the same thing twice.
            models.UniqueConstraint(
                "tenant", "conversation", "position", "hash", name="observation_once"
            ),
            models.CheckConstraint(
                name="observation_resolved_has_time",
                condition=models.Q(status__in=["new", "deferred"], resolved_at=None)
                | models.Q(status__in=["consolidated", "discarded"], resolved_at__isnull=False),
            ),
            models.CheckConstraint(
                name="observation_vectors_know_their_space",
                condition=models.Q(statement_vector=None, evidence_vector=None)
                | ~models.Q(space=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "created_at", "id"],
                condition=models.Q(status__in=["new", "deferred"], parked_at=None),
                name="observation_waiting",
            ),
            models.Index(fields=["tenant", "agent", "visitor"], name="observation_by_scope"),
        ]

    def __str__(self) -> str:
        return f"observation {self.pk}"
