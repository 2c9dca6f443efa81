"""Make observations of what was said in conversations that are idle (stage 1), by hand."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from memory.learning import observe
from memory.management.stage_command import StageCommand, counted
from memory.stages import Tally


class Command(StageCommand):
    help = __doc__ or ""
    stage = "observe"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--ignore-cooldown", action="store_true", help="do not wait until they are idle"
        )

    def rows(self, agent_id: int | None, options: dict[str, Any]) -> QuerySet[Any]:
        return observe.due(agent_id, options["ignore_cooldown"])

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        return observe.step(
            tenant_id, agent_id=agent_id, ignore_cooldown=options["ignore_cooldown"]
        )

    def said(self, tally: Tally) -> str:
        read = counted(tally.taken, "stretch", "stretches")
        return f"{counted(tally.processed, 'observation')} from {read} of conversation"

    def why_nothing(self, options: dict[str, Any]) -> str:
        if options["ignore_cooldown"]:
            return ""
        return (
            f"conversations wait until they have been idle for {settings.OBSERVE_COOLDOWN} "
            "(--ignore-cooldown does not wait)"
        )
