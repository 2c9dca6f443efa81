"""The nouns of memory that agents share, as lists. What was sealed stays sealed.

Read-only, but for teams and who is in them (E15).
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

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
from memory.sharing import teams
from tenants.admin import AdminsOnly, TenantAdmin, caller_of, site, text_of


class TeamForm(forms.ModelForm):  # type: ignore[type-arg]
    """The tenant is no field of the form, so it looks itself for a name that is taken."""

    class Meta:
        model = Team
        fields = ("name",)

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if Team.objects.filter(name=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("There is a team of this name.")
        return name


@admin.register(Team, site=site)
class TeamRecord(TenantAdmin):
    """Removed as over the wire: its memories stand among those of no team."""

    editors = "administer"
    may_add = may_delete = True
    form = TeamForm
    list_display = ("id", "name", "created_at")
    search_fields = ("name",)
    ordering = ("name", "pk")

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:  # type: ignore[override]
        """`teams.remove` writes the entry."""

    def delete_model(self, request: HttpRequest, obj: Team) -> None:
        caller = caller_of(request)
        assert caller is not None
        teams.remove(obj, by=caller.actor)


@admin.register(SharedAgent, site=site)
class SharedAgentRecord(TenantAdmin):
    """Registered at first use; what an admin says of one is its team."""

    editors = "administer"
    fields = ("name", "team", "created_at")
    readonly_fields = ("name", "created_at")
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
    """What there is and until when. A value may be a secret: agents alone read it."""

    exclude = ("value",)
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
