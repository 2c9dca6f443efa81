"""The sweep: what has expired is closed, once, and those who asked are told (contract 4).

Nothing depends on it for being unseen: every reader asks `expires_at` itself (fault 17). The sweep
gives the end its row, its version and its event. A row that somebody else holds, or has swept,
is left to them, so two sweeps at once tell of nothing twice.
"""

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from memory import store
from memory.gate import gate
from memory.models import Memory, Mutation, ScratchEntry
from memory.review import conflict
from memory.stages import Tally
from tenants.actor import SYSTEM
from tenants.context import within

STAGE = "sweep"
BATCH = 100
SCRATCH = 5_000
EXPIRED = Q(expires_at__lte=Now())


def step(tenant_id: int) -> Tally:
    """One batch of one tenant. `processed` counts what ended, `taken` what was looked at."""
    with within(tenant_id):
        memories = list(expired().values_list("pk", "agent_id", "visitor_id")[:BATCH])
        proposals = list(expired_proposals().values_list("pk", flat=True)[:BATCH])
    ended = 0
    for number, agent_id, visitor_id in memories:
        with within(tenant_id):
            gate(agent_id=agent_id, visitor_id=visitor_id)  # the scope first; switches do not count
            ended += _close(number)
    for number in proposals:
        with within(tenant_id):
            ended += _end_proposal(number)
    scratch = _end_scratch(tenant_id)
    ended += scratch
    taken = len(memories) + len(proposals) + scratch
    return Tally(taken=taken, processed=ended, stop=ended == 0)


def expired() -> QuerySet[Memory]:
    """Of every kind, live and past its time. One that was replaced ended then."""
    return Memory.objects.live().filter(EXPIRED).order_by("expires_at", "pk")


def expired_proposals() -> QuerySet[Mutation]:
    """Conflicts whose write is past its time before anybody decided (D27)."""
    pending = Mutation.objects.pending().filter(EXPIRED, writer__isnull=False)
    return pending.order_by("expires_at", "pk")


def _close(number: int) -> int:
    held = (
        expired().filter(pk=number).select_for_update(of=("self",), no_key=True, skip_locked=True)
    )
    memory = held.first()
    if memory is None:
        return 0
    store.close(memory, because=Memory.Closed.EXPIRED, by=SYSTEM)
    return 1


def _end_proposal(number: int) -> int:
    held = expired_proposals().filter(pk=number)
    mutation = held.select_for_update(of=("self",), no_key=True, skip_locked=True).first()
    if mutation is None:
        return 0
    conflict.end(mutation, "expired", by=SYSTEM)
    return 1


def _end_scratch(tenant_id: int) -> int:
    """Scratch past its own time goes for good."""
    with within(tenant_id):
        held = ScratchEntry.objects.filter(EXPIRED).order_by("pk")
        rows = held.select_for_update(of=("self",), skip_locked=True)
        numbers = list(rows.values_list("pk", flat=True)[:SCRATCH])
        return ScratchEntry.objects.filter(pk__in=numbers).delete()[0] if numbers else 0
