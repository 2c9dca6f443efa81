"""Errors of every JSON interface: `{"error": …, "field"?: …}`, and never a page.

What went wrong inside is logged as types, places and an id; an exception's own message may
quote a person's words (Postgres names the row it refused), so it is not.
"""

import logging
import sys
import traceback
import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404
from django.views import defaults
from rest_framework import exceptions

from tenants.auth import NotAuthenticated
from tenants.races import DEADLOCK, StillRaced, state_of

log = logging.getLogger(__name__)

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
RETRY_SECONDS = 5
PROGRAMS = ("/api/", "/v1/")  # addresses that answer in JSON, whatever happens


class Refused(Exception):
    """The request cannot be served as it is. `field` names what to change; nothing was written."""

    status = 400

    def __init__(self, error: str, *, field: str | None = None, status: int = 400) -> None:
        super().__init__(error)
        self.error, self.field, self.status = error, field, status


def error(status: int, message: str, *, field: str | None = None, **more: Any) -> JsonResponse:
    body: dict[str, Any] = {"error": message}
    if field is not None:
        body["field"] = field
    return JsonResponse(body | more, status=status)


def of(problem: BaseException) -> JsonResponse:
    """The answer for an exception, whatever it is."""
    match problem:
        case Refused():
            return error(problem.status, problem.error, field=problem.field)
        case NotAuthenticated():
            answer = error(401, str(problem))
            answer["WWW-Authenticate"] = "Bearer"
            return answer
        case Resolver404() | Http404():
            return error(404, "not found")
        case PermissionDenied():
            return error(403, str(problem) or "not allowed")
        case RequestDataTooBig():
            return error(413, "the request is too large")
        case BadRequest() | SuspiciousOperation():
            return error(400, "the request is malformed")
        case exceptions.APIException():
            return _of_rest(problem)
        case StillRaced():
            return _later(error(409, "others write the same just now, try again"))
        case OperationalError() if state_of(problem) == DEADLOCK:
            log.error("a deadlock: %s", places(problem))
            return _later(error(503, "others write the same just now, try again"))
        case OperationalError() | InterfaceError() if not _database_answers():
            log.error("the database is away: %s", places(problem))
            return _later(error(503, "the database is away, try again"))
    number = uuid.uuid4().hex[:12]
    log.error("unexpected failure %s: %s", number, places(problem))
    return error(500, "something went wrong on our side", id=number)


def places(problem: BaseException) -> str:
    """Which exceptions, raised where: enough to find a fault, and no text of anybody's."""
    parts: list[str] = []
    seen: BaseException | None = problem
    while seen is not None and len(parts) < 4:
        frames = traceback.extract_tb(seen.__traceback__)[-6:]
        steps = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
        parts.append(f"{type(seen).__name__} at {steps or 'nowhere'}")
        seen = seen.__cause__ or seen.__context__
    return "; from ".join(parts)


def rest_error(problem: Exception, context: dict[str, Any]) -> HttpResponse:
    """REST framework's EXCEPTION_HANDLER."""
    return of(problem)


def in_json(view: View) -> View:
    """A plain view of an interface: what it raises is answered as JSON."""

    @wraps(view)
    def answering(*args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(*args, **kwargs)
        except Exception as problem:
            return of(problem)

    return answering  # type: ignore[return-value]


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """handler404: JSON where programs call, Django's page elsewhere."""
    if is_for_programs(request):
        return error(404, "not found")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """handler500, likewise."""
    if is_for_programs(request):
        problem = sys.exc_info()[1]
        return of(problem) if problem is not None else error(500, "something went wrong")
    return defaults.server_error(request)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if is_for_programs(request):
        return of(exception) if isinstance(exception, BadRequest) else error(400, "malformed")
    return defaults.bad_request(request, exception)


def is_for_programs(request: HttpRequest) -> bool:
    return request.path_info.startswith(PROGRAMS)


def only_post(request: HttpRequest) -> None:
    if request.method != "POST":
        raise exceptions.MethodNotAllowed(request.method or "")


def _of_rest(problem: exceptions.APIException) -> JsonResponse:
    message = str(problem.detail) if isinstance(problem.detail, str) else "the request is malformed"
    if isinstance(problem, exceptions.ParseError):
        message = "the body is not valid JSON"  # the parser's words may quote it
    answer = error(problem.status_code, message)
    if isinstance(problem, exceptions.MethodNotAllowed):
        answer = error(405, "this address takes other methods only")
    if getattr(problem, "auth_header", None):
        answer["WWW-Authenticate"] = problem.auth_header  # type: ignore[attr-defined]
    wait = getattr(problem, "wait", None)
    if wait is not None:
        answer["Retry-After"] = str(int(wait) + 1)
    return answer


def _later(answer: JsonResponse) -> JsonResponse:
    answer["Retry-After"] = str(RETRY_SECONDS)
    return answer


def _database_answers() -> bool:
    connection.close_if_unusable_or_obsolete()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (OperationalError, InterfaceError):
        return False
    return True
