"""What a write of shared memory leaves to do: its vector, its entities.

Telling of it is woken by the outbox itself, if anybody listens (`memory.events.outbox`).
"""

import time

from memory.interfaces.tasks import wake

GRAPH_REST = 5.0  # seconds between two wakes of a tenant's graph by one process
_woken: dict[int, float] = {}


def wake_after(tenant_id: int, *, is_embedded: bool = True) -> None:
    """Outside any block, after the write: whatever it left is there.

    A message to the broker costs more than a write does, and one run of the graph stage takes all
    that waits: of many writes the first wakes it, and what comes after the last is beat's.
    """
    now = time.monotonic()
    if now - _woken.get(tenant_id, -GRAPH_REST) >= GRAPH_REST:
        _woken[tenant_id] = now
        wake("graph", tenant_id)
    if not is_embedded:
        wake("embed", tenant_id)
