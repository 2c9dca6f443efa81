"""What a write of shared memory leaves to do: its vector, its entities.

Telling of it is woken by the outbox itself, if anybody listens (`memory.events.outbox`).
"""

from memory.interfaces.tasks import TASKS, wake


def wake_after(tenant_id: int, *, is_embedded: bool = True) -> None:
    """Outside any block, after the write: whatever it left is there."""
    for stage in ("graph",) if is_embedded else ("graph", "embed"):
        if stage in TASKS:
            wake(stage, tenant_id)
