"""Make a member's token (12 hours) or a person's; prints it alone on the last line, this once."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models.functions import Now

from agents.models import Visitor
from tenants.actor import COMMAND
from tenants.audit import record
from tenants.context import within
from tenants.directory import tenants_of_user
from tenants.management.named import database_needed, tenant_named, user_named
from tenants.models import Membership, Token

MEMBER_LIFE = timedelta(hours=12)  # at most, by D26


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--member", metavar="USER", help="a member, by their user name")
        whose.add_argument("--person", metavar="ID", help="a visitor, by the host's id")
        parser.add_argument("--tenant", help="its slug; needed for --person")
        parser.add_argument("--name", default="", help="what it is for")
        parser.add_argument("--days", type=int, help="how long a person's token lives (for good)")

    def handle(self, *args: Any, **options: Any) -> None:
        if len(options["name"]) > 200:
            raise CommandError("--name: expected at most 200 characters")
        with database_needed():
            key = self._of_member(options) if options["member"] else self._of_person(options)
        self.stdout.write(key)

    def _of_member(self, options: dict[str, Any]) -> str:
        if options["days"] is not None:
            raise CommandError("--days is for --person: a member's token lives 12 hours")
        user = user_named(options["member"])
        tenant_id = self._tenant_of(user.pk, options)
        with within(tenant_id):
            if not user.is_active:
                raise CommandError(f"user {options['member']!r} is not active")
            if not Membership.objects.filter(user_id=user.pk).exists():
                raise CommandError(
                    f"user {options['member']!r} is no member of {options['tenant']!r}"
                )
            token, key = Token.objects.issue(
                kind=Token.Kind.MEMBER,
                name=options["name"] or "made by command",
                user_id=user.pk,
                expires_at=Now() + MEMBER_LIFE,
                made_by_command=True,
            )
            self._record(token, user=user.pk)
        self.stdout.write(f"token of member {options['member']}, for 12 hours, shown this once:")
        return key

    def _tenant_of(self, user_id: int, options: dict[str, Any]) -> int:
        if options["tenant"]:
            return tenant_named(options["tenant"])
        found = tenants_of_user(user_id)
        if not found:
            raise CommandError(f"user {options['member']!r} is no member of any tenant")
        if len(found) > 1:
            slugs = ", ".join(slug for _, slug in found)
            raise CommandError(
                f"user {options['member']!r} is a member of several tenants: "
                f"name one of these by --tenant: {slugs}"
            )
        return found[0][0]

    def _of_person(self, options: dict[str, Any]) -> str:
        if not options["tenant"]:
            raise CommandError("--person needs --tenant")
        days = options["days"]
        if days is not None and not 1 <= days <= 36_500:
            raise CommandError("--days: expected 1 to 36500")
        with within(tenant_named(options["tenant"])):
            person = None
            if "\0" not in options["person"]:
                person = Visitor.objects.filter(host_id=options["person"]).first()
            if person is None:
                raise CommandError(
                    f"no person {options['person']!r} in {options['tenant']!r}: "
                    "expected the host application's id of one who has been here"
                )
            token, key = Token.objects.issue(
                kind=Token.Kind.PERSON,
                name=options["name"] or "made by command",
                visitor_id=person.pk,
                expires_at=None if days is None else Now() + timedelta(days=days),
                made_by_command=True,
            )
            self._record(token, visitor=person.pk)
        lives = "until it is revoked" if days is None else f"for {days} days"
        self.stdout.write(f"token of person {options['person']}, {lives}, shown this once:")
        return key

    def _record(self, token: Token, **detail: int) -> None:
        record(
            "token.created",
            by=COMMAND,
            subject="token",
            subject_id=token.pk,
            kind=token.kind,
            **detail,
        )
