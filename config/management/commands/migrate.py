"""`migrate`, as the owner of the schema: the application's own role may change no table."""

from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as Migrate


class Command(Migrate):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")
