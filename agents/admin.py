"""Agents, visitors and what they said, in the admin. Only settings are editable."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from agents.models import Agent, Conversation, InboundHook, Message, ScheduledRun, Visitor
from memory.events import signature
from tenants.admin import AdminsOnly, TenantAdmin, caller_of, site, text_of


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


@admin.register(ScheduledRun, site=site)
class ScheduledRunRecord(TenantAdmin):
    """An agent that is asked by the clock; a changed crontab is reckoned anew."""

    editors = "edit"
    may_add = may_delete = True
    list_display = ("name", "agent", "visitor", "crontab", "active", "next_run_at", "last_said")
    list_filter = ("active", "agent")
    list_select_related = ("agent", "visitor")
    fields = (
        "name", "agent", "visitor", "prompt", "crontab", "active", "next_run_at", "last_run_at",
        "last_said", "failed_because", "parked_at",
    )  # fmt: skip
    readonly_fields = ("next_run_at", "last_run_at", "last_said", "failed_because", "parked_at")
    raw_id_fields = ("visitor",)
    ordering = ("name", "pk")

    def save_model(self, request: HttpRequest, obj: ScheduledRun, form: Any, change: bool) -> None:
        if not change or "crontab" in form.changed_data:
            obj.next_run_at = None
        if change:  # whoever looked at it lets it try again
            obj.parked_at, obj.attempts, obj.not_before = None, 0, None
        super().save_model(request, obj, form, change)


class HookForm(forms.ModelForm):  # type: ignore[type-arg]
    signing_secret = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.PasswordInput,
        help_text="Slack's own signing secret. Without one a secret is made, and shown once.",
    )

    class Meta:
        model = InboundHook
        fields = ("name", "agent", "preset", "tools", "active")


@admin.register(InboundHook, site=site)
class InboundHookRecord(AdminsOnly):
    """The secret is shown when it is made, and never again."""

    form = HookForm
    editors = "administer"
    may_add = may_delete = True
    list_display = ("name", "agent", "preset", "tools", "active", "address")
    list_select_related = ("agent",)
    ordering = ("name", "pk")

    @admin.display(description="address")
    def address(self, obj: InboundHook) -> str:
        return f"/api/public/agents/{obj.agent.uid}/hooks/{obj.uid}"

    def save_model(self, request: HttpRequest, obj: InboundHook, form: Any, change: bool) -> None:
        given = form.cleaned_data.get("signing_secret", "").strip()
        if given or not change:
            secret = given or signature.new_secret()
            caller = caller_of(request)
            assert caller is not None
            obj.secret = signature.seal(secret, tenant_id=caller.tenant_id, uid=obj.uid)
            if not given:
                self.message_user(request, f"The secret, shown only now: {secret}")
        super().save_model(request, obj, form, change)
