"""Make an organisation's key; prints the key alone on the last line, this once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.management.named import agent_in_tenant
from tenants.actor import COMMAND
from tenants.audit import record
from tenants.context import within
from tenants.management.named import database_needed, tenant_named
from tenants.models import Token

SCOPES = ("private", "team", "global")
TIERS = ("free", "developer", "standard", "pro", "enterprise")


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tenant", help="the tenant's slug")
        parser.add_argument("--name", required=True, help="what it is for")
        parser.add_argument("--agent", help="narrow it to this agent (slug or UUID)")
        parser.add_argument(
            "--shared-agent", default="", help="narrow it to this agent of shared memory, by name"
        )
        parser.add_argument(
            "--scope", choices=SCOPES, default="", help="narrow it to this scope of shared memory"
        )
        parser.add_argument(
            "--tier", choices=TIERS, default="standard", help="how often it may ask /v1"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"].strip()
        if not 0 < len(name) <= 200:
            raise CommandError("--name: expected 1 to 200 characters")
        shared_agent = options["shared_agent"]
        if len(shared_agent) > 200 or (shared_agent and not shared_agent.strip()):
            raise CommandError("--shared-agent: expected 1 to 200 characters")
        if options["agent"] and shared_agent:
            raise CommandError(
                "--agent names an agent that people talk to, --shared-agent one of shared memory: "
                "a key is for one of them"
            )
        with database_needed(), within(tenant_named(options["tenant"])):
            agent = agent_in_tenant(options["agent"]) if options["agent"] else None
            token, key = Token.objects.issue(
                kind=Token.Kind.ORGANISATION,
                name=name,
                agent_id=agent.pk if agent is not None else None,
                shared_agent=shared_agent,
                scope=options["scope"],
                tier=options["tier"],
                made_by_command=True,
            )
            record(
                "token.created",
                by=COMMAND,
                subject="token",
                subject_id=token.pk,
                kind=token.kind,
                agent=token.agent_id,
                is_for_one_agent=bool(shared_agent),
                scope=token.scope,
                tier=token.tier,
            )
        self.stdout.write(f"key {name!r} of {options['tenant']}, shown this once:")
        self.stdout.write(key)
