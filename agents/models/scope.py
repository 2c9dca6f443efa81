"""Whose: an agent and a visitor, either of which may be nobody in particular."""

from django.db.models import Q


def in_scope(agent_id: int | None, visitor_id: int | None) -> Q:
    """Exactly this scope; None matches rows without an agent or visitor, nothing else."""
    return Q(("agent_id", agent_id), ("visitor_id", visitor_id))
