"""The visitor's cookie `va_ext`: who a stranger is to an agent, for 30 days from the last message.

Inside a frame of another site browsers send a cookie back only with `SameSite=None; Secure;
Partitioned`. Python's cookie class learned the last word in 3.14; before, it is taught here.
"""

import uuid
from datetime import timedelta
from http.cookies import Morsel
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

NAME = "va_ext"
AGE = timedelta(days=30)


def teach_partitioned() -> None:
    """Let `Morsel` know the attribute `Partitioned`. Doing it twice changes nothing."""
    known: Any = Morsel
    known._reserved.setdefault("partitioned", "Partitioned")
    known._flags.add("partitioned")


teach_partitioned()


def visitor_of(request: HttpRequest) -> uuid.UUID | None:
    """The UUID of the cookie; None when there is none or it is no UUID."""
    try:
        return uuid.UUID(request.COOKIES.get(NAME, ""))
    except ValueError:
        return None


def give(response: HttpResponseBase, visitor: uuid.UUID, *, embedded: bool) -> None:
    """Set the cookie; `embedded` says that the page is framed by another site."""
    response.set_cookie(
        NAME,
        str(visitor),
        max_age=AGE,
        httponly=True,
        samesite="None" if embedded else "Lax",
        secure=embedded or settings.SESSION_COOKIE_SECURE,
    )
    if embedded:
        response.cookies[NAME]["partitioned"] = True
