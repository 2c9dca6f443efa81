"""Make an agent of a tenant; prints its UUID on the last line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError

from agents.models import Agent, Mode
from tenants.actor import COMMAND
from tenants.audit import record
from tenants.context import within
from tenants.management.named import database_needed, fresh_slug, tenant_named

INSTRUCTIONS = 20_000


def make_agent(*, slug: str, name: str, memory: bool, mode: str, instructions: str = "") -> Agent:
    """The agent, inside the tenant's block. CommandError when the slug is taken."""
    if Agent.objects.filter(slug=slug).exists():
        raise CommandError(f"agent {slug!r}: the slug is taken in this tenant")
    try:
        agent = Agent.objects.create(
            slug=slug, name=name, memory_enabled=memory, mode=mode, instructions=instructions
        )
    except IntegrityError as clash:
        raise CommandError(f"agent {slug!r}: the slug is taken in this tenant") from clash
    record(
        "agent.created",
        by=COMMAND,
        subject="agent",
        subject_id=agent.pk,
        memory=memory,
        mode=mode,
    )
    return agent


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tenant", help="the tenant's slug")
        parser.add_argument("slug", help="the agent's name in addresses")
        parser.add_argument("--memory", choices=["on", "off"], default="on", help="(on)")
        parser.add_argument("--mode", choices=Mode.values, default=Mode.REVIEWED, help="(reviewed)")
        parser.add_argument("--name", default="", help="as people read it")
        parser.add_argument("--instructions", default="", help="what the model is told first")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = fresh_slug(options["slug"], what="agent")
        name = options["name"].strip() or slug.replace("-", " ").replace("_", " ").title()
        if len(name) > 200:
            raise CommandError("--name: expected at most 200 characters")
        if len(options["instructions"]) > INSTRUCTIONS:
            raise CommandError(f"--instructions: expected at most {INSTRUCTIONS} characters")
        with database_needed(), within(tenant_named(options["tenant"])):
            agent = make_agent(
                slug=slug,
                name=name,
                memory=options["memory"] == "on",
                mode=options["mode"],
                instructions=options["instructions"],
            )
        self.stdout.write(
            f"agent {slug} of {options['tenant']}: memory {options['memory']}, {options['mode']}"
        )
        self.stdout.write(str(agent.uid))
