"""The front page of the admin: is it healthy, is it keeping up? Real aggregates, few statements.

Nine statements whatever the tenant holds, each bounded by an index or a window of time.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Now

from agents.models import Conversation
from memory.interfaces.admin.charts import Bars, bars
from memory.models import Mutation, Observation, Run, Unembedded, Unextracted, Webhook
from tenants.admin import site

HOURS = 24
DAYS = 7
PARKED = 50
STAGES = ("observe", "reconcile", "extract", "embed", "graph", "deliver")
PARKABLE = {
    "conversation": Conversation,
    "observation": Observation,
    "unembedded": Unembedded,
    "unextracted": Unextracted,
}


@dataclass(frozen=True)
class Queue:
    waiting: int
    flagged: int
    oldest: datetime | None


@dataclass(frozen=True)
class AgentRate:
    """What reviewers made of an agent's mutations in the last days."""

    slug: str
    approved: int
    rejected: int

    @property
    def percent(self) -> int:
        return round(100 * self.approved / (self.approved + self.rejected))


@dataclass(frozen=True)
class Recalls:
    """Milliseconds over the last day; None where nothing was recalled."""

    count: int
    failed: int
    median: float | None
    slowest: float | None  # 95th percentile


@dataclass(frozen=True)
class Parked:
    kind: str
    pk: int
    because: str
    since: datetime


@dataclass(frozen=True)
class Health:
    queue: Queue
    backlog: dict[str, int]
    decisions: Bars
    rates: list[AgentRate]
    recalls: Recalls
    latency: Bars
    runs: dict[str, Run]  # the last one of each stage
    parked: list[Parked]
    paused: list[tuple[int, str]]  # webhooks that were paused, and why
    days: int = DAYS

    @property
    def stages(self) -> list[tuple[str, int | None, Run | None]]:
        """(stage, rows that wait for it, its last run), in the order of the flow; then whatever
        else has run."""
        others = sorted(set(self.runs) - set(STAGES))
        return [
            (stage, self.backlog.get(stage), self.runs.get(stage)) for stage in (*STAGES, *others)
        ]


def health() -> Health:
    """Of the open tenant; runs are the installation's."""
    return Health(
        queue=_queue(),
        backlog=_backlog(),
        decisions=_decisions(),
        rates=_rates(),
        recalls=_recalls(),
        latency=_latency(),
        runs=_runs(),
        parked=_parked(),
        paused=_paused(),
    )


def _queue() -> Queue:
    row = Mutation.objects.pending().aggregate(
        waiting=Count("id"), flagged=Count("id", filter=~Q(flags=[])), oldest=Min("created_at")
    )
    return Queue(**row)


def _backlog() -> dict[str, int]:
    """Rows that wait for a stage, by stage."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT
              (SELECT count(*) FROM agents_conversation c JOIN agents_agent a ON a.id = c.agent_id
               WHERE c.observed_to < c.last_position AND c.parked_at IS NULL
                 AND a.mode = 'reviewed'),
              (SELECT count(*) FROM agents_conversation c JOIN agents_agent a ON a.id = c.agent_id
               WHERE c.observed_to < c.last_position AND c.parked_at IS NULL
                 AND a.mode = 'automatic'),
              (SELECT count(*) FROM memory_observation
               WHERE status IN ('new', 'deferred') AND parked_at IS NULL),
              (SELECT count(*) FROM memory_unembedded WHERE parked_at IS NULL),
              (SELECT count(*) FROM memory_unextracted WHERE parked_at IS NULL),
              (SELECT count(*) FROM memory_delivery
               WHERE status = 'waiting' AND parked_at IS NULL)
            """
        )
        stages = ("observe", "extract", "reconcile", "embed", "graph", "deliver")
        return dict(zip(stages, cursor.fetchone(), strict=True))


def _decisions() -> Bars:
    rows = _by_hour(
        "memory_mutation",
        "resolved_at",
        "count(*) FILTER (WHERE resolution IN ('approved', 'edited', 'kept-both')), "
        "count(*) FILTER (WHERE resolution = 'rejected')",
    )
    return bars(
        [(f"{hour:%H}", (approved, rejected)) for hour, approved, rejected in rows],
        names=("approved", "rejected"),
        unit="in an hour",
    )


def _latency() -> Bars:
    rows = _by_hour(
        "memory_recalltrace",
        "at",
        "coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY took_ms), 0), "
        "count(*) FILTER (WHERE failed <> '')",
    )
    return bars(
        [(f"{hour:%H}", (round(median, 1),)) for hour, median, _ in rows],
        names=("median",),
        unit="ms",
        marks=[bool(failed) for _, _, failed in rows],
    )


def _by_hour(table: str, column: str, wanted: str) -> list[tuple[Any, ...]]:
    """The last hours in UTC, oldest first, with aggregates; hours without rows give zeros."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT hour, {wanted} FROM (
                SELECT generate_series(date_trunc('hour', now(), 'UTC') - %s * interval '1 hour',
                                       date_trunc('hour', now(), 'UTC'), '1 hour') AS hour
            ) hours
            LEFT JOIN {table} ON {column} >= hour AND {column} < hour + interval '1 hour'
                             AND {column} >= now() - interval '25 hours'
            GROUP BY hour ORDER BY hour
            """,  # noqa: S608 (names of our own tables)
            [HOURS - 1],
        )
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _rates() -> list[AgentRate]:
    rows = (
        Mutation.objects.filter(
            resolved_at__gte=Now() - timedelta(days=DAYS),
            resolution__in=["approved", "edited", "kept-both", "rejected"],
        )
        .values("agent__slug")
        .annotate(
            approved=Count("id", filter=Q(status="approved")),
            rejected=Count("id", filter=Q(status="rejected")),
        )
        .order_by("agent__slug")[:20]
    )
    return [
        AgentRate(row["agent__slug"] or "shared memory", row["approved"], row["rejected"])
        for row in rows
    ]


def _recalls() -> Recalls:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*), count(*) FILTER (WHERE failed <> ''),
                   percentile_cont(0.5) WITHIN GROUP (ORDER BY took_ms),
                   percentile_cont(0.95) WITHIN GROUP (ORDER BY took_ms)
            FROM memory_recalltrace WHERE at >= now() - interval '24 hours'
            """
        )
        return Recalls(*cursor.fetchone())


def _runs() -> dict[str, Run]:
    last = Run.objects.order_by("stage", "-started_at", "-id").distinct("stage")
    return {run.stage: run for run in last}


def _parked() -> list[Parked]:
    parked: list[Parked] = []
    for kind, model in PARKABLE.items():
        rows: QuerySet[Any] = model._default_manager.filter(parked_at__isnull=False)
        parked += [
            Parked(kind, pk, because, since)
            for pk, because, since in rows.order_by("-parked_at", "-id").values_list(
                "pk", "failed_because", "parked_at"
            )[:PARKED]
        ]
    return parked


def _paused() -> list[tuple[int, str]]:
    """Those that paused themselves; what somebody paused by hand is no fault."""
    rows = Webhook.objects.filter(active=False).exclude(paused_because="").order_by("-pk")
    return list(rows.values_list("pk", "paused_because")[:PARKED])


site.front = health
