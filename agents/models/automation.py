"""How an agent is asked by nobody at a chat: on a schedule, or by another system's webhook."""

import uuid

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Now

from agents.models.agent import Agent
from agents.models.conversation import Claimable
from agents.models.visitor import Visitor
from agents.schedule import BadCrontab, Crontab
from tenants.models import InTenantKey, TenantRow


def check_crontab(text: str) -> None:
    try:
        Crontab.parse(text)
    except BadCrontab as error:
        raise ValidationError(str(error)) from error


class ScheduledRun(Claimable, TenantRow):
    """An agent that is asked `prompt` whenever `crontab` says, for a person or for nobody (D39).

    The times are UTC. What it answered is a conversation of channel `scheduled`.
    """

    name = models.CharField(max_length=100)
    agent = InTenantKey(Agent, on_delete=models.CASCADE, related_name="scheduled_runs")
    visitor = InTenantKey(
        Visitor, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    prompt = models.TextField(max_length=2_000)
    crontab = models.CharField(
        max_length=100,
        validators=[check_crontab],
        help_text="Minute, hour, day of month, month, day of week, in UTC: 0 7 * * 1-5",
    )
    active = models.BooleanField(default=True)
    next_run_at = models.DateTimeField(null=True, editable=False)  # null: not reckoned yet
    last_run_at = models.DateTimeField(null=True, editable=False)
    last_conversation = models.UUIDField(null=True, editable=False)
    last_said = models.CharField(max_length=200, blank=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        indexes = [
            models.Index(
                fields=["tenant", "next_run_at"],
                condition=models.Q(active=True, parked_at=None),
                name="scheduled_due",
            ),
            models.Index(fields=["tenant", "visitor"], name="scheduled_by_visitor"),
        ]

    def __str__(self) -> str:
        return f"scheduled run {self.pk}"


class InboundHook(TenantRow):
    """An address at which another system asks the agent, its requests signed with a shared secret.

    It answers outsiders: nothing that is remembered of a person is told, and the memory tools are
    off unless the operator scopes them in here (contract 3).
    """

    class Preset(models.TextChoices):
        GENERIC = "generic"
        SLACK = "slack"

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100)
    agent = InTenantKey(Agent, on_delete=models.CASCADE, related_name="inbound_hooks")
    preset = models.CharField(max_length=7, choices=Preset, default=Preset.GENERIC)
    secret = models.BinaryField(editable=False)  # sealed under MASTER_KEY: verifying needs it
    tools = models.BooleanField(
        default=False,
        help_text="Agent may use the memory tools here, for whoever asks. They are outsiders: "
        "leave it off unless the other system knows its users.",
    )
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "uid", name="inbound_hook_uid_unique"),
            models.CheckConstraint(
                condition=models.Q(preset__in=["generic", "slack"]),
                name="inbound_hook_preset_known",
            ),
        ]

    def __str__(self) -> str:
        return f"inbound hook {self.uid}"
