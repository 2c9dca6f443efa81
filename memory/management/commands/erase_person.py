"""Erase a person: everything that names or quotes them. Prints the receipt."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.lifecycle.erase import NoSuchPerson, erase_person
from memory.management.person import add_person, person_named
from tenants.actor import COMMAND
from tenants.management.named import database_needed


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_person(parser)
        parser.add_argument("--yes", action="store_true", help="there is no way back: say so")

    def handle(self, *args: Any, **options: Any) -> None:
        with database_needed():
            tenant_id, visitor_id = person_named(options["tenant"], options["person"])
            if visitor_id is None:
                self.stdout.write("nobody is known by that name: nothing to erase")
                return
            if not options["yes"]:
                raise CommandError(
                    "this cannot be undone; add --yes to erase the person "
                    "(`export_person` writes down first what there is)"
                )
            try:
                receipt = erase_person(tenant_id=tenant_id, visitor_id=visitor_id, by=COMMAND)
            except NoSuchPerson:
                self.stdout.write("nobody is known by that name: nothing to erase")
                return
        self.stdout.write(json.dumps(receipt.as_json(), indent=2))
