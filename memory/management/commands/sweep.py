"""Close what has expired and tell those who asked, by hand."""

from typing import Any

from django.db.models import QuerySet

from memory.interfaces.tasks import STEPS
from memory.lifecycle import sweep
from memory.management.stage_command import StageCommand, counted
from memory.stages import Tally


class Command(StageCommand):
    help = __doc__ or ""
    stage = "sweep"
    by_agent = False

    def waiting(self, options: dict[str, Any]) -> list[QuerySet[Any]]:
        return [sweep.expired(), sweep.expired_proposals()]

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        return STEPS["sweep"](tenant_id)

    def said(self, tally: Tally) -> str:
        return f"{counted(tally.processed, 'row')} ended"
