"""What every JSON view of a tenant stands on: who calls, which tenant, what the body may be (D6).

A header decides if there is one; a signed-in session counts only where there is none, and then
writes need the CSRF token. Views open their own blocks.
"""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpResponse
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from tenants.answers import Refused
from tenants.auth import NotAuthenticated, authenticate
from tenants.caller import Caller
from tenants.context import within
from tenants.directory import tenant_of_slug, tenants_of_user
from tenants.models import Membership
from tenants.views import opens_its_own

BODY_LIMIT = 8 * 1024 * 1024  # bytes of one request
SECRETS_IN_ADDRESS = frozenset({"token", "api_token", "access_token", "key", "api_key"})


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`; with one, the session is not looked at."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        if "Authorization" not in request.headers:
            return None
        caller = authenticate(request.headers)
        asked = getattr(request._request, "tenant_slug", None)
        if asked is not None and tenant_of_slug(asked) != caller.tenant_id:
            raise Http404("no such tenant")
        return AnonymousUser(), caller

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class SessionAuthentication(BaseAuthentication):
    """The signed-in member, in the tenant of the prefix or in their only one."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        user = getattr(request._request, "user", None)
        if user is None or not user.is_authenticated:
            return None
        self._enforce_csrf(request)
        caller = getattr(request._request, "caller", None) or self._only_membership(user.pk)
        return user, caller

    def _enforce_csrf(self, request: Request) -> None:
        check = CSRFCheck(lambda _: HttpResponse())
        check.process_request(request._request)
        reason = check.process_view(request._request, HttpResponse, (), {})
        if reason:
            raise exceptions.PermissionDenied("the CSRF token is missing or wrong")

    def _only_membership(self, user_id: int) -> Caller:
        own = tenants_of_user(user_id)
        if not own:
            raise exceptions.PermissionDenied("you belong to no tenant")
        if len(own) > 1:
            raise Refused("you belong to several tenants: call /t/<tenant>/api/… instead")
        with within(own[0][0]):
            return Caller.of(Membership.objects.get(user_id=user_id))


class IsCaller(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        return isinstance(request.auth, Caller)


@opens_its_own
class TenantView(APIView):
    """Base of the JSON views. `self.caller` says who; `self.body()` is a JSON object."""

    is_for_sharing = False  # /v1 alone answers a key that is narrowed to shared memory

    authentication_classes = [KeyAuthentication, SessionAuthentication]
    permission_classes = [IsCaller]

    @property
    def caller(self) -> Caller:
        assert isinstance(self.request.auth, Caller)
        return self.request.auth

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        refuse_secrets_in_address(request)
        refuse_large_body(request)
        super().initial(request, *args, **kwargs)
        if self.caller.is_for_sharing and not self.is_for_sharing:
            raise exceptions.PermissionDenied("this key is for shared memory alone")

    def permission_denied(self, request: Request, message: Any = None, code: Any = None) -> Any:
        if not request.successful_authenticator:
            raise NotAuthenticated("expected a header: Authorization: Bearer <key>")
        raise exceptions.PermissionDenied(message or "not allowed")

    def body(self) -> dict[str, Any]:
        try:
            data = self.request.data
        except RecursionError:
            raise Refused("the body is nested too deeply") from None
        if data is None or data == {}:
            return {}
        if not isinstance(data, dict):
            raise Refused("expected a JSON object")
        return data


def refuse_secrets_in_address(request: Any) -> None:
    """An address ends up in logs, histories and Referer headers: no key is taken from there."""
    if not SECRETS_IN_ADDRESS.isdisjoint(request.GET):
        raise Refused("no key is taken from the address: send it in the Authorization header")


def refuse_large_body(request: Any) -> None:
    """A body that comes in chunks says no length: it is read here, as far as it may go."""
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        _read_chunks(getattr(request, "_request", request))
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > BODY_LIMIT:
        raise Refused(f"the body has {length} bytes, at most {BODY_LIMIT} are taken", status=413)


def _read_chunks(request: Any) -> None:
    """REST framework takes a request without a length for one without a body."""
    if not hasattr(request, "_body"):
        read = request.read(BODY_LIMIT + 1)
        if len(read) > BODY_LIMIT:
            raise Refused(f"the body has more than {BODY_LIMIT} bytes", status=413)
        request._body = read
    request.META["CONTENT_LENGTH"] = str(len(request._body))
