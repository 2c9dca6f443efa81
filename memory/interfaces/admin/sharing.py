"""The nouns of memory that agents share, as read-only lists. What was sealed stays sealed."""

from django.contrib import admin

from memory.models import (
    AccessGrant,
    ConflictPolicy,
    Entity,
    Mention,
    Relation,
    Replica,
    ReplicaOperation,
    ScratchEntry,
    SharedAgent,
    Team,
    TenantKey,
    Unextracted,
    VectorClock,
    WorkflowUsage,
)
from tenants.admin import AdminsOnly, TenantAdmin, site, text_of


@admin.register(Team, site=site)
class TeamRecord(TenantAdmin):
    list_display = ("id", "name", "created_at")
    search_fields = ("name",)
    ordering = ("name", "pk")


@admin.register(SharedAgent, site=site)
class SharedAgentRecord(TenantAdmin):
    list_display = ("id", "name", "team", "created_at")
    list_filter = ("team",)
    list_select_related = ("team",)
    search_fields = ("name",)
    ordering = ("name", "pk")


@admin.register(AccessGrant, site=site)
class GrantRecord(AdminsOnly):
    list_display = (
        "id", "grantor_role", "grantee", "resource_scope", "valid_from", "valid_to",
    )  # fmt: skip
    list_filter = ("grantor_role", "resource_scope")
    list_select_related = ("grantee",)
    ordering = ("-pk",)


@admin.register(ConflictPolicy, site=site)
class PolicyRecord(AdminsOnly):
    list_display = ("id", "workflow", "policy", "created_at")
    list_filter = ("policy",)
    search_fields = ("workflow",)
    ordering = ("workflow", "pk")


@admin.register(VectorClock, site=site)
class ClockRecord(TenantAdmin):
    list_display = ("id", "agent", "scope", "ticks")
    list_filter = ("scope",)
    list_select_related = ("agent",)
    ordering = ("-pk",)


@admin.register(Replica, site=site)
class ReplicaRecord(TenantAdmin):
    list_display = ("id", "name")
    search_fields = ("name",)
    ordering = ("name", "pk")


@admin.register(ReplicaOperation, site=site)
class OperationRecord(TenantAdmin):
    list_display = ("id", "replica", "tick", "key", "writer", "made_at")
    list_filter = ("replica",)
    search_fields = ("key",)
    ordering = ("-pk",)


@admin.register(ScratchEntry, site=site)
class ScratchRecord(TenantAdmin):
    list_display = ("id", "workflow", "key", "set_at", "expires_at")
    search_fields = ("workflow", "key")
    ordering = ("-pk",)


@admin.register(WorkflowUsage, site=site)
class UsageRecord(TenantAdmin):
    list_display = ("id", "workflow", "day", "writes", "searches")
    search_fields = ("workflow",)
    ordering = ("-day", "workflow", "pk")


@admin.register(TenantKey, site=site)
class KeyRecord(AdminsOnly):
    list_display = ("id", "fingerprint", "created_at", "removed_at")
    ordering = ("-pk",)


@admin.register(Entity, site=site)
class EntityRecord(TenantAdmin):
    list_display = ("id", text_of("shown", 60))
    search_fields = ("shown",)
    ordering = ("-pk",)


@admin.register(Mention, site=site)
class MentionRecord(TenantAdmin):
    list_display = ("id", "memory", "entity")
    list_select_related = ("memory", "entity")
    ordering = ("-pk",)


@admin.register(Relation, site=site)
class RelationRecord(TenantAdmin):
    list_display = ("id", "memory", "subject", text_of("verb", 60), "object")
    list_select_related = ("memory", "subject", "object")
    ordering = ("-pk",)


@admin.register(Unextracted, site=site)
class UnextractedRecord(TenantAdmin):
    list_display = ("id", "memory", "attempts", "parked_at")
    list_select_related = ("memory",)
    readonly_fields = ("lease_until", "attempts", "not_before", "failed_because", "parked_at")
    ordering = ("pk",)
