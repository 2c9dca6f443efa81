"""A conversation, its messages, and how far it was observed."""

import uuid

from django.db import models
from django.db.models.functions import Now

from agents.models.agent import Agent
from agents.models.visitor import Visitor
from tenants.models import InTenantKey, TenantRow


class Claimable(models.Model):
    """Columns of a row that a background stage works on (D17). Times are the database's clock."""

    lease_until = models.DateTimeField(null=True, editable=False)
    lease_token = models.UUIDField(null=True, editable=False)
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    not_before = models.DateTimeField(null=True, editable=False)
    failed_because = models.CharField(max_length=200, blank=True, editable=False)
    parked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True


class Conversation(Claimable, TenantRow):
    """`observed_to` is the position of the last observed message; `last_position` the newest.

    `unparked_at` remembers that new messages have unparked it once already.
    """

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    agent = InTenantKey(Agent, on_delete=models.CASCADE, related_name="conversations")
    visitor = InTenantKey(
        Visitor, on_delete=models.CASCADE, null=True, blank=True, related_name="conversations"
    )
    external_id = models.CharField(max_length=200, null=True, blank=True)
    channel = models.CharField(max_length=20, default="chat")  # chat, api, import
    last_position = models.PositiveIntegerField(default=0, editable=False)
    observed_to = models.PositiveIntegerField(default=0, editable=False)
    last_received_at = models.DateTimeField(db_default=Now(), editable=False)
    unparked_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "uid", name="conversation_uid_unique"),
            models.UniqueConstraint(
                fields=["tenant", "agent", "visitor", "external_id"],
                condition=models.Q(external_id__isnull=False),
                nulls_distinct=False,
                name="conversation_external_id_unique",
            ),
            models.CheckConstraint(
                condition=models.Q(observed_to__lte=models.F("last_position")),
                name="conversation_mark_within",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "last_received_at"],
                condition=models.Q(observed_to__lt=models.F("last_position"), parked_at=None),
                name="conversation_to_observe",
            ),
            models.Index(fields=["tenant", "agent", "-last_received_at"], name="conversation_list"),
            models.Index(fields=["tenant", "visitor"], name="conversation_by_visitor"),
        ]

    def __str__(self) -> str:
        return f"conversation {self.pk}"


class Message(TenantRow):
    """One captured message. A row exists only if it was captured."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    conversation = InTenantKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=Role)
    content = models.TextField()
    external_id = models.CharField(max_length=200, null=True, blank=True)
    occurred_at = models.DateTimeField()
    occurred_offset = models.SmallIntegerField(default=0)  # the sender's minutes east of UTC
    received_at = models.DateTimeField(db_default=Now(), editable=False)
    # A chat turn may show the model its own memory; such a reply is not evidence (design rule 7).
    recalled = models.JSONField(default=list)  # ids of the memories the reply's prompt carried
    masked = models.JSONField(default=list)  # kinds of secrets that were masked
    complete = models.BooleanField(default=True)  # false: the visitor hung up mid-reply

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "tenant", "conversation", "position", name="message_position_unique"
            ),
            models.UniqueConstraint(
                fields=["tenant", "conversation", "external_id"],
                condition=models.Q(external_id__isnull=False),
                name="message_external_id_unique",
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=["user", "assistant"]), name="message_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"message {self.pk}"
