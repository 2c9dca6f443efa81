"""`/t/<tenant>/memory/`: whoever is signed in, as the person they are there (G14).

They need not be a member: a user who is linked to a person sees this page and no other.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.models import Visitor
from memory.interfaces.pages.people import own
from memory.interfaces.pages.people.own import Own
from tenants.context import within
from tenants.request import MemberRequest
from tenants.views import opens_its_own, takes_guests

FRAME = "memory/people/person_frame.html"  # without the members' navigation


def _mine(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view with the signed-in person's `Own`; a page that says so where there is none."""

    @wraps(view)
    def shown(request: MemberRequest, **numbers: int) -> HttpResponseBase:
        caller = request.caller
        with within(request.tenant_id):
            found = Visitor.objects.filter(user_id=caller.user_id or 0)
            visitor_id = found.values_list("pk", flat=True).first()
        if visitor_id is None and not caller.is_member:
            raise Http404("no such tenant")
        if visitor_id is None:
            status = 200 if request.method in ("GET", "HEAD") else 404
            with within(request.tenant_id):
                return render(
                    request, "memory/people/nobody.html", {"section": "mine"}, status=status
                )
        answer: HttpResponseBase = view(
            request,
            Own(caller, visitor_id, "mine", "base.html" if caller.is_member else FRAME),
            **numbers,
        )
        return answer

    return opens_its_own(takes_guests(shown))


page = _mine(require_safe(own.page))
state = _mine(require_safe(own.state))
add = _mine(require_POST(own.add))
forgotten = _mine(require_POST(own.forgotten))
settings = _mine(require_POST(own.settings))
download = _mine(require_safe(own.download))
erase = _mine(require_http_methods(["GET", "HEAD", "POST"])(own.erase))
