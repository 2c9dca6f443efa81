"""Every noun of the memory as a read-only list with filters and search. No list fetches vectors."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet, TextField, Value
from django.db.models.functions import Concat
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
)

from memory.models import (
    Category,
    Erasure,
    Event,
    Memory,
    MemoryVersion,
    MessageChunk,
    Observation,
    RecallTrace,
    Rule,
    Run,
    Tombstone,
    Unembedded,
)
from tenants.admin import AdminsOnly, OperatorAdmin, TenantAdmin, site, text_of


@admin.register(Observation, site=site)
class ObservationRecord(TenantAdmin):
    list_display = ("id", "status", "agent", "visitor", text_of("statement"), "said_at", "defers")
    list_filter = ("status", "agent", ("parked_at", admin.EmptyFieldListFilter))
    list_select_related = ("agent", "visitor")
    search_fields = ("statement",)
    ordering = ("-created_at", "-pk")
    deferred = ("statement_vector", "evidence_vector")
    readonly_fields = ("lease_until", "attempts", "not_before", "failed_because", "parked_at")


@admin.register(Memory, site=site)
class MemoryRecord(TenantAdmin):
    list_display = (
        "id", text_of("key", 200), "presence", "agent", "visitor", text_of("content"), "version",
        "ended", "created_at",
    )  # fmt: skip
    list_filter = ("kind", "presence", "closed_because", "agent")
    list_select_related = ("agent", "visitor")
    search_fields = ("says",)
    ordering = ("-created_at", "-pk")
    readonly_fields = ("mutations", "history")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """`says` is what a search looks at: three columns as one text, so that a row without the
        word costs one comparison. A list without a search does not make it."""
        line = Value("\n")
        says = Concat("key", line, "description", line, "content", output_field=TextField())
        rows: QuerySet[Any] = super().get_queryset(request).alias(says=says)
        return rows

    @admin.display(description="history")
    def history(self, obj: Memory) -> str:
        return format_html(
            '<a href="{}">every version, and why</a>', reverse("memory", args=[obj.pk])
        )

    @admin.display(description="ended")
    def ended(self, obj: Memory) -> str:
        return obj.closed_because or "—"

    @admin.display(description="mutations about it")
    def mutations(self, obj: Memory) -> str:
        return format_html(
            '<a href="{}?target__id__exact={}">as target</a>',
            reverse("admin:memory_mutation_changelist"),
            obj.pk,
        )


@admin.register(Category, site=site)
class CategoryRecord(TenantAdmin):
    list_display = ("id", "agent", "slug", "name", "is_active")
    list_filter = ("is_active", "agent")
    list_select_related = ("agent",)
    ordering = ("agent_id", "pk")


@admin.register(MemoryVersion, site=site)
class VersionRecord(TenantAdmin):
    list_display = ("id", "memory", "version", "because", "mutation_id", "user_id", "made_at")
    list_filter = ("because",)
    list_select_related = ("memory",)
    search_fields = ("memory__key",)
    ordering = ("-pk",)


@admin.register(MessageChunk, site=site)
class ChunkRecord(TenantAdmin):
    list_display = ("id", "message", "piece", "start", "end", "agent", "visitor")
    list_filter = ("agent",)
    list_select_related = ("message", "agent", "visitor")
    ordering = ("-pk",)


@admin.register(Rule, site=site)
class RuleRecord(TenantAdmin):
    list_display = ("id", "agent", "key_prefix", "made_by", "created_at", "lifted_at")
    list_filter = ("agent", ("lifted_at", admin.EmptyFieldListFilter))
    list_select_related = ("agent", "made_by")
    search_fields = ("key_prefix",)
    ordering = ("-pk",)


@admin.register(Tombstone, site=site)
class TombstoneRecord(TenantAdmin):
    list_display = ("id", "mutation", "agent", "visitor", "created_at", "expires_at", "lifted_at")
    list_filter = ("agent", ("lifted_at", admin.EmptyFieldListFilter))
    list_select_related = ("mutation", "agent", "visitor")
    ordering = ("-pk",)
    deferred = ("vector",)


@admin.register(Erasure, site=site)
class ErasureRecord(AdminsOnly):
    list_display = ("id", "visitor_id", "at", "user_id", "token_id", "oldest_backup")
    ordering = ("-at", "-pk")


@admin.register(Event, site=site)
class EventRecord(TenantAdmin):
    list_display = ("id", "kind", "key", "memory_id", "created_at", "dispatched_at")
    list_filter = ("kind", ("dispatched_at", admin.EmptyFieldListFilter))
    ordering = ("-pk",)


@admin.register(RecallTrace, site=site)
class TraceRecord(TenantAdmin):
    list_display = ("id", "at", "agent", "visitor", "channel", "tokens", "took_ms", "failed")
    list_filter = ("channel", "agent", ("failed", admin.EmptyFieldListFilter))
    list_select_related = ("agent", "visitor")
    ordering = ("-at", "-pk")


@admin.register(Unembedded, site=site)
class UnembeddedRecord(TenantAdmin):
    list_display = ("id", "memory", "chunk", "observation", "mutation", "attempts", "parked_at")
    list_select_related = ("memory", "chunk", "observation", "mutation")
    readonly_fields = ("lease_until", "attempts", "not_before", "failed_because", "parked_at")
    ordering = ("pk",)

    def get_queryset(self, request: Any) -> Any:
        vectors = ("observation__statement_vector", "observation__evidence_vector")
        return super().get_queryset(request).defer(*vectors, "mutation__vector")


@admin.register(Run, site=site)
class RunRecord(OperatorAdmin):
    """Of the whole installation; counts only."""

    editable = False
    list_display = ("stage", "period", "processed", "mutated", "failed", "error", "finished_at")
    list_filter = ("stage",)
    ordering = ("-started_at", "-pk")


@admin.register(PeriodicTask, site=site)
class ScheduleRecord(OperatorAdmin):
    """When the stages run; beat takes a change up within seconds."""

    list_display = ("name", "task", "enabled", "interval", "crontab", "last_run_at")
    list_filter = ("enabled",)
    list_select_related = ("interval", "crontab", "solar", "clocked")
    fields = (
        "name", "task", "enabled", "interval", "crontab", "clocked", "one_off", "start_time",
        "args", "kwargs", "queue", "expires", "description", "last_run_at",
    )  # fmt: skip
    readonly_fields = ("last_run_at",)


for schedule in (IntervalSchedule, CrontabSchedule, ClockedSchedule):
    site.register(schedule, OperatorAdmin)
