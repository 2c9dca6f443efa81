"""What every `/v1` view stands on: whose key, how often it may ask, for which agent and scope."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from rest_framework import exceptions
from rest_framework.request import Request

from memory.interfaces.wire.operations import SharedMemory
from memory.interfaces.wire.speaker import Speaker
from tenants import limits
from tenants.caller import Caller
from tenants.rest import TenantView

MINUTE = timedelta(minutes=1)
# A key's tier: what share of SHARING_LIMIT it may ask in a minute; None is without a limit.
TIERS: dict[str, float | None] = {
    "free": 0.1,
    "developer": 1.0,
    "standard": 1.0,
    "pro": 5.0,
    "enterprise": None,
}


class WireView(Speaker, TenantView):
    """An organisation's key, or a member; a person's token and a key for one chat agent may not.

    `manages`: the view sets something for the whole organisation, so it takes a key that is not
    narrowed, or an admin.
    """

    is_for_sharing = True
    manages = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.manages:
            may_share(self.caller)
            may_manage(self.caller)
        else:
            may_share(self.caller, writes=request.method not in ("GET", "HEAD"))
        count(self.caller)


class MemoryView(WireView):
    """One that answers with an operation on shared memory."""

    @property
    def memory(self) -> SharedMemory:
        return SharedMemory(self.caller)


def may_share(caller: Caller, *, writes: bool = False) -> None:
    """PermissionDenied for a person's token, a key for one chat agent, a reader that writes."""
    if caller.sort == "person":
        raise PermissionDenied("shared memory is among agents: a person's token has no part")
    if caller.agent_id is not None:
        raise PermissionDenied("this key is for one agent's own memory")
    if writes and caller.is_member and not caller.can_edit:
        raise PermissionDenied("writing needs an editor or an organisation's key")


def count(caller: Caller) -> None:
    """Count a request against the key's tier; Throttled once it is over. Outside any block."""
    share = TIERS.get(caller.tier, 1.0)
    most = None if share is None else max(1, int(settings.SHARING_LIMIT * share))
    if caller.token_id is None or most is None:
        return
    over = limits.hit(
        [limits.Limit("v1", str(caller.token_id), most)],
        window=MINUTE,
        tenant_id=caller.tenant_id,
    )
    if over is not None:
        raise exceptions.Throttled(
            over.retry_after - 1, f"more than {most} requests in a minute with this key"
        )


def may_manage(caller: Caller) -> None:
    if caller.is_for_sharing:
        raise PermissionDenied("a key that is narrowed manages nothing")
    if caller.sort != "organisation" and not caller.can_administer:
        raise PermissionDenied("this needs an organisation's key, an admin or an owner")
