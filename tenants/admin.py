"""The admin of one tenant: rights from the Membership, audit instead of the log (D7, G21).

The site stands under `/t/<tenant>/admin/`. Every model of a tenant is registered with a class
that derives from `TenantAdmin`; what belongs to the installation derives from `OperatorAdmin` and
is seen by superusers only.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, ValidationError
from django.core.paginator import Paginator
from django.db import models
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.template.response import TemplateResponse
from django.utils.functional import cached_property
from django.utils.html import format_html

from tenants.actor import SYSTEM
from tenants.audit import record
from tenants.caller import Caller
from tenants.models import AuditEntry

COUNT_TO = 10_000


def caller_of(request: HttpRequest) -> Caller | None:
    """Who asks, as the tenant middleware found out; None outside a tenant."""
    return getattr(request, "caller", None)


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts to 10,000 and no further: a longer list is paged that far, then filtered."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        if isinstance(rows, QuerySet):
            return rows.order_by()[:COUNT_TO].values("pk").count()
        return len(rows)

    def _get_page(self, object_list: Any, number: int, paginator: Any) -> Any:
        """The page is found by its ids: what is sorted then are numbers, not rows with all they
        join."""
        if isinstance(object_list, QuerySet):
            ids = list(object_list.values_list("pk", flat=True))
            object_list = cast("QuerySet[Any]", self.object_list).filter(pk__in=ids)
        return super()._get_page(object_list, number, paginator)  # type: ignore[misc]


class KeepsakeSite(admin.AdminSite):
    site_header = "Keepsake"
    site_title = "Keepsake"
    index_title = "Administration"
    enable_nav_sidebar = True
    site_url = None
    front: Callable[[], Any] | None = None  # what the index tells of the tenant's health

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        told = {"health": self.front()} if self.front is not None else {}
        return super().index(request, {**told, **(extra_context or {})})

    def has_permission(self, request: HttpRequest) -> bool:
        caller = caller_of(request)
        return bool(request.user.is_active and caller is not None and caller.is_member)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseRedirect:
        """There is one sign-in page, and it is not the admin's."""
        return HttpResponseRedirect(resolve_url("sign-in"))


site = KeepsakeSite()


class RecordAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """What all classes share: constant queries, bounded counts, the audit in place of the log."""

    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    list_max_show_all = 200
    deferred: Sequence[str] = ()  # columns that no page needs: vectors

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows.defer(*self.deferred) if self.deferred else rows

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """No bulk delete: what may be removed is removed one at a time, and audited."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def response_action(  # type: ignore[override]
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponse | None:
        """A selection of what can be no row is malformed; the stock admin fails over it."""
        try:
            for picked in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.to_python(picked)
        except ValidationError:
            raise BadRequest("what was selected is no row") from None
        return super().response_action(request, queryset)

    # --- the audit -------------------------------------------------------------------------

    def log_addition(  # type: ignore[override]
        self, request: HttpRequest, obj: Any, message: Any
    ) -> None:
        self._audit(request, obj, "added")

    def log_change(  # type: ignore[override]
        self, request: HttpRequest, obj: Any, message: Any
    ) -> None:
        self._audit(request, obj, "changed", fields=_changed_fields(message))

    def log_deletions(  # type: ignore[override]
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> None:
        for obj in queryset:
            self._audit(request, obj, "deleted")

    def _audit(self, request: HttpRequest, obj: Any, verb: str, **detail: Any) -> None:
        caller = caller_of(request)
        by = caller.actor if caller is not None else SYSTEM
        name = self.opts.model_name or ""
        pk = obj.pk if isinstance(obj.pk, int) else None
        record(f"{name}.{verb}", by=by, subject=name, subject_id=pk, channel="admin", **detail)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The audit entries about this row, newest first, at most 200."""
        obj = self.get_object(request, object_id)
        if obj is None:
            raise Http404("no such row")
        entries = AuditEntry.objects.filter(subject=self.opts.model_name, subject_id=obj.pk)
        context = self.admin_site.each_context(request) | {
            "title": f"History of {obj}",
            "entries": entries.select_related("user").order_by("-at", "-pk")[:200],
            "object": obj,
            "opts": self.opts,
            "module_name": str(self.opts.verbose_name_plural),
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "admin/keepsake_history.html", context)


class TenantAdmin(RecordAdmin):
    """Read-only unless `editors` says who may change rows: "edit" or "administer"."""

    editors: str = ""
    may_add = False
    may_delete = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Row-level security holds the tenant; the code scopes as well."""
        rows = super().get_queryset(request)
        caller = caller_of(request)
        if caller is None:
            return rows.none()
        tenant = "tenant" if _has_field(self.model, "tenant") else "pk"
        return rows.filter(**{tenant: caller.tenant_id})

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        caller = caller_of(request)
        return caller is not None and caller.is_member

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        caller = caller_of(request)
        if caller is None or not self.editors:
            return False
        return caller.can_edit if self.editors == "edit" else caller.can_administer

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_add and self.has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_delete and self.has_change_permission(request, obj)


class AdminsOnly(TenantAdmin):
    """Seen by admins and owners: members, keys, audit."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        caller = caller_of(request)
        return caller is not None and caller.can_administer


class OperatorAdmin(RecordAdmin):
    """The installation's: superusers only. With `editable` off it is read-only for them, too."""

    editable = True

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.editable and self.has_view_permission(request)

    has_add_permission = has_change_permission
    has_delete_permission = has_change_permission


def text_of(name: str, limit: int = 140) -> Any:
    """A list column of somebody's text: cut, escaped, and its direction kept to itself."""

    @admin.display(description=name.replace("_", " "))
    def column(obj: Any) -> str:
        text = str(getattr(obj, name) or "")
        return format_html("<bdi>{}</bdi>", text if len(text) <= limit else text[:limit] + "…")

    column.__name__ = name
    return column


def _has_field(model: type[models.Model], name: str) -> bool:
    return any(field.name == name for field in model._meta.get_fields())


def _changed_fields(message: Any) -> list[str]:
    if not isinstance(message, list):
        return []
    parts = [
        part.get("changed", {}).get("fields", []) for part in message if isinstance(part, dict)
    ]
    return [str(name) for names in parts for name in names]
