"""Turn observations into proposals for the review queue (stage 2), by hand."""

from typing import Any

from memory.learning import reconcile
from memory.management.stage_command import StageCommand, counted
from memory.stages import Tally, free


class Command(StageCommand):
    help = __doc__ or ""
    stage = "reconcile"

    def waiting(self, agent_id: int | None, options: dict[str, Any]) -> int:
        return reconcile.due(agent_id).filter(free()).count()

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        return reconcile.step(tenant_id, agent_id=agent_id)

    def said(self, tally: Tally) -> str:
        decided = counted(tally.processed, "observation")
        return f"{decided} decided, {counted(tally.mutated, 'proposal')} to review"
