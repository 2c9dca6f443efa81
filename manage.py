#!/usr/bin/env python
"""Run a management command; starts the embedded Postgres first when the command needs one."""

import os
import sys

WITHOUT_DATABASE = {
    "check",
    "collectstatic",
    "diffsettings",
    "findstatic",
    "help",
    "makemessages",
    "serve",
    "stop",
    "version",
    "--version",
    "--help",
}


def main(argv: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        from config import settings
    except ImproperlyConfigured as problem:
        print(f"Keepsake cannot start: {problem}", file=sys.stderr)
        return 2
    command = argv[1] if len(argv) > 1 else "help"
    if settings.EMBEDDED is not None and command not in WITHOUT_DATABASE:
        from config.embedded import PostgresError

        try:
            note = settings.EMBEDDED.ensure()
        except PostgresError as problem:
            print(f"Keepsake cannot start: {problem}", file=sys.stderr)
            return 2
        if note:  # above all that this database is not the one that somebody meant
            print(f"Keepsake: {note}", file=sys.stderr)
    execute_from_command_line(argv)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
