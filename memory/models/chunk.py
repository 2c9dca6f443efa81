"""Captured text in embeddable pieces, by offsets into the message: the words stand once."""

from django.db import models

from agents.models import Agent, Message, Visitor
from tenants.models import InTenantKey, TenantRow


class MessageChunk(TenantRow):
    """Characters `start` to `end` of a message; most messages are one chunk.

    Agent and visitor repeat the conversation's, so that a scope is found by an index.
    """

    message = InTenantKey(Message, on_delete=models.CASCADE, related_name="chunks")
    agent = InTenantKey(Agent, on_delete=models.CASCADE, related_name="+")
    visitor = InTenantKey(Visitor, on_delete=models.CASCADE, null=True, related_name="+")
    piece = models.PositiveSmallIntegerField(default=0)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "message", "piece", name="chunk_piece_unique"),
            models.CheckConstraint(
                condition=models.Q(end__gt=models.F("start")), name="chunk_not_empty"
            ),
        ]
        indexes = [models.Index(fields=["tenant", "agent", "visitor"], name="chunk_by_scope")]

    def __str__(self) -> str:
        return f"chunk {self.pk}"
