"""An agent: who answers, and whether and how it remembers."""

import uuid

from django.db import models
from django.db.models.functions import Now

from tenants.models import TenantRow


class Mode(models.TextChoices):
    REVIEWED = "reviewed"  # nothing it learns by itself reaches a prompt before a person approved
    AUTOMATIC = "automatic"


class Agent(TenantRow):
    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    instructions = models.TextField(blank=True, max_length=20_000)
    memory_enabled = models.BooleanField(
        default=False,
        help_text="Agent learns from past conversations and recalls relevant context for each "
        "visitor.",
    )
    tools = models.BooleanField(
        default=False,
        help_text="Agent may save, change and delete what is remembered about the person it talks "
        "with, by its tools. In reviewed mode these wait for a person's approval.",
    )
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.REVIEWED)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "slug", name="agent_slug_unique"),
            models.UniqueConstraint("tenant", "uid", name="agent_uid_unique"),
            models.CheckConstraint(
                condition=models.Q(mode__in=Mode.values), name="agent_mode_known"
            ),
        ]
        indexes = [models.Index(fields=["uid"], name="agent_by_uid")]

    def __str__(self) -> str:
        return self.slug
