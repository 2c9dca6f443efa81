"""What the nightly retention ends of what agents share, and of the audit (contract 4, D42, D43).

`memoriesDays` reaches shared memories alone (G18): they are closed, and stay readable by `atTime`
for another 30 days before they are erased. One that was closed for another reason stays for
`atTime` as long as the organisation keeps memories; with no setting that is for ever.
"""

from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now, TruncDate

from memory import store
from memory.models import Memory, Mutation, ScratchEntry, WorkflowUsage
from tenants import audit_chain
from tenants.actor import SYSTEM
from tenants.context import within
from tenants.models import Tenant

MEMORIES = 200
ROWS = 5_000
RESTORABLE = timedelta(days=30)  # E9
USAGE = timedelta(days=365)  # G18


def step(tenant: Tenant) -> int:
    """One batch of everything; how many rows ended."""
    ended = _scratch(tenant) + _usage(tenant.pk)
    if tenant.memories_days is not None:
        old = Now() - timedelta(days=tenant.memories_days)
        ended += _close(tenant.pk, old) + _erase(tenant.pk, old) + _proposals(tenant.pk, old)
    with within(tenant.pk):
        ended += audit_chain.end_old()
    return ended


def _close(tenant_id: int, old: Any) -> int:
    """Memories older than the organisation keeps them. What somebody holds waits for tomorrow."""
    with within(tenant_id):
        rows = Memory.objects.filter(
            kind=Memory.Kind.SHARED, deleted_at=None, created_at__lt=old
        ).order_by("pk")
        held = list(rows.select_for_update(of=("self",), no_key=True, skip_locked=True)[:MEMORIES])
        for memory in held:
            store.close(memory, because=Memory.Closed.RETAINED, by=SYSTEM)
    return len(held)


def _erase(tenant_id: int, old: Any) -> int:
    """Memories that are closed, and so old that `atTime` need not answer them any more."""
    # What it replaced goes first: without a successor it would count as live again.
    replaced = Memory.objects.filter(superseded_by=OuterRef("pk"), deleted_at=None)
    gone = Memory.objects.filter(
        ~Exists(replaced),
        kind=Memory.Kind.SHARED,
        deleted_at__lt=Now() - RESTORABLE,
        created_at__lt=old,
    )
    ended = 0
    with within(tenant_id):
        numbers = list(gone.order_by("pk").values_list("pk", flat=True)[:MEMORIES])
    for number in numbers:
        with within(tenant_id):
            # Proposals about it first, then the row: the order of whoever decides (G2).
            about = Mutation.objects.filter(memory=number).order_by("pk")
            list(about.select_for_update(of=("self",)).values_list("pk", flat=True))
            held = gone.filter(pk=number).select_for_update(of=("self",), skip_locked=True)
            memory = held.first()
            if memory is not None:
                ended += store.erase([memory])
    return ended


def _proposals(tenant_id: int, old: Any) -> int:
    """Conflicts that ended so long ago. One that waits is a person's to end (D27)."""
    return _delete(
        tenant_id,
        Mutation.objects.filter(writer__isnull=False, resolved_at__lt=old).filter(later=None),
    )


def _scratch(tenant: Tenant) -> int:
    old = Now() - timedelta(days=tenant.scratch_days)
    return _delete(tenant.pk, ScratchEntry.objects.filter(set_at__lt=old))


def _usage(tenant_id: int) -> int:
    return _delete(tenant_id, WorkflowUsage.objects.filter(day__lt=TruncDate(Now() - USAGE)))


def _delete(tenant_id: int, rows: QuerySet[Any]) -> int:
    with within(tenant_id):
        held = rows.select_for_update(skip_locked=True, of=("self",)).order_by("pk")
        numbers = list(held.values_list("pk", flat=True)[:ROWS])
        return rows.model._default_manager.filter(pk__in=numbers).delete()[0] if numbers else 0
