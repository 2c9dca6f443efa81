"""Make a tenant and its owner; a user made here gets a password, shown once."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError, transaction

from tenants.actor import COMMAND
from tenants.audit import record
from tenants.context import within
from tenants.directory import tenant_of_slug
from tenants.management.named import database_needed, fresh_slug
from tenants.models import Membership, Role, Tenant


def make_user(name: str) -> tuple[User, str]:
    """The user of this name and "", or a new one and their password."""
    found = User.objects.filter(username=name).first()
    if found is not None:
        return found, ""
    password = secrets.token_urlsafe(12)
    user = User(username=name)
    user.set_password(password)
    try:
        user.full_clean()
    except ValidationError as fault:
        raise CommandError(f"--admin {name!r}: {' '.join(fault.messages)}") from None
    user.save()
    return user, password


def make_tenant(*, slug: str, name: str, admin: str) -> tuple[Tenant, str]:
    """The tenant and the password of its user, "" when the user was there already.

    All of it or nothing. CommandError when the slug is taken.
    """
    if tenant_of_slug(slug) is not None:
        raise CommandError(f"tenant {slug!r}: the slug is taken")
    try:
        with transaction.atomic():
            tenant = Tenant.objects.start(slug=slug, name=name)
            user, password = make_user(admin)
            with within(tenant.pk):
                member = Membership.objects.create(user=user, role=Role.OWNER)
                record("tenant.created", by=COMMAND, subject="tenant", subject_id=tenant.pk)
                record(
                    "membership.created",
                    by=COMMAND,
                    subject="membership",
                    subject_id=member.pk,
                    user=user.pk,
                    role=Role.OWNER,
                )
    except IntegrityError as clash:  # the same slug or name, at the same time, from elsewhere
        raise CommandError(f"tenant {slug!r} or user {admin!r}: taken meanwhile") from clash
    return tenant, password


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="its name in addresses: /t/<slug>/")
        parser.add_argument("--admin", required=True, metavar="USER", help="made if missing")
        parser.add_argument("--name", default="", help="as people read it")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = fresh_slug(options["slug"], what="tenant")
        name = options["name"].strip() or slug.replace("-", " ").replace("_", " ").title()
        if len(name) > 200:
            raise CommandError("--name: expected at most 200 characters")
        with database_needed():
            _, password = make_tenant(slug=slug, name=name, admin=options["admin"])
        self.stdout.write(f"tenant {slug}, owner {options['admin']}")
        if password:
            self.stdout.write("The password, shown this once:")
            self.stdout.write(password)
        else:
            self.stdout.write(f"{options['admin']} was there already and keeps their password.")
