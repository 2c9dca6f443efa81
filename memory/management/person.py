"""Which person a command's words name, and the tenant with it."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from agents.models import Visitor
from tenants.context import within
from tenants.management.named import tenant_named


def add_person(parser: ArgumentParser) -> None:
    parser.add_argument("person", metavar="PERSON", help="the host's id, or #NUMBER of the row")
    parser.add_argument("--tenant", metavar="SLUG", required=True, help="whose person it is")


def person_named(tenant: str, person: str) -> tuple[int, int | None]:
    """(tenant id, visitor id); None when nobody is known by that name. Outside any block.

    A visitor of a cookie alone has no name; pages call such a one by `#NUMBER`. A host's id that
    looks so is found first.
    """
    tenant_id = tenant_named(tenant)
    if not person.strip() or "\0" in person:
        raise CommandError("name the person: the host's id, or #NUMBER")
    with within(tenant_id):
        found = Visitor.objects.filter(host_id=person).values_list("pk", flat=True).first()
        digits = person[1:]
        if found is None and person[0] == "#" and digits.isascii() and digits.isdigit():
            number = int(digits[:18])
            found = Visitor.objects.filter(pk=number).values_list("pk", flat=True).first()
    return tenant_id, found
