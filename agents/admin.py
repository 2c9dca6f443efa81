"""Agents, visitors and what they said, in the admin. Only the agent's settings are editable."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from agents.models import Agent, Conversation, Message, Visitor
from tenants.admin import TenantAdmin, site, text_of


@admin.register(Agent, site=site)
class AgentRecord(TenantAdmin):
    editors = "edit"
    may_add = True
    list_display = ("slug", "name", "memory_enabled", "mode", "tools", "page", "created_at")
    list_filter = ("memory_enabled", "mode", "tools")
    search_fields = ("slug", "name")
    readonly_fields = ("uid", "created_at")
    prepopulated_fields = {"slug": ("name",)}
    ordering = ("slug", "pk")

    @admin.display(description="page")
    def page(self, obj: Agent) -> str:
        return format_html('<a href="{}">open</a>', reverse("agents:agent", args=[obj.slug]))


@admin.register(Visitor, site=site)
class VisitorRecord(TenantAdmin):
    """The cookie is a bearer secret and is shown nowhere."""

    list_display = (
        "id", text_of("label", 60), "auto_capture_enabled", "use_memory_in_responses",
        "created_at", "last_seen_at",
    )  # fmt: skip
    list_filter = ("auto_capture_enabled", "use_memory_in_responses")
    search_fields = ("host_id", "name")
    exclude = ("cookie",)
    ordering = ("-pk",)


@admin.register(Conversation, site=site)
class ConversationRecord(TenantAdmin):
    list_display = (
        "id", "agent", "visitor", "channel", "observed_to", "last_position", "last_received_at",
        "parked_at",
    )  # fmt: skip
    list_filter = ("channel", "agent", ("parked_at", admin.EmptyFieldListFilter))
    list_select_related = ("agent", "visitor")
    ordering = ("-last_received_at", "-pk")
    readonly_fields = ("lease_until", "attempts", "not_before", "failed_because", "parked_at")


@admin.register(Message, site=site)
class MessageRecord(TenantAdmin):
    list_display = ("id", "conversation", "position", "role", text_of("content"), "received_at")
    list_filter = ("role",)
    list_select_related = ("conversation",)
    search_fields = ("content",)
    ordering = ("-pk",)
