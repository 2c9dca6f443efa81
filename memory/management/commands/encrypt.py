"""Put what was shared before the customer's key was set under it, by hand."""

from typing import Any

from django.db.models import QuerySet

from memory.lifecycle import customer_key, encrypt
from memory.management.stage_command import StageCommand, counted
from memory.stages import Tally


class Command(StageCommand):
    help = __doc__ or ""
    stage = "encrypt"
    by_agent = False

    def waiting(self, options: dict[str, Any]) -> list[QuerySet[Any]]:
        return [customer_key.in_the_clear(), customer_key.proposals_in_the_clear()]

    def step(self, tenant_id: int, agent_id: int | None, options: dict[str, Any]) -> Tally:
        return encrypt.step(tenant_id)

    def said(self, tally: Tally) -> str:
        return f"{counted(tally.processed, 'text')} sealed"
