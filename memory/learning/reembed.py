"""A tenant moves to another embedding space: the old one answers until the new one is complete.

`begin` names the new space and notes every text that lacks a vector there; the embed stage works
the notes off, and once none is left `settle` switches in one transaction and removes the old
vectors. Doing either again is safe: what is there is not made twice (D44).
"""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Count

from memory.models import MemoryVector, Unembedded
from memory.providers import default_space, embedder_for, space_of
from tenants.actor import SYSTEM
from tenants.audit import record
from tenants.context import within
from tenants.models import Tenant


@dataclass(frozen=True)
class State:
    """Where a tenant stands. `moving_to` is "" when nothing is under way; `foreign` counts vectors
    of spaces that neither answer nor are being filled."""

    space: str
    moving_to: str
    lacking: int
    waiting: int
    foreign: int


def state_of(tenant_id: int) -> State:
    with within(tenant_id):
        tenant = Tenant.objects.get(pk=tenant_id)
        space = space_of(tenant)
        wanted = tenant.space_wanted
        kept = [space, wanted] if wanted else [space]
        return State(
            space=space,
            moving_to=wanted,
            lacking=_lacking(wanted or space),
            waiting=Unembedded.objects.count(),
            foreign=MemoryVector.objects.exclude(space__in=kept).count(),
        )


def begin(tenant_id: int, to: str = "") -> int:
    """Start, or go on with, the move to a space (by default the installation's): how many texts
    are noted. Raises Misconfigured when there is no embedder for it."""
    to = to or default_space()
    embedder_for(to)
    with within(tenant_id):
        tenant = Tenant.objects.select_for_update().get(pk=tenant_id)
        # What most vectors are of answers until then, whatever the settings say today.
        before = tenant.space or _most_used() or to
        tenant.space = before
        tenant.space_wanted = "" if before == to else to
        tenant.save(update_fields=["space", "space_wanted"])
        return _note(to)


def settle(tenant_id: int) -> bool:
    """Switch if nothing lacks its vector in the new space; True when nothing is left to do."""
    with within(tenant_id):
        tenant = Tenant.objects.select_for_update().get(pk=tenant_id)
        if not tenant.space_wanted:
            return True
        if Unembedded.objects.filter(parked_at=None).exists():
            return False
        if _note(tenant.space_wanted):  # written meanwhile, in the old space only
            return False
        if _lacking(tenant.space_wanted):
            return False  # parked: somebody has to look at them first
        before, tenant.space, tenant.space_wanted = tenant.space, tenant.space_wanted, ""
        tenant.save(update_fields=["space", "space_wanted"])
        MemoryVector.objects.exclude(space=tenant.space).delete()
        _note_reviewed(tenant.space)
        record("tenant.reembedded", by=SYSTEM, subject="tenant", subject_id=tenant.pk,
               space=tenant.space, before=before)  # fmt: skip
        return True


def _most_used() -> str:
    rows = MemoryVector.objects.values("space").annotate(n=Count("pk")).order_by("-n", "space")
    return str(rows[0]["space"]) if rows else ""


def _lacking(space: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_MISSING + _COUNT, [space, space])
        return int(cursor.fetchone()[0])


def _note(space: str) -> int:
    """A row for the embed stage for each text that lacks a vector and is not noted yet."""
    with connection.cursor() as cursor:
        cursor.execute(_MISSING + _NOTE, [space, space])
        return int(cursor.rowcount)


def _note_reviewed(space: str) -> None:
    """What waits for a decision is compared by its vector, too."""
    with connection.cursor() as cursor:
        cursor.execute(_NOTE_REVIEWED, [space, space])


# Live memories and pieces of messages; what is closed is found by nobody, what is sealed under a
# key that is gone can be read by nobody.
_MISSING = """
WITH missing AS (
    SELECT m.id AS memory_id, NULL::bigint AS chunk_id, m.tenant_id FROM memory_memory m
    WHERE m.deleted_at IS NULL AND m.superseded_by_id IS NULL
          AND (m.sealed IS NULL OR EXISTS (
              SELECT FROM memory_tenantkey k WHERE k.removed_at IS NULL
              -- Its first bytes say which data key sealed it: `memory.sealing`.
              AND substring(m.sealed FROM 1 FOR 9) = '\\x01'::bytea || int8send(k.id)))
          AND NOT EXISTS (
        SELECT FROM memory_memoryvector v WHERE v.memory_id = m.id AND v.space = %s)
    UNION ALL
    SELECT NULL, c.id, c.tenant_id FROM memory_messagechunk c
    WHERE NOT EXISTS (SELECT FROM memory_memoryvector v WHERE v.chunk_id = c.id AND v.space = %s)
)
"""
_COUNT = "SELECT count(*) FROM missing"
_NOTE = """
INSERT INTO memory_unembedded (tenant_id, memory_id, chunk_id, attempts, failed_because)
SELECT tenant_id, memory_id, chunk_id, 0, '' FROM missing ON CONFLICT DO NOTHING
"""
_NOTE_REVIEWED = """
INSERT INTO memory_unembedded (tenant_id, observation_id, mutation_id, attempts, failed_because)
SELECT tenant_id, id, NULL, 0, '' FROM memory_observation
WHERE status IN ('new', 'deferred') AND space <> %s
UNION ALL
SELECT tenant_id, NULL, id, 0, '' FROM memory_mutation
WHERE status = 'pending' AND vector IS NOT NULL AND space <> %s
ON CONFLICT DO NOTHING
"""
