"""Lists in pages: numbered, as the contract has them, and walked without a gap or a repeat.

A page is asked for by its number. The `next` of an answer also carries `after`, the place where
the page ended, so that rows that come or go meanwhile neither repeat nor hide another.
"""

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import Model, Q, QuerySet
from django.http import Http404
from rest_framework.request import Request
from rest_framework.utils.urls import remove_query_param, replace_query_param

from tenants.answers import Refused

PAGE = 20
LONGEST_PAGE = 100


def paged(
    request: Request,
    rows: QuerySet[Any],
    as_json: Callable[[Any], dict[str, Any]],
    *,
    oldest_first: bool = False,
) -> dict[str, Any]:
    """`{"count", "next", "previous", "results"}`, inside `within`: two statements.

    The newest first by `(created_at, id)`. 404 for a page that is not there, but the first.
    """
    asked = request.query_params
    number = _whole(asked.get("page", "1"), field="page", most=10**9)
    size = _whole(asked.get("page_size", str(PAGE)), field="page_size", most=LONGEST_PAGE)
    place = place_of(asked["after"], field="after") if "after" in asked else None
    count = rows.count()
    start = 0
    found = rows.order_by(*(["created_at", "id"] if oldest_first else ["-created_at", "-id"]))
    if place is not None:
        found = found.filter(_beyond(*place, oldest_first=oldest_first))
    else:
        start = (number - 1) * size
        if start and start >= count:
            raise Http404("no such page")
    # The place is found in an index; what a row is shown with is joined to the page alone.
    page = list(found.filter(pk__in=found.values("pk")[start : start + size + 1]))
    shown = page[:size]
    return {
        "count": count,
        "next": _next(request, number, shown[-1]) if len(page) > size else None,
        "previous": _previous(request, number) if number > 1 else None,
        "results": [as_json(each) for each in shown],
    }


def cursor_at(at: datetime, number: int) -> str:
    """A place between two rows, opaque to whoever passes it on."""
    text = f"{at.isoformat()}|{number}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_of(cursor: str, *, field: str) -> tuple[datetime, int]:
    """What `cursor_at` wrote, or Refused naming `field`."""
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        at, _, number = text.partition("|")
        moment, last = datetime.fromisoformat(at), int(number)
    except (binascii.Error, ValueError):
        raise Refused("expected the `next` of an earlier page", field=field) from None
    if moment.tzinfo is None or not 0 <= last < 2**63:
        raise Refused("expected the `next` of an earlier page", field=field)
    return moment, last


def _beyond(at: datetime, number: int, *, oldest_first: bool) -> Q:
    if oldest_first:
        return Q(created_at__gt=at) | Q(created_at=at, id__gt=number)
    return Q(created_at__lt=at) | Q(created_at=at, id__lt=number)


def _next(request: Request, number: int, last: Model) -> str:
    url = replace_query_param(request.build_absolute_uri(), "page", number + 1)
    after = cursor_at(last.created_at, last.pk)  # type: ignore[attr-defined]
    return replace_query_param(url, "after", after)


def _previous(request: Request, number: int) -> str:
    url = remove_query_param(request.build_absolute_uri(), "after")
    return replace_query_param(url, "page", number - 1)


def _whole(text: str, *, field: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and 1 <= int(text) <= most):
        raise Refused(f"expected a whole number from 1 to {most}", field=field)
    return int(text)
