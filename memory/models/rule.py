"""What an agent shall not propose: a kind of memory, by the beginning of its key (G13)."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from agents.models import Agent
from tenants.models import InTenantKey, TenantRow


class RuleManager(models.Manager["Rule"]):
    def forbids(self, agent_id: int, key: str) -> bool:
        """Is there a standing rule of the agent against this key, or a folder it lies in?"""
        path = key.strip("/").split("/")
        folders = ["/" + "/".join(path[:depth]) for depth in range(1, len(path) + 1)]
        return self.filter(agent_id=agent_id, key_prefix__in=folders, lifted_at=None).exists()


class Rule(TenantRow):
    """`key_prefix` is a whole folder or key: `/health` covers `/health/allergies`."""

    agent = InTenantKey(Agent, on_delete=models.CASCADE, related_name="rules")
    key_prefix = models.CharField(max_length=200)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    lifted_at = models.DateTimeField(null=True, blank=True)

    objects = RuleManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "agent", "key_prefix"],
                condition=models.Q(lifted_at=None),
                name="rule_unique",
            )
        ]

    def __str__(self) -> str:
        return f"rule {self.pk}"
