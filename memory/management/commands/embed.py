"""Give vectors to texts that were stored without one, by hand."""

from typing import Any

from django.db.models import QuerySet

from memory.learning import embed
from memory.management.stage_command import StageCommand, counted
from memory.models import Unembedded
from memory.stages import Tally


class Command(StageCommand):
    help = __doc__ or ""
    stage = "embed"
    by_agent = False

    def rows(self, agent_id: int | None, options: dict[str, Any]) -> QuerySet[Any]:
        return Unembedded.objects.all()

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        return embed.step(tenant_id)

    def said(self, tally: Tally) -> str:
        return f"{counted(tally.processed, 'text')} embedded"

    def all_failed(self, tally: Tally) -> bool:
        return tally.failed > 0 and not tally.processed  # one call fails for a whole batch
