"""What stands already where a shared memory is about to be written: the same text, the same fact.

Rows that have expired unswept are swept here, in the same transaction (D29).
"""

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from memory.models import Draft, Memory, Scope, SharedAgent
from memory.store.verbs import close
from tenants.actor import SYSTEM


def twin_of(draft: Draft, writer: SharedAgent, hash: str) -> Memory | None:
    """The live memory of this text in the same visibility, which makes a write a duplicate."""
    return _fresh(_place(draft, writer).filter(hash=hash))


def fact_of(draft: Draft, writer: SharedAgent) -> Memory | None:
    """The live memory of the same fact in the same visibility, locked: it is about to end."""
    if draft.fact_key is None:
        return None
    return _fresh(_place(draft, writer).filter(fact_key=draft.fact_key))


def _place(draft: Draft, writer: SharedAgent) -> QuerySet[Memory]:
    """Where a text and a fact are one: scope, workflow, and the writer or team they belong to."""
    return Memory.objects.live().filter(
        Q(("owner_id", writer.pk if draft.scope == Scope.PRIVATE else None)),
        Q(("team_id", writer.team_id if draft.scope == Scope.TEAM else None)),
        kind=Memory.Kind.SHARED,
        scope=draft.scope,
        workflow=draft.workflow or "",
    )


def _fresh(rows: QuerySet[Memory]) -> Memory | None:
    found = (
        rows.select_for_update(of=("self",), no_key=True)
        .annotate(is_over=Q(expires_at__isnull=False) & Q(expires_at__lte=Now()))
        .first()
    )
    if found is not None and found.is_over:
        close(found, because=Memory.Closed.EXPIRED, by=SYSTEM)
        return None
    return found
