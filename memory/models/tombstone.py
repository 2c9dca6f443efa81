"""What was rejected or forgotten, so that it is not proposed again (E10)."""

from django.db import models
from django.db.models.functions import Now
from pgvector.django import VectorField

from agents.models import Agent, Visitor
from agents.models.scope import in_scope
from memory.models.mutation import Mutation
from tenants.models import InTenantKey, TenantRow


class TombstoneQuerySet(models.QuerySet["Tombstone"]):
    def standing(self) -> "TombstoneQuerySet":
        return self.filter(lifted_at=None, expires_at__gt=Now())

    def in_scope(self, agent_id: int | None, visitor_id: int | None) -> "TombstoneQuerySet":
        return self.filter(in_scope(agent_id, visitor_id))

    def covering(self, agent_id: int | None, visitor_id: int | None) -> "TombstoneQuerySet":
        """What must not be learned in this scope: its own, and what the person forgot for all."""
        own = in_scope(agent_id, visitor_id)
        return self.filter(own if visitor_id is None else own | in_scope(None, visitor_id))


class Tombstone(TenantRow):
    """Of a rejected proposal: hash, vector, scope. Of a `forget`: a keyed hash only."""

    agent = InTenantKey(Agent, on_delete=models.CASCADE, null=True, related_name="+")
    visitor = InTenantKey(Visitor, on_delete=models.CASCADE, null=True, related_name="+")
    mutation = InTenantKey(Mutation, on_delete=models.CASCADE, null=True, related_name="tombstones")
    hash = models.CharField(max_length=64)
    space = models.CharField(max_length=100, blank=True)
    vector = VectorField(null=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)

    objects = TombstoneQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["tenant", "agent", "visitor"], name="tombstone_by_scope")]

    def __str__(self) -> str:
        return f"tombstone {self.pk}"
