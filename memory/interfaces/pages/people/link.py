"""`/memory/person/`: a person's own page, opened by the link that carries their token (G20).

The token stands in the fragment, which no server sees: the page's script posts it, and gets a
cookie that scripts do not. Who asks comes from that cookie alone, so whoever else is signed in
in this browser changes nothing. Under a tenant's prefix the page does not exist: the token says
which tenant it is.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

from django.conf import settings as conf
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import get_script_prefix, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.interfaces.pages.people import own
from memory.interfaces.pages.people.own import Own
from tenants.answers import Refused
from tenants.auth import NotAuthenticated, authenticate
from tenants.caller import Caller
from tenants.rest import refuse_secrets_in_address
from tenants.views import opens_its_own

COOKIE = "ks_person"
AGE = timedelta(hours=12)
UNDER_PREFIX = re.compile(r"/t/[-a-zA-Z0-9_]+/\Z")
FRAME = "memory/people/person_frame.html"


def _door(view: Callable[..., Any]) -> Callable[..., Any]:
    """Open to all, under no prefix, and never with a key in the address."""

    @wraps(view)
    def shown(request: HttpRequest, **numbers: int) -> HttpResponseBase:
        if UNDER_PREFIX.search(get_script_prefix()):
            raise Http404("not here")
        try:
            refuse_secrets_in_address(request)
        except Refused:
            return _entry(request, "address", status=400)
        answer: HttpResponseBase = view(request, **numbers)
        return answer

    return opens_its_own(login_not_required(never_cache(shown)))


def _theirs(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view with the `Own` of the cookie; the entry where it opens nothing (any more)."""

    @wraps(view)
    def shown(request: HttpRequest, **numbers: int) -> HttpResponseBase:
        key = request.COOKIES.get(COOKIE, "")
        caller = person_of(key) if key else None
        if caller is None or caller.visitor_id is None:
            status = 200 if request.method in ("GET", "HEAD") else 403
            response = _entry(request, "over" if key else "", status=status)
            response.delete_cookie(COOKIE, path=reverse("memory:link"))
            return response
        answer: HttpResponseBase = view(
            request, Own(caller, caller.visitor_id, "link", FRAME), **numbers
        )
        return answer

    return _door(shown)


def person_of(key: str) -> Caller | None:
    """The person whose token it is; no other kind of key opens this page."""
    try:
        caller = authenticate({"Authorization": f"Bearer {key}"})
    except NotAuthenticated:
        return None
    return caller if caller.sort == "person" else None


@_door
@require_POST
def enter(request: HttpRequest) -> HttpResponse:
    key = request.POST.get("token", "").strip()
    if person_of(key) is None:
        response = _entry(request, "wrong", status=403)
        response.delete_cookie(COOKIE, path=reverse("memory:link"))
        return response
    answer = HttpResponseRedirect(reverse("memory:link"))
    answer.set_cookie(
        COOKIE,
        key,
        max_age=AGE,
        path=reverse("memory:link"),
        httponly=True,
        samesite="Strict",
        secure=conf.SESSION_COOKIE_SECURE,
    )
    return answer


@_door
@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    answer = HttpResponseRedirect(reverse("memory:link"))
    answer.delete_cookie(COOKIE, path=reverse("memory:link"))
    return answer


def _entry(request: HttpRequest, why: str, *, status: int) -> HttpResponse:
    context = {"why": why, "frame": FRAME}
    return render(request, "memory/people/entry.html", context, status=status)


page = _theirs(require_safe(own.page))
state = _theirs(require_safe(own.state))
add = _theirs(require_POST(own.add))
forgotten = _theirs(require_POST(own.forgotten))
settings = _theirs(require_POST(own.settings))
download = _theirs(require_safe(own.download))
erase = _theirs(require_http_methods(["GET", "HEAD", "POST"])(own.erase))
