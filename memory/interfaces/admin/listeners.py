"""Listeners, which are settings, and what each of them heard and did about it."""

from typing import Any

from django import forms
from django.contrib import admin

from memory.models import Hearing, Listener
from memory.tools import ToolError
from memory.tools.listening import check
from tenants.admin import TenantAdmin, site


class ListenerForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Listener
        fields = ("name", "event", "category", "key_prefix", "tool", "arguments", "active")
        help_texts = {
            "category": "Of what it hears; empty is any.",
            "key_prefix": "How the key begins; empty is any, and none.",
            "arguments": "The tool's, as JSON. {key}, {category}, {content} and {id} in its texts "
            "become the memory's.",
        }

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "tool" in given and "arguments" in given:
            try:
                check(given["tool"], given["arguments"])
            except ToolError as refused:
                where = f"{refused.field}: " if refused.field else ""
                self.add_error("arguments", f"{where}{refused.error}")
        return given


@admin.register(Listener, site=site)
class ListenerRecord(TenantAdmin):
    form = ListenerForm
    editors = "administer"
    may_add = may_delete = True
    list_display = ("name", "event", "category", "key_prefix", "tool", "active")
    list_filter = ("active", "event", "tool")
    ordering = ("name", "pk")


@admin.register(Hearing, site=site)
class HearingRecord(TenantAdmin):
    list_display = ("id", "listener", "event", "visitor", "status", "said", "created_at")
    list_filter = ("status", "listener")
    list_select_related = ("listener", "event", "visitor")
    readonly_fields = ("lease_until", "attempts", "not_before", "failed_because", "parked_at")
    ordering = ("-pk",)
