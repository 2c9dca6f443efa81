"""Mutations in the admin: read-only, with approve and reject as actions on at most 200.

An action only notes what was picked. The verbs run after the list's own block is closed, each in
its own transaction, because `memory.review` is always outermost (G1).
"""

from collections import Counter
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html

from memory import review
from memory.interfaces.pages.decide import refusal_in_words
from memory.models import Mutation, MutationSource
from tenants.admin import TenantAdmin, caller_of, site
from tenants.caller import Caller
from tenants.context import within
from tenants.views import opens_its_own

MOST = 200
NAMED = 20  # refusals told one by one

Picked = list[tuple[int, int | None]]
Ended = list[tuple[int, review.ReviewRefused | None]]


def _approve_each(picked: Picked, caller: Caller) -> Ended:
    return list(review.approve_each(items=picked, by=caller))


def _reject_each(picked: Picked, caller: Caller) -> Ended:
    ended: Ended = []
    for pk, version in picked:
        try:
            review.reject(mutation_id=pk, by=caller, version=version)
        except review.ReviewRefused as error:
            ended.append((pk, error))
        else:
            ended.append((pk, None))
    return ended


class Flagged(admin.SimpleListFilter):
    title = "flagged"
    parameter_name = "flagged"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes"), ("no", "No")]

    def queryset(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "yes":
            return rows.filter(flags__len__gt=0)
        return rows.filter(flags__len=0) if self.value() == "no" else rows


@admin.register(Mutation, site=site)
class MutationRecord(TenantAdmin):
    list_display = (
        "id", "card", "operation", "key", "says", "agent", "visitor", "status", "resolution",
        "created_at",
    )  # fmt: skip
    list_filter = (
        "status", "resolution", "operation", "approver", Flagged, "agent",
    )  # fmt: skip
    list_select_related = ("agent", "visitor")
    search_fields = ("draft__key", "draft__content", "before__content")
    ordering = ("-created_at", "-pk")
    deferred = ("vector",)
    actions = ("approve_selected", "reject_selected")

    @admin.display(description="card")
    def card(self, obj: Mutation) -> str:
        return format_html('<a href="{}">open</a>', reverse("review:card", args=[obj.pk]))

    @admin.display(description="key")
    def key(self, obj: Mutation) -> str:
        return format_html("<bdi>{}</bdi>", obj.draft.get("key") or obj.before.get("key") or "")

    @admin.display(description="says")
    def says(self, obj: Mutation) -> str:
        text = obj.draft.get("content") or obj.before.get("content") or ""
        return format_html("<bdi>{}</bdi>", text if len(text) <= 140 else text[:140] + "…")

    # --- actions ---------------------------------------------------------------------------

    def has_decide_permission(self, request: HttpRequest) -> bool:
        caller = caller_of(request)
        return caller is not None and caller.can_edit

    @admin.action(description="Approve the selected (at most 200)", permissions=["decide"])
    def approve_selected(self, request: HttpRequest, rows: QuerySet[Mutation]) -> HttpResponse:
        return self._pick(request, "approve", rows)

    @admin.action(description="Reject the selected (at most 200)", permissions=["decide"])
    def reject_selected(self, request: HttpRequest, rows: QuerySet[Mutation]) -> HttpResponse:
        return self._pick(request, "reject", rows)

    def _pick(self, request: HttpRequest, verb: str, rows: QuerySet[Mutation]) -> HttpResponse:
        picked = list(rows.order_by("pk").values_list("pk", "version")[: MOST + 1])
        request.picked = (verb, picked)  # type: ignore[attr-defined]
        return HttpResponseRedirect(request.get_full_path())

    @opens_its_own("POST")
    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        caller = caller_of(request)
        if request.method != "POST" or caller is None:
            return super().changelist_view(request, extra_context)
        with within(caller.tenant_id):
            response = super().changelist_view(request, extra_context)
            if isinstance(response, TemplateResponse):
                response.render()
        verb, picked = getattr(request, "picked", ("", []))
        if len(picked) > MOST:
            self._too_many(request)
        elif picked:
            self._decide(request, verb, picked)
        return response

    def _too_many(self, request: HttpRequest) -> None:
        text = 'More than {} were selected: nothing was done. The <a href="{}">queue</a> has them.'
        link = format_html(text, MOST, reverse("review:queue"))
        self.message_user(request, link, messages.WARNING)

    def _decide(self, request: HttpRequest, verb: str, picked: Picked) -> None:
        """Each through its verb, on the version that was read; a result for every one."""
        caller = caller_of(request)
        assert caller is not None
        ended = (_approve_each if verb == "approve" else _reject_each)(picked, caller)
        refused = [(pk, refusal_in_words(error)) for pk, error in ended if error is not None]
        done = len(ended) - len(refused)
        past = "approved" if verb == "approve" else "rejected"
        if done:
            self.message_user(request, f"{done} {past}.", messages.SUCCESS)
        for pk, why in refused[:NAMED]:
            self.message_user(request, f"Mutation {pk}: {why}", messages.WARNING)
        if len(refused) > NAMED:
            rest = Counter(why for _, why in refused[NAMED:])
            told = "; ".join(f"{count} × {why}" for why, count in rest.most_common(5))
            more = f"{len(refused) - NAMED} more were not {past}: {told}"
            self.message_user(request, more, messages.WARNING)


@admin.register(MutationSource, site=site)
class SourceRecord(TenantAdmin):
    list_display = ("id", "mutation", "observation")
    list_select_related = ("mutation", "observation")
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        vectors = ("observation__statement_vector", "observation__evidence_vector")
        return super().get_queryset(request).defer(*vectors, "mutation__vector")
