"""What a list may be narrowed by, read from the address: exact, literal, refused by name."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.core.validators import slug_re
from django.db.models import QuerySet

from memory.interfaces.api.lookup import host_id
from memory.providers.cleaning import clean
from tenants.answers import Refused

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
TEXT_LIMIT = 500


def made_between(rows: QuerySet[Any], asked: Any) -> QuerySet[Any]:
    """`start_date` and `end_date`: whole days of UTC, both of them included."""
    if "start_date" in asked:
        rows = rows.filter(created_at__gte=_midnight(day_in(asked, "start_date")))
    if "end_date" in asked:
        last = day_in(asked, "end_date")
        if last < date.max:
            rows = rows.filter(created_at__lt=_midnight(last + timedelta(days=1)))
    return rows


def containing(rows: QuerySet[Any], asked: Any) -> QuerySet[Any]:
    """`content`: a part of the text in any case; `%` and `_` are themselves."""
    if "content" not in asked:
        return rows
    wanted = clean(asked["content"]).text
    if len(wanted) > TEXT_LIMIT:
        raise Refused(f"{len(wanted)} characters, at most {TEXT_LIMIT} are taken", field="content")
    return rows.filter(content__icontains=wanted)


def of_session(rows: QuerySet[Any], asked: Any) -> QuerySet[Any]:
    """`session_id`: the conversation it was learned from, as `source_session_id` names it."""
    if "session_id" not in asked:
        return rows
    return rows.filter(source__conversation=host_id(asked["session_id"], field="session_id"))


def in_category(rows: QuerySet[Any], asked: Any) -> QuerySet[Any]:
    """`category`: a slug. One that the agent does not have holds nothing."""
    if "category" not in asked:
        return rows
    slug = asked["category"]
    if not slug_re.match(slug):
        raise Refused("expected the slug of a category", field="category")
    return rows.filter(category__slug=slug)


def email_asked(asked: Any) -> str | None:
    return host_id(asked["email"], field="email") if "email" in asked else None


def my_memory_asked(asked: Any) -> bool:
    """`my_memory=true`: the caller's own only."""
    text = asked.get("my_memory", "false").lower()
    if text not in ("true", "false"):
        raise Refused("expected true or false", field="my_memory")
    return bool(text == "true")


def day_in(asked: Any, field: str) -> date:
    """A day as `YYYY-MM-DD`, or Refused naming `field`."""
    text = asked[field]
    try:
        if DAY.match(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise Refused("expected a date such as 2026-03-31", field=field)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
