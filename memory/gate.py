"""Every write derived from a person's words asks here first (D18)."""

from dataclasses import dataclass

from agents.models import Agent, Visitor


@dataclass(frozen=True)
class Shut:
    """Why nothing may be written: shown to the caller, counted, never an error."""

    reason: str


MEMORY_OFF = Shut("memory is off")
PERSON_OFF = Shut("the person switched memory off")
GONE = Shut("gone")


def gate(*, agent_id: int, visitor_id: int | None) -> Shut | None:
    """Lock the visitor FOR KEY SHARE and read the switches again; None means go on.

    Inside `within`. Erase locks the visitor FOR UPDATE and deletes it, so whoever passes here
    holds off an erase until the transaction ends, and whoever comes later finds it gone.
    """
    if visitor_id is not None:
        # Django has no FOR KEY SHARE: NO KEY UPDATE would make two captures of a person queue.
        held = Visitor.objects.raw(
            "SELECT id, auto_capture_enabled FROM agents_visitor WHERE id = %s FOR KEY SHARE",
            [visitor_id],
        )
        visitor = next(iter(held), None)
        if visitor is None:
            return GONE
        if not visitor.auto_capture_enabled:
            return PERSON_OFF
    enabled = (
        Agent.objects.filter(pk=agent_id)
        .values_list("memory_enabled", "tenant__memory_enabled")
        .first()
    )
    if enabled is None:
        return GONE
    return None if all(enabled) else MEMORY_OFF
