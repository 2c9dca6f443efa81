"""The audit stage: seals what was entered, so that a change shows (D42)."""

from memory.stages import Tally
from tenants import audit_chain
from tenants.context import within

STAGE = "audit"


def step(tenant_id: int) -> Tally:
    """One seal of one tenant. `processed` counts the entries that it covers."""
    with within(tenant_id):
        sealed = audit_chain.seal(tenant_id)
    return Tally(taken=sealed, processed=sealed)
