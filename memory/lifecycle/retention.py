"""What has been kept long enough ends, every night (D43).

Messages and observations by the tenant's setting (null: for ever), traces and events by another,
tombstones when they expire, closed memories when nobody can restore them any more. Each batch is
short transactions in everybody's lock order, so that it runs beside whatever else does.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest, Now

from agents.models import Conversation, Message
from memory import store
from memory.events import deliver
from memory.gate import gate
from memory.lifecycle import period, retention_shared
from memory.models import (
    Event,
    Memory,
    MemoryVector,
    MessageChunk,
    Mutation,
    MutationSource,
    Observation,
    Posting,
    RecallTrace,
    Run,
    Tombstone,
    Unembedded,
)
from memory.stages import RUN_SECONDS, Tally
from memory.stages import run as run_stage
from tenants import limits
from tenants.context import within
from tenants.directory import tenants_with_work
from tenants.models import Tenant

STAGE = "retention"
DAY = timedelta(days=1)
LEASE = timedelta(minutes=55)  # beat tries every hour of the night
RESTORABLE = timedelta(days=30)  # E9
CONVERSATIONS = 50  # of one batch, a transaction each
MEMORIES = 100
ROWS = 5_000  # of tables without children, one statement
EVERY_TENANT = 1_000_000


def run(seconds: float = RUN_SECONDS) -> Tally:
    """The run of today, unless it was done or is being done: then nothing."""
    if not period.take(STAGE, DAY, LEASE):
        return Tally()
    tenants = tenants_with_work(STAGE, EVERY_TENANT)
    unfinished = set(tenants)

    def batch(tenant_id: int) -> Tally:
        unfinished.discard(tenant_id)  # one that fails is tried again tomorrow
        done = step(tenant_id)
        if done.taken:
            unfinished.add(tenant_id)
        return done

    total = run_stage(STAGE, batch, tenants=tenants, seconds=seconds, interval=DAY)
    sweep()
    if unfinished:
        period.give_back(STAGE, DAY, LEASE)
    return total


def step(tenant_id: int) -> Tally:
    """One batch of everything of one tenant. `processed` counts rows that ended."""
    with within(tenant_id):
        tenant = Tenant.objects.get(pk=tenant_id)
    ended = 0
    if tenant.messages_days is not None:
        ended += _conversations(tenant_id, Now() - timedelta(days=tenant.messages_days))
    ended += _closed_memories(tenant_id)
    kept = Now() - timedelta(days=tenant.traces_days)
    for rows in (
        lambda: RecallTrace.objects.filter(at__lt=kept),
        lambda: Event.objects.filter(created_at__lt=kept),
        lambda: Tombstone.objects.filter(expires_at__lt=Now()),
    ):
        ended += _rows(tenant_id, rows)
    with within(tenant_id):
        ended += deliver.let_go(ROWS)
    ended += retention_shared.step(tenant)
    return Tally(taken=ended, processed=ended)


def sweep() -> None:
    """What belongs to no tenant: old runs, and counters whose window is over."""
    old = Now() - timedelta(days=settings.RUNS_DAYS)
    Run.objects.filter(started_at__lt=old).exclude(stage=STAGE, finished_at=None).delete()
    while limits.sweep() == limits.SWEEP_AT_ONCE:
        pass


def _rows(tenant_id: int, rows: Callable[[], QuerySet[Any]]) -> int:
    """Rows that nothing hangs on. What somebody else holds waits for tomorrow."""
    with within(tenant_id):
        held = rows().select_for_update(skip_locked=True, of=("self",)).order_by("pk")
        ids = list(held.values_list("pk", flat=True)[:ROWS])
        return rows().filter(pk__in=ids).delete()[0] if ids else 0


# --- messages and observations ---------------------------------------------------------------


def _conversations(tenant_id: int, kept: Any) -> int:
    messages = Message.objects.filter(conversation=OuterRef("pk"))
    observations = Observation.objects.filter(conversation=OuterRef("pk"))
    has_old = Exists(messages.filter(received_at__lt=kept)) | Exists(
        observations.filter(created_at__lt=kept)
    )
    is_empty = Q(last_received_at__lt=kept) & ~Exists(messages) & ~Exists(observations)
    with within(tenant_id):
        due = list(
            Conversation.objects.filter(created_at__lt=kept)
            .filter(has_old | is_empty)
            .order_by("pk")
            .values_list("pk", "agent_id", "visitor_id")[:CONVERSATIONS]
        )
    ended = 0
    for number, agent_id, visitor_id in due:
        with within(tenant_id):
            gate(agent_id=agent_id, visitor_id=visitor_id)  # the scope first; switches do not count
            ended += _conversation(number, kept)
    return ended


def _conversation(number: int, kept: Any) -> int:
    """End what is old in one conversation, and the conversation when nothing is left of it."""
    own = Conversation.objects.filter(pk=number)
    if not own.select_for_update(skip_locked=True, of=("self",)).exists():
        return 0
    ended = _observations(Observation.objects.filter(conversation=number, created_at__lt=kept))
    old = Message.objects.filter(conversation=number, received_at__lt=kept)
    last = old.aggregate(last=Max("position"))["last"]
    if last is not None:
        ended += _messages(Message.objects.filter(conversation=number, position__lte=last))
        # What is gone cannot be read any more: the mark goes past it.
        own.update(observed_to=Greatest(F("observed_to"), Value(last)))
    empty = own.filter(last_received_at__lt=kept).exclude(
        Exists(Message.objects.filter(conversation=number))
        | Exists(Observation.objects.filter(conversation=number))
    )
    if empty.exists():
        ended += empty.delete()[0]
    return ended


def _messages(rows: QuerySet[Message]) -> int:
    """Traces stay, by their own time; proposals and memories keep the words they quote."""
    chunks = MessageChunk.objects.filter(message__in=rows)
    for entries in (Unembedded, MemoryVector, Posting):
        found: QuerySet[Any] = entries.objects.filter(chunk__in=chunks)
        found._raw_delete(found.db)
    chunks._raw_delete(chunks.db)
    RecallTrace.objects.filter(message__in=rows).update(message=None)
    return rows._raw_delete(rows.db) or 0


def _observations(rows: QuerySet[Observation]) -> int:
    Unembedded.objects.filter(observation__in=rows).delete()  # first: the embed stage's order
    ids = list(rows.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
    MutationSource.objects.filter(observation__in=ids).delete()
    Observation.objects.filter(pk__in=ids).delete()
    return len(ids)


# --- closed memories -------------------------------------------------------------------------


def _closed_memories(tenant_id: int) -> int:
    """Closed for longer than anybody can restore them: text, vectors, versions go."""
    old = Memory.objects.filter(deleted_at__lt=Now() - RESTORABLE)
    old = old.exclude(kind=Memory.Kind.SHARED)  # `atTime` answers these: `retention_shared`
    with within(tenant_id):
        due = list(old.order_by("pk").values_list("pk", "agent_id", "visitor_id")[:MEMORIES])
    ended = 0
    for number, agent_id, visitor_id in due:
        with within(tenant_id):
            gate(agent_id=agent_id, visitor_id=visitor_id)
            about = Mutation.objects.filter(Q(target=number) | Q(memory=number)).order_by("pk")
            notes = Unembedded.objects.filter(Q(memory=number) | Q(mutation__in=about))
            list(notes.select_for_update(of=("self",)).values_list("pk", flat=True))
            list(about.select_for_update(of=("self",)).values_list("pk", flat=True))
            held = old.filter(pk=number).select_related("category")
            memory = held.select_for_update(of=("self",)).first()  # unless restored meanwhile
            if memory is not None:
                ended += store.erase([memory])
    return ended
