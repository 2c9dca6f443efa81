"""Agents and persons of a page: found by what people see of them, never by a cookie."""

import unicodedata

from django.db.models import Q
from django.http import Http404

from agents.models import Agent, Visitor
from memory.interfaces.api.lookup import host_id
from memory.people import rights
from memory.people.persons import Who
from tenants.audit import record_each
from tenants.caller import Caller

LONGEST = 200


def agent_named(slug: str) -> Agent:
    """Inside `within`."""
    found = Agent.objects.filter(slug=slug).first()
    if found is None:
        raise Http404("no such agent")
    return found


def words_of(text: str) -> str:
    """What somebody typed into a search, in the form that ids are kept in."""
    return unicodedata.normalize("NFC", text).replace("\0", "").strip()[:LONGEST]


def persons_like(text: str) -> Q:
    """By `#number` exactly; else by a part of the host's id, the name, an address, in any case."""
    number = number_in(text)
    if number is not None:
        return Q(pk=number)
    parts = ("host_id", "name", "email", "user__username", "user__email")
    wanted = Q()
    for part in parts:
        wanted |= Q(**{f"{part}__icontains": text})
    return wanted


def number_in(text: str) -> int | None:
    """`#12` as 12: how a person without an id of the host is called."""
    digits = text[1:]
    is_number = text.startswith("#") and digits.isascii() and digits.isdigit() and len(digits) < 18
    return int(digits) if is_number else None


def who_is(text: str) -> Who:
    """Whom a form is about: `#number`, or the host's id, which a first write makes known."""
    number = number_in(text.strip())
    if number is not None:
        return Who(visitor_id=number)
    return Who(host_id=host_id(text, field="person"))


def note_read(caller: Caller, visitors: list[Visitor], *, agent_id: int | None = None) -> None:
    """Write down that a member read these persons' memories: an entry each (E2), not of one's own.
    One statement."""
    seen = {v.pk for v in visitors if not rights.is_own(caller, v)}
    record_each(
        "person.memories_read",
        by=caller.actor,
        subject="visitor",
        subject_ids=sorted(seen),
        agent=agent_id,
    )
