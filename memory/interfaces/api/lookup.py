"""Names in an address or a body become rows of the caller's tenant, or a 404 that says nothing."""

import unicodedata
from typing import Any
from uuid import UUID

from django.core.validators import slug_re
from django.http import Http404

from agents.models import Agent
from tenants.answers import Refused
from tenants.caller import Caller

ID_LENGTH = 200


def agent_named(name: str, caller: Caller) -> Agent:
    """An agent by UUID or slug, inside `within`; a narrowed key finds its own only."""
    rows = Agent.objects.select_related("tenant")
    if caller.agent_id is not None:
        rows = rows.filter(pk=caller.agent_id)
    uid = as_uuid(name)
    found = rows.filter(uid=uid).first() if uid is not None else None
    if found is None and slug_re.match(name):
        found = rows.filter(slug=name).first()
    if found is None:
        raise Http404("no such agent")
    return found


def as_uuid(text: Any) -> UUID | None:
    """A UUID in one of its written forms, else None."""
    try:
        return UUID(text) if isinstance(text, str) else None
    except ValueError:
        return None


def host_id(value: Any, *, field: str) -> str:
    """The one rule for ids of other systems: NFC, white space at the ends goes, nothing else.

    So `zoe` + U+0308 and `zoë` are one person, `Zoë` and `zoë` are two. Refused when empty, too
    long, or with a control character in it.
    """
    if not isinstance(value, str):
        raise Refused("expected a string", field=field)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Refused("is not valid Unicode", field=field) from None
    text = unicodedata.normalize("NFC", value).strip()
    if not text:
        raise Refused("expected a name that is not empty", field=field)
    if len(text) > ID_LENGTH:
        raise Refused(f"{len(text)} characters, at most {ID_LENGTH} are taken", field=field)
    if any(unicodedata.category(char) == "Cc" for char in text):
        raise Refused("has a control character in it", field=field)
    return text
