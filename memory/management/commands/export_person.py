"""Write down everything about a person, as JSON or as a zip of CSV files."""

import shutil
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.lifecycle.erase import NoSuchPerson
from memory.lifecycle.export import FORMATS, export_person
from memory.management.person import add_person, person_named
from tenants.actor import COMMAND
from tenants.management.named import database_needed


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_person(parser)
        parser.add_argument("--format", choices=FORMATS, default="json")
        parser.add_argument("--output", metavar="FILE", help="a new file; else to the output")

    def handle(self, *args: Any, **options: Any) -> None:
        with database_needed():
            tenant_id, visitor_id = person_named(options["tenant"], options["person"])
            try:
                file = export_person(
                    tenant_id=tenant_id, visitor_id=visitor_id, by=COMMAND, format=options["format"]
                )
            except (NoSuchPerson, ValueError) as error:
                raise CommandError(
                    f"no person {options['person']!r} in {options['tenant']!r}"
                ) from error
        with file:
            if not options["output"]:
                shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.flush()
                return
            place = Path(options["output"])
            try:
                place.touch(mode=0o600, exist_ok=False)  # for the one who asked, nobody else
                with place.open("wb") as out:
                    shutil.copyfileobj(file, out)
            except OSError as error:
                raise CommandError(f"cannot write {place}: {error.strerror}") from error
        self.stderr.write(f"written to {place}")
