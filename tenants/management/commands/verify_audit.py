"""Compute the audit's chain again: was anything changed, added or removed since it was sealed?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tenants import audit_chain
from tenants.audit_chain import Verified
from tenants.context import within
from tenants.directory import tenants_with_work
from tenants.management.named import database_needed, tenant_named
from tenants.models import Tenant

EVERY_TENANT = 1_000_000


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="this tenant only")

    def handle(self, *args: Any, **options: Any) -> None:
        broken = 0
        with database_needed():
            given = options["tenant"]
            every = [tenant_named(given)] if given else tenants_with_work("retention", EVERY_TENANT)
            for tenant_id in sorted(every):
                with within(tenant_id):
                    slug = Tenant.objects.get(pk=tenant_id).slug
                    found = audit_chain.verify(tenant_id)
                self.stdout.write(f"{slug}: {_said(found)}")
                broken += found.broken is not None
        if broken:
            raise CommandError(
                f"the audit of {broken} {'tenant' if broken == 1 else 'tenants'} does not hold"
            )


def _many(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _said(found: Verified) -> str:
    parts = []
    if found.start:
        parts.append(f"retention ended it up to entry {found.start:,}")
    if found.seals:
        entries, seals = _many(found.entries, "entry", "entries"), _many(found.seals, "seal")
        parts.append(f"{entries} hold under {seals}")
    if found.broken is not None:
        where = f"entries {found.broken.after + 1:,} to {found.broken.up_to:,}"
        parts.append(f"BROKEN at {where}: {found.broken.why}")
    if found.unsealed:
        ends = f"{found.first_unsealed:,} to {found.last_unsealed:,}"
        verb = "is" if found.unsealed == 1 else "are"
        parts.append(f"{found.unsealed:,} since then {verb} not sealed yet ({ends})")
    elif found.broken is None and not found.seals:
        parts.append("nothing is entered")
    if found.last is not None:
        parts.append(f"the last seal is {found.last}")
    return "; ".join(parts)
