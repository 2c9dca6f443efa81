"""Tell webhooks what happened to shared memory, by hand."""

from typing import Any

from django.db.models import QuerySet

from memory.events import deliver
from memory.management.stage_command import StageCommand, counted
from memory.stages import Tally


class Command(StageCommand):
    help = __doc__ or ""
    stage = "deliver"
    by_agent = False

    def rows(self, agent_id: int | None, options: dict[str, Any]) -> QuerySet[Any]:
        return deliver.waiting()

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        return deliver.step(tenant_id)

    def said(self, tally: Tally) -> str:
        return f"{counted(tally.processed, 'delivery', 'deliveries')} taken by receivers"

    def all_failed(self, tally: Tally) -> bool:
        return tally.failed > 0 and not tally.processed  # `taken` counts the events as well
