"""Stored memories whose meaning is near a mutation's: for one card, never for a list."""

from django.db.models import F, FloatField, OuterRef, Subquery, Value
from pgvector.django import CosineDistance

from memory.interfaces.pages.related import Near
from memory.models import Memory, MemoryVector, Mutation, Reader

MOST = 5
FARTHEST = 0.6  # a display's taste, not a recall's floor: what is farther only distracts
NEARNESS = ((0.9, "almost the same"), (0.7, "close"), (0.0, "related"))  # by cosine similarity


def similar_to(mutation: Mutation) -> list[Near]:
    """Of the same scope and the same embedding space, nearest first; inside `within`."""
    vector = Mutation.objects.filter(pk=mutation.pk).values_list("vector", flat=True).first()
    if vector is None or not mutation.space:
        return []
    pieces = MemoryVector.objects.filter(memory=OuterRef("pk"), space=mutation.space)
    nearest = pieces.annotate(far=CosineDistance("vector", vector)).order_by("far").values("far")
    rows = (
        Memory.objects.visible_to(Reader.for_member(mutation.agent_id))
        .in_scope(mutation.agent_id, mutation.visitor_id)
        .exclude(pk=mutation.target_id or 0)
        .annotate(far=Subquery(nearest[:1], output_field=FloatField()), near=Value(1.0) - F("far"))
        .filter(far__lt=FARTHEST)
        .order_by("far", "pk")[:MOST]
    )
    return [
        Near(pk, key, text, same=False, operation=in_words(near))
        for pk, key, text, near in rows.values_list("pk", "key", "content", "near")
    ]


def in_words(near: float) -> str:
    return next(word for least, word in NEARNESS if near >= least)
