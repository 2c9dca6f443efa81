"""What the routes under `orgs/{org}/` share: the tenant of the address, the agent, the person.

`org` has to be the credential's own tenant; any other one answers like one that is not there.
"""

from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import Http404
from rest_framework.request import Request

from agents.models import Agent
from memory.interfaces.api.lookup import agent_named, host_id
from memory.people.persons import Who
from tenants.answers import Refused
from tenants.caller import Caller
from tenants.context import within
from tenants.directory import tenant_of_slug, tenants_of_user
from tenants.models import Membership
from tenants.rest import KeyAuthentication, SessionAuthentication, TenantView


class OrgSession(SessionAuthentication):
    """The signed-in member in the tenant of the address, of however many they belong to."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        user = getattr(request._request, "user", None)
        if user is None or not user.is_authenticated:
            return None
        self._enforce_csrf(request)
        caller = getattr(request._request, "caller", None)
        if caller is None:
            context: dict[str, Any] = request.parser_context or {}
            caller = _member_of(context["kwargs"]["org"], user.pk)
        return user, caller


def _member_of(org: str, user_id: int) -> Caller:
    for tenant_id, slug in tenants_of_user(user_id):
        if slug == org:
            with within(tenant_id):
                return Caller.of(Membership.objects.get(user_id=user_id))
    raise Http404("no such organisation")


class OrgView(TenantView):
    """Base of the routes. `agent()` and `who()` read the address."""

    authentication_classes = [KeyAuthentication, OrgSession]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if tenant_of_slug(kwargs["org"]) != self.caller.tenant_id:
            raise Http404("no such organisation")

    def agent(self) -> Agent:
        """Inside `within`."""
        return agent_named(self.kwargs["agent"], self.caller)

    def who(self, body: dict[str, Any] | None = None) -> Who:
        """The person of the address; `username` and `email` of a body come with a write."""
        body = body or {}
        return Who(
            host_id=host_id(self.kwargs["user_id"], field="user_id"),
            username=_name(body.get("username")),
            email=_email(body.get("email")),
        )


def text_in(body: dict[str, Any], field: str) -> str | None:
    """A string of the body, or None where it is missing or null."""
    given = body.get(field)
    if given is None or isinstance(given, str):
        return given
    raise Refused("expected a string", field=field)


def required_text(body: dict[str, Any], field: str) -> str:
    given = text_in(body, field)
    if given is None:
        raise Refused("expected a string", field=field)
    return given


def switch_in(body: dict[str, Any], field: str) -> bool | None:
    given = body.get(field)
    if given is None or isinstance(given, bool):
        return given
    raise Refused("expected true or false", field=field)


def instant(moment: datetime) -> str:
    """In UTC, as this contract writes it: `2026-03-31T12:00:00Z`."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _name(given: Any) -> str:
    return "" if given is None else host_id(given, field="username")


def _email(given: Any) -> str:
    if given is None:
        return ""
    email = host_id(given, field="email")
    try:
        validate_email(email)
    except ValidationError:
        raise Refused("expected an email address", field="email") from None
    return email
