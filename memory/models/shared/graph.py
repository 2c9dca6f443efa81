"""Things that shared memories speak of and how they relate: the graph leg's index (D34)."""

from django.db import models

from agents.models import Claimable
from memory.models.memory import Memory
from tenants.models import InTenantKey, TenantRow


class Entity(TenantRow):
    """One thing by its normalised name. Read only through a memory that may be seen."""

    name = models.CharField(max_length=200)  # normalised: what equal things share
    shown = models.CharField(max_length=200)  # as it was first written

    class Meta:
        verbose_name_plural = "entities"
        constraints = [models.UniqueConstraint("tenant", "name", name="entity_name_unique")]

    def __str__(self) -> str:
        return f"entity {self.pk}"


class Mention(TenantRow):
    """A memory speaks of an entity. It goes with the memory."""

    memory = InTenantKey(Memory, on_delete=models.CASCADE, related_name="mentions")
    entity = InTenantKey(Entity, on_delete=models.CASCADE, related_name="mentions")

    class Meta:
        # In this order, and no other index has both: the walk then always reads an entity's
        # memories, never a memory's entities.
        constraints = [models.UniqueConstraint("tenant", "entity", "memory", name="mention_unique")]
        indexes = [models.Index(fields=["tenant", "memory"], name="mention_by_memory")]

    def __str__(self) -> str:
        return f"mention {self.pk}"


class Relation(TenantRow):
    """`subject` `verb` `object`, as one memory has it. It goes with the memory."""

    memory = InTenantKey(Memory, on_delete=models.CASCADE, related_name="relations")
    subject = InTenantKey(Entity, on_delete=models.CASCADE, related_name="relations_from")
    verb = models.CharField(max_length=100)
    object = InTenantKey(Entity, on_delete=models.CASCADE, related_name="relations_to")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "tenant", "memory", "subject", "verb", "object", name="relation_unique"
            )
        ]
        indexes = [
            models.Index(fields=["tenant", "subject", "object"], name="relation_by_subject"),
            models.Index(fields=["tenant", "object", "subject"], name="relation_by_object"),
        ]

    def __str__(self) -> str:
        return f"relation {self.pk}"


class Unextracted(Claimable, TenantRow):
    """A shared memory whose entities nobody has looked for. The graph stage removes the row."""

    memory = InTenantKey(Memory, on_delete=models.CASCADE, related_name="+")

    class Meta:
        verbose_name_plural = "unextracted"
        indexes = [models.Index(fields=["tenant", "id"], name="unextracted_queue")]
        constraints = [models.UniqueConstraint("tenant", "memory", name="unextracted_unique")]

    def __str__(self) -> str:
        return f"unextracted {self.pk}"
