"""What a command's words name: a tenant by its slug, a user by their name, or a clear error."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_slug
from django.db import Error as DatabaseTrouble
from django.db import InterfaceError, OperationalError, ProgrammingError

from tenants.directory import tenant_of_slug

SLUG_LENGTH = 60


def tenant_named(slug: str) -> int:
    """The tenant's id; CommandError when there is none."""
    number = None if "\0" in slug else tenant_of_slug(slug)
    if number is None:
        raise CommandError(
            f"no tenant {slug!r}: expected the slug of one (`createtenant` makes one)"
        )
    return number


def user_named(name: str) -> User:
    """The user; CommandError when there is none."""
    found = User.objects.filter(username=name).first()
    if found is None:
        raise CommandError(f"no user {name!r}: expected the name of one")
    return found


def fresh_slug(slug: str, *, what: str) -> str:
    """The slug, if it can be one; CommandError otherwise."""
    try:
        validate_slug(slug)
    except ValidationError:
        raise CommandError(
            f"{what} {slug!r}: expected letters, digits, hyphens and underscores"
        ) from None
    if len(slug) > SLUG_LENGTH:
        raise CommandError(f"{what} {slug!r}: expected at most {SLUG_LENGTH} characters")
    return slug


@contextmanager
def database_needed() -> Iterator[None]:
    """Say in one line that the database is away or not migrated, instead of a traceback."""
    try:
        yield
    except (OperationalError, InterfaceError) as trouble:
        raise CommandError(f"the database does not answer: {_first_line(trouble)}") from trouble
    except ProgrammingError as trouble:
        raise CommandError(
            f"the database is not ready ({_first_line(trouble)}): run `manage.py migrate`"
        ) from trouble


def _first_line(trouble: DatabaseTrouble) -> str:
    return (str(trouble).strip().splitlines() or [type(trouble).__name__])[0]
