"""Webhooks, their deliveries and attempts: what was told, what came back, and telling it again.

No secret, no body and nothing that a receiver answered is shown. Admins and owners only: an
address may itself be a secret.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html

from memory.events import subscriptions
from memory.events.subscriptions import NotReplayable
from memory.interfaces.tasks import wake
from memory.models import Attempt, Delivery, Webhook
from tenants.admin import AdminsOnly, caller_of, site
from tenants.caller import Caller

MOST = 200


class _WithVerbs(AdminsOnly):
    """Read-only, with verbs as actions that admins may use."""

    def has_act_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def _each(
        self,
        request: HttpRequest,
        rows: QuerySet[Any],
        act: Callable[[int, Caller], bool],
        done_in_words: str,
    ) -> None:
        """Run a verb on at most 200 rows, in the request's own block; say what came of it."""
        caller = caller_of(request)
        assert caller is not None
        numbers = list(rows.order_by("pk").values_list("pk", flat=True)[: MOST + 1])
        if len(numbers) > MOST:
            text = f"More than {MOST} were selected: nothing was done."
            self.message_user(request, text, messages.WARNING)
            return
        done = 0
        for number in numbers:
            try:
                done += act(number, caller)
            except NotReplayable as error:
                text = f"Delivery {number} was not sent again: {error}."
                self.message_user(request, text, messages.WARNING)
        if done:
            self.message_user(request, f"{done} {done_in_words}.", messages.SUCCESS)
            wake("deliver", caller.tenant_id)


@admin.register(Webhook, site=site)
class WebhookRecord(_WithVerbs):
    list_display = ("id", "receiver", "active", "paused_because", "failures", "created_at")
    list_filter = ("active",)
    search_fields = ("url",)
    ordering = ("-created_at", "-pk")
    deferred = ("secret",)
    fields = (
        "uid", "url", "events", "active", "paused_because", "failures", "created_at", "told",
    )  # fmt: skip
    readonly_fields = ("uid", "created_at", "told")
    actions = ("pause_selected", "resume_selected")

    @admin.display(description="receiver")
    def receiver(self, obj: Webhook) -> str:
        return _host(obj.url)

    @admin.display(description="deliveries")
    def told(self, obj: Webhook) -> str:
        address = reverse("admin:memory_delivery_changelist")
        return format_html(
            '<a href="{}?webhook__id__exact={}">what it was told</a>', address, obj.pk
        )

    @admin.action(description="Pause the selected", permissions=["act"])
    def pause_selected(self, request: HttpRequest, rows: QuerySet[Webhook]) -> None:
        self._each(request, rows, _pause, "paused")

    @admin.action(description="Resume the selected", permissions=["act"])
    def resume_selected(self, request: HttpRequest, rows: QuerySet[Webhook]) -> None:
        self._each(request, rows, _resume, "resumed")


class _AttemptsOfOne(admin.TabularInline):  # type: ignore[type-arg]
    """Under a delivery: each try, the newest first."""

    model = Attempt
    fields = readonly_fields = ("at", "status", "error", "milliseconds")
    ordering = ("-pk",)
    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        caller = caller_of(request)
        return caller is not None and caller.can_administer

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


@admin.register(Delivery, site=site)
class DeliveryRecord(_WithVerbs):
    list_display = ("id", "kind", "receiver", "status", "tried", "failed_because", "created_at")
    list_filter = ("status", "event__kind", "webhook")
    list_select_related = ("event", "webhook")
    search_fields = ("uid__exact", "url")
    ordering = ("-pk",)
    deferred = ("body",)
    fields = (
        "uid", "event", "kind", "webhook", "url", "status", "is_kept", "attempts", "not_before",
        "failed_because", "created_at", "ended_at",
    )  # fmt: skip
    readonly_fields = (
        "uid", "kind", "is_kept", "attempts", "not_before", "failed_because", "created_at",
    )  # fmt: skip
    inlines = (_AttemptsOfOne,)
    actions = ("replay_selected",)
    change_form_template = "admin/memory/delivery.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).defer("body", "webhook__secret")
        counted: QuerySet[Any] = rows.annotate(tried_times=Count("tries"))
        return counted

    @admin.display(description="receiver")
    def receiver(self, obj: Delivery) -> str:
        return _host(obj.url)

    @admin.display(description="what")
    def kind(self, obj: Delivery) -> str:
        return str(obj.event.kind)

    @admin.display(description="attempts")
    def tried(self, obj: Any) -> int:
        return int(obj.tried_times)

    @admin.display(description="can be sent again", boolean=True)
    def is_kept(self, obj: Delivery) -> bool:
        return can_be_replayed(obj)

    @admin.action(description="Send the selected again", permissions=["act"])
    def replay_selected(self, request: HttpRequest, rows: QuerySet[Delivery]) -> None:
        self._each(request, rows, _replay, "sent again, under the same id")

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if request.method == "POST" and "_replay" in request.POST:
            if not self.has_act_permission(request):
                return super().change_view(request, object_id, form_url, extra_context)
            self._each(
                request,
                Delivery.objects.filter(pk=object_id if object_id.isdecimal() else 0),
                _replay,
                "sent again, under the same id",
            )
            return HttpResponseRedirect(request.get_full_path())
        return super().change_view(request, object_id, form_url, extra_context)


@admin.register(Attempt, site=site)
class AttemptRecord(AdminsOnly):
    list_display = ("id", "at", "delivery", "status", "error", "milliseconds")
    list_filter = ("status",)
    list_select_related = ("delivery",)
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("delivery__body")


def _host(url: str) -> str:
    return urlsplit(url).netloc  # without the path, which may be a secret


def can_be_replayed(row: Delivery) -> bool:
    return (
        row.status != Delivery.Status.WAITING
        and Delivery.objects.filter(pk=row.pk, body__isnull=False).exists()
    )


def _pause(number: int, by: Caller) -> bool:
    hook = Webhook.objects.filter(pk=number).select_for_update().first()
    if hook is None or not hook.active:
        return False
    subscriptions.pause(hook, by=by.actor)
    return True


def _resume(number: int, by: Caller) -> bool:
    hook = Webhook.objects.filter(pk=number).select_for_update().first()
    if hook is None or hook.active:
        return False
    subscriptions.resume(hook, by=by.actor)
    return True


def _replay(number: int, by: Caller) -> bool:
    subscriptions.replay(number, by=by.actor)
    return True
