"""Turn observations into proposals for the review queue (stage 2), by hand."""

from typing import Any

from django.db.models import QuerySet

from memory.learning import reconcile
from memory.management.stage_command import StageCommand, counted
from memory.stages import Tally


class Command(StageCommand):
    help = __doc__ or ""
    stage = "reconcile"

    def rows(self, agent_id: int | None, options: dict[str, Any]) -> QuerySet[Any]:
        return reconcile.due(agent_id)

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        return reconcile.step(tenant_id, agent_id=agent_id)

    def said(self, tally: Tally) -> str:
        decided = counted(tally.processed, "observation")
        return f"{decided} decided, {counted(tally.mutated, 'mutation')} to review"
