"""The two search indexes, and the work that fills what is missing of them.

Vectors and postings are keyed by a memory or by a message chunk (G11), never both.
"""

from django.db import models
from pgvector.django import VectorField

from agents.models import Claimable
from memory.models.chunk import MessageChunk
from memory.models.memory import Memory
from memory.models.mutation import Mutation
from memory.models.observation import Observation
from tenants.models import InTenantKey, TenantRow


def _one_of(*names: str) -> models.Q:
    """Exactly one of these keys is set."""
    found = models.Q()
    for name in names:
        found |= models.Q(**{f"{other}__isnull": other != name for other in names})
    return found


class MemoryVector(TenantRow):
    """One piece of a text in one embedding space. Only equal spaces are ever compared."""

    memory = InTenantKey(Memory, on_delete=models.CASCADE, null=True, related_name="vectors")
    chunk = InTenantKey(MessageChunk, on_delete=models.CASCADE, null=True, related_name="vectors")
    piece = models.PositiveSmallIntegerField(default=0)
    space = models.CharField(max_length=100)
    vector = VectorField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "memory", "space", "piece"],
                condition=models.Q(memory__isnull=False),
                name="vector_of_memory_unique",
            ),
            models.UniqueConstraint(
                fields=["tenant", "chunk", "space", "piece"],
                condition=models.Q(chunk__isnull=False),
                name="vector_of_chunk_unique",
            ),
            models.CheckConstraint(
                condition=_one_of("memory", "chunk"), name="vector_has_one_owner"
            ),
        ]

    def __str__(self) -> str:
        return f"vector {self.pk}"


class Posting(TenantRow):
    """`term` occurs `count` times in a memory or a chunk: the keyword index (D9)."""

    term = models.CharField(max_length=64)
    memory = InTenantKey(Memory, on_delete=models.CASCADE, null=True, related_name="postings")
    chunk = InTenantKey(MessageChunk, on_delete=models.CASCADE, null=True, related_name="postings")
    count = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "term", "memory"],
                include=["count"],
                condition=models.Q(memory__isnull=False),
                name="posting_of_memory_unique",
            ),
            models.UniqueConstraint(
                fields=["tenant", "term", "chunk"],
                condition=models.Q(chunk__isnull=False),
                name="posting_of_chunk_unique",
            ),
            models.CheckConstraint(
                condition=_one_of("memory", "chunk"), name="posting_has_one_owner"
            ),
        ]

    def __str__(self) -> str:
        return f"posting {self.pk}"


class Unembedded(Claimable, TenantRow):
    """A text that was written without its vector. The embed stage removes the row when done."""

    memory = InTenantKey(Memory, on_delete=models.CASCADE, null=True, related_name="+")
    chunk = InTenantKey(MessageChunk, on_delete=models.CASCADE, null=True, related_name="+")
    observation = InTenantKey(Observation, on_delete=models.CASCADE, null=True, related_name="+")
    mutation = InTenantKey(Mutation, on_delete=models.CASCADE, null=True, related_name="+")

    OWNERS = ("memory", "chunk", "observation", "mutation")

    class Meta:
        verbose_name_plural = "unembedded"
        indexes = [models.Index(fields=["tenant", "id"], name="unembedded_queue")]
        constraints = [
            models.CheckConstraint(
                condition=_one_of("memory", "chunk", "observation", "mutation"),
                name="unembedded_has_one_owner",
            ),
            *(
                models.UniqueConstraint(
                    fields=["tenant", owner],
                    condition=models.Q(**{f"{owner}__isnull": False}),
                    name=f"unembedded_{owner}_unique",
                )
                for owner in ("memory", "chunk", "observation", "mutation")
            ),
        ]

    def __str__(self) -> str:
        return f"unembedded {self.pk}"
