"""A proposed change to what an agent remembers, and how it ended."""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from pgvector.django import VectorField

from agents.models import Agent, Visitor
from agents.models.scope import in_scope
from memory.models.draft import Draft, profile_key
from memory.models.memory import Memory
from memory.models.observation import Observation
from tenants.models import InTenantKey, TenantRow


class MutationQuerySet(models.QuerySet["Mutation"]):
    def pending(self) -> "MutationQuerySet":
        return self.filter(status=Mutation.Status.PENDING)

    def in_scope(self, agent_id: int, visitor_id: int | None) -> "MutationQuerySet":
        return self.filter(in_scope(agent_id, visitor_id))


class Mutation(TenantRow):
    """`pending → approved | rejected`, once. `resolution` says how; see `memory.review`."""

    class Operation(models.TextChoices):
        ADD = "add"
        MODIFY = "modify"
        DELETE = "delete"

    class Status(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        REJECTED = "rejected"

    class Resolution(models.TextChoices):
        APPROVED = "approved"
        EDITED = "edited"
        KEPT_BOTH = "kept-both"  # of a conflict: the new write stands beside what it contradicts
        REJECTED = "rejected"
        STALE = "stale"  # the target moved on: back to reconcile
        EXPIRED = "expired"
        ERASED = "erased"

    class Approver(models.TextChoices):
        MEMBER = "member"  # any editor: it reaches one visitor
        ORG_ADMIN = "org-admin"  # an admin or owner: it reaches everyone

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    # A conflict among shared memories has a writer instead of an agent (D27).
    agent = InTenantKey(
        Agent, on_delete=models.CASCADE, null=True, blank=True, related_name="mutations"
    )
    writer = InTenantKey(
        "memory.SharedAgent",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="mutations",
    )
    # What it contradicts: [{"id", "version", "severity", "description"}], as it was found.
    conflicts = models.JSONField(default=list)
    expires_at = models.DateTimeField(null=True, blank=True)  # of a conflict: its write's
    visitor = InTenantKey(
        Visitor, on_delete=models.CASCADE, null=True, blank=True, related_name="mutations"
    )
    operation = models.CharField(max_length=6, choices=Operation)
    target = InTenantKey(
        Memory, on_delete=models.CASCADE, null=True, blank=True, related_name="mutations"
    )
    target_version = models.PositiveIntegerField(null=True, blank=True)
    draft = models.JSONField(default=dict)  # a Draft; for modify, a patch
    # The draft's content under the customer's key, which `draft` then lacks; see `memory.sealing`.
    sealed = models.BinaryField(null=True, editable=False)
    before = models.JSONField(default=dict)  # the target's Draft when proposed, for the reviewer
    evidence = models.JSONField(default=list)  # as Observation.evidence, of every source
    flags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    reasoning = models.CharField(max_length=500, blank=True)
    approver = models.CharField(max_length=10, choices=Approver)
    made_by = models.JSONField(default=dict)
    # Raised whenever what a reviewer sees changes: a key press acts on the version it was shown.
    version = models.PositiveIntegerField(default=1)
    hash = models.CharField(max_length=64, blank=True)  # of `burial_text`, E7
    space = models.CharField(max_length=100, blank=True)
    vector = VectorField(null=True, editable=False)  # of the draft's content
    said_count = models.PositiveIntegerField(default=1)
    last_said_at = models.DateTimeField(null=True, blank=True)
    earlier = InTenantKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="later"
    )
    status = models.CharField(max_length=8, choices=Status, default=Status.PENDING)
    resolution = models.CharField(max_length=9, choices=Resolution, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    by_token = models.BooleanField(default=False)
    reason = models.CharField(max_length=500, blank=True)  # the reviewer's, optional
    undone_at = models.DateTimeField(null=True, blank=True)
    memory = InTenantKey(  # what an approval made or changed
        Memory, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    memory_version = models.PositiveIntegerField(null=True, blank=True)  # after the approval
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = MutationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "uid", name="mutation_uid_unique"),
            models.CheckConstraint(
                name="mutation_decision_is_whole",
                condition=models.Q(status="pending", resolution="", resolved_at=None)
                & models.Q(resolved_by=None)
                | models.Q(
                    status="approved",
                    resolution__in=["approved", "edited", "kept-both"],
                    resolved_at__isnull=False,
                    resolved_by__isnull=False,
                )
                | models.Q(
                    status="rejected",
                    resolution="rejected",
                    resolved_at__isnull=False,
                    resolved_by__isnull=False,
                )
                | models.Q(
                    status="rejected",
                    resolution__in=["stale", "expired", "erased"],
                    resolved_at__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="mutation_has_an_agent_or_a_writer",
                condition=models.Q(agent__isnull=False, writer=None)
                | models.Q(agent=None, writer__isnull=False, visitor=None, operation="add"),
            ),
            models.CheckConstraint(
                name="mutation_target_fits_operation",
                condition=models.Q(operation="add", target=None)
                | models.Q(operation__in=["modify", "delete"], target__isnull=False)
                & models.Q(target_version__isnull=False),
            ),
            models.CheckConstraint(
                name="mutation_approver_fits_scope",
                condition=models.Q(approver="org-admin")
                | models.Q(approver="member", visitor__isnull=False),
            ),
            models.CheckConstraint(
                name="mutation_vector_knows_its_space",
                condition=models.Q(vector=None) | ~models.Q(space=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "created_at", "id"],
                condition=models.Q(status="pending"),
                name="mutation_queue",
            ),
            models.Index(fields=["tenant", "agent", "visitor", "status"], name="mutation_by_scope"),
            models.Index(fields=["tenant", "target"], name="mutation_by_target"),
            models.Index(fields=["tenant", "resolved_by", "-resolved_at"], name="mutation_decided"),
        ]

    def __str__(self) -> str:
        return f"mutation {self.pk}"

    @property
    def proposal(self) -> Draft:
        return Draft.model_validate(self.draft)

    @property
    def is_of_person(self) -> bool:
        """About a person's profile, which every agent knows: a tool proposed it (contract 3). Else
        it is about what this agent learned (contract 1)."""
        return "label" in self.draft or "label" in self.before

    @property
    def path(self) -> str:
        """The key that it is about, as a slash path; "" for none."""
        says = {**self.before, **self.draft}
        if self.is_of_person:
            return profile_key(says.get("slug"))
        return str(says.get("key") or "")

    @property
    def burial_text(self) -> str:
        """What `hash` and a tombstone cover: the content, or for a delete which memory it meant."""
        if self.operation == self.Operation.DELETE:
            return f"delete {self.target_id}"
        return self.draft.get("content") or f"modify {self.target_id} {sorted(self.draft.items())}"

    @property
    def is_flagged(self) -> bool:
        return bool(self.flags)


class MutationSource(TenantRow):
    """Which observations a mutation rests on; more are attached when the fact is said again."""

    mutation = InTenantKey(Mutation, on_delete=models.CASCADE, related_name="sources")
    observation = InTenantKey(Observation, on_delete=models.CASCADE, related_name="mutations")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "tenant", "mutation", "observation", name="mutation_source_unique"
            )
        ]
        indexes = [models.Index(fields=["tenant", "observation"], name="source_by_observation")]

    def __str__(self) -> str:
        return f"source {self.pk}"
