"""What a write of shared memory leaves to do: its vector, its entities, telling of it."""

from memory.interfaces.tasks import TASKS, wake


def wake_after(tenant_id: int, *, is_embedded: bool = True) -> None:
    """Outside any block, after the write: whatever it left is there."""
    for stage in ("graph", "deliver") if is_embedded else ("graph", "deliver", "embed"):
        if stage in TASKS:
            wake(stage, tenant_id)
