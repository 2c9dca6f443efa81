"""`/t/<tenant>/…`: who may enter, under which prefix, inside which block (D3, D6, G1, G3).

The prefix moves into SCRIPT_NAME, so every link and redirect that Django makes keeps it, the
stock admin's included. Unknown tenants answer like foreign ones.
"""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.urls import Resolver404, get_script_prefix, resolve, set_script_prefix

from tenants import views
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within
from tenants.directory import tenant_of_slug, tenants_of_user
from tenants.models import Membership, Role

PREFIX = re.compile(r"/t/([-a-zA-Z0-9_]{1,60})(/.*)?\Z", re.DOTALL)
LAST = "tenant"  # session: the slug of the tenant worked in last
ENTERED = "entered"  # session: the tenant that a superuser has entered without membership
SAFE = ("GET", "HEAD")

# Interfaces that say themselves who calls: under a key, a secret, a cookie of their own.
_PROGRAMS = ("/api/", "/v1/", "/mcp", "/widget/")

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class TenantMiddleware:
    """Sets `request.tenant_id`, `request.tenant_slug`, `request.caller`, `request.membership`.

    Without a tenant all four are None. A synchronous view runs inside `within`, rolled back when
    it answers 400 or more; a view marked `@opens_its_own` runs outside.
    """

    sync_capable = True
    async_capable = False

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.tenant_id = request.tenant_slug = None  # type: ignore[attr-defined]
        request.caller = request.membership = None  # type: ignore[attr-defined]
        found = PREFIX.match(request.path_info)
        if found is None:
            return self._without_prefix(request)
        slug, rest = found[1], found[2]
        if rest is None:
            return _slashed(request)
        before = get_script_prefix()
        _move_prefix(request, f"{before.rstrip('/')}/t/{slug}", rest)
        try:
            return self._under_prefix(request, slug)
        finally:
            set_script_prefix(before)

    def _under_prefix(self, request: HttpRequest, slug: str) -> HttpResponseBase:
        view = _view_of(request)
        is_program = request.path_info.startswith(_PROGRAMS)
        if view is None or (views.is_open_to_all(view) and not is_program):
            return self.get_response(request)
        if not request.user.is_authenticated:
            if is_program:
                request.tenant_slug = slug  # type: ignore[attr-defined]
                return self.get_response(request)
            return _to_sign_in(request)
        _enter(request, slug, guests=views.lets_guests_in(view))
        if is_program or views.does_open_its_own(view, request.method or ""):
            return self.get_response(request)
        with within(request.tenant_id):  # type: ignore[attr-defined]
            response = self.get_response(request)
            if response.status_code >= 400:
                transaction.set_rollback(True)
        return response

    def _without_prefix(self, request: HttpRequest) -> HttpResponseBase:
        """A page of a tenant asked for without one goes to the member's own."""
        if request.path_info.startswith(_PROGRAMS):
            return self.get_response(request)
        view = _view_of(request)
        if view is None or views.is_open_to_all(view) or views.needs_no_tenant(view):
            return self.get_response(request)
        if request.method not in SAFE:
            raise Http404("this page lives under /t/<tenant>/")
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        slug = _own_tenant(request)
        if slug is None:
            raise Http404("no tenant to go to: open /t/<tenant>/ by its name")
        root = get_script_prefix().rstrip("/")
        return HttpResponseRedirect(f"{root}/t/{slug}{request.get_full_path()[len(root) :]}")


def _move_prefix(request: HttpRequest, script_name: str, rest: str) -> None:
    request.path_info = rest
    request.META["SCRIPT_NAME"] = script_name
    request.META["PATH_INFO"] = rest
    set_script_prefix(script_name + "/")


def _view_of(request: HttpRequest) -> Callable[..., Any] | None:
    try:
        return resolve(request.path_info, getattr(request, "urlconf", None)).func
    except Resolver404:
        return None


def _enter(request: HttpRequest, slug: str, *, guests: bool) -> None:
    """The signed-in user as a caller of this tenant; 404 for whoever does not belong to it.

    With `guests` somebody who is no member comes through without a role, and is not remembered.
    """
    user = request.user
    assert user.pk is not None
    tenant_id = next((id_ for id_, name in tenants_of_user(user.pk) if name == slug), None)
    membership = None
    if tenant_id is None and (user.is_superuser or guests):
        tenant_id = tenant_of_slug(slug)
    if tenant_id is None:
        raise Http404("no such tenant")
    with within(tenant_id):
        membership = Membership.objects.filter(user_id=user.pk).first()
        if membership is not None:
            caller = Caller.of(membership)
        elif user.is_superuser:
            caller = Caller.user(tenant_id=tenant_id, user_id=user.pk, role=Role.ADMIN)
            if request.session.get(ENTERED) != tenant_id:
                record(
                    "tenant.entered_by_operator",
                    by=caller.actor,
                    subject="tenant",
                    subject_id=tenant_id,
                )
        elif guests:
            caller = Caller(tenant_id, "user", user_id=user.pk)
        else:
            raise Http404("no such tenant")
    request.tenant_id, request.tenant_slug = tenant_id, slug  # type: ignore[attr-defined]
    request.caller, request.membership = caller, membership  # type: ignore[attr-defined]
    if not caller.is_member:
        return
    entered = tenant_id if membership is None else None
    if request.session.get(ENTERED) != entered:
        request.session[ENTERED] = entered
    if request.session.get(LAST) != slug:
        request.session[LAST] = slug


def _own_tenant(request: HttpRequest) -> str | None:
    """The tenant of the last request, else the oldest membership."""
    own = [slug for _, slug in tenants_of_user(request.user.pk)]  # type: ignore[arg-type]
    last = request.session.get(LAST)
    if last in own or (last and request.user.is_superuser):
        return str(last)
    return own[0] if own else None


def _to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """The sign-in page under the prefix the request came with. Nothing is said about the tenant."""
    if request.method not in SAFE:
        raise Http404("sign in first")
    return redirect_to_login(request.get_full_path(), resolve_url(settings.LOGIN_URL))


def _slashed(request: HttpRequest) -> HttpResponseBase:
    if request.method not in SAFE:
        raise Http404("no such page")
    return HttpResponseRedirect(request.get_full_path(force_append_slash=True))
