"""What an agent has written and seen in one scope: the source of every vector clock (D32)."""

from django.db import models

from memory.models.draft import SCOPES
from memory.models.shared.agent import SharedAgent
from tenants.models import InTenantKey, TenantRow


class VectorClock(TenantRow):
    """`ticks` counts the agent's own writes; `seen` is, by agent name, the highest tick it read.

    Only `memory.clocks` writes here, in statements that add and never set.
    """

    agent = InTenantKey(SharedAgent, on_delete=models.CASCADE, related_name="clocks")
    scope = models.CharField(max_length=7, choices=SCOPES)
    ticks = models.BigIntegerField(default=0)
    seen = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "agent", "scope", name="clock_unique")]

    def __str__(self) -> str:
        return f"clock {self.pk}"
