"""Find what shared memories name and how it relates, by hand."""

from typing import Any

from django.db.models import QuerySet

from memory.management.stage_command import StageCommand, counted
from memory.models import Unextracted
from memory.sharing.graph import stage
from memory.stages import Tally


class Command(StageCommand):
    help = __doc__ or ""
    stage = "graph"
    by_agent = False

    def rows(self, agent_id: int | None, options: dict[str, Any]) -> QuerySet[Any]:
        return Unextracted.objects.all()

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        return stage.step(tenant_id)

    def said(self, tally: Tally) -> str:
        return f"{counted(tally.processed, 'memory', 'memories')} read for names"
