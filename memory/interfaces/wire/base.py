"""What every `/v1` view stands on: whose key, how often it may ask, for which agent and scope."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from rest_framework import exceptions
from rest_framework.request import Request

from memory.interfaces.wire import fields
from memory.models import Reader
from memory.providers import default_space, space_of
from memory.sharing.agents import agent_called, reader_of, reader_of_all
from tenants import limits
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Tenant
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


class WireView(TenantView):
    """An organisation's key, or a member; a person's token and a key for one chat agent may not.

    `manages`: the view sets something for the whole organisation, so it takes a key that is not
    narrowed, or an admin.
    """

    is_for_sharing = True
    manages = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        caller = self.caller
        if caller.sort == "person":
            raise PermissionDenied("shared memory is among agents: a person's token has no part")
        if caller.agent_id is not None:
            raise PermissionDenied("this key is for one agent's own memory")
        if self.manages:
            may_manage(caller)
        elif caller.is_member and not caller.can_edit and request.method not in ("GET", "HEAD"):
            raise PermissionDenied("writing needs an editor or an organisation's key")
        self._count(caller)

    def _count(self, caller: Caller) -> None:
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

    def agent_in(self, body: fields.Body, *, required: bool = True) -> str | None:
        """`agentId`; a narrowed key speaks as its own agent only, and need not name it."""
        own = self.caller.shared_agent
        given = fields.name(body, "agentId", required=required and not own)
        if own and given not in (None, own):
            raise PermissionDenied("agentId: this key speaks for another agent")
        return own or given

    def reader(self, *, workflow: str | None = None) -> Reader:
        """Who reads where a body names no agent: a narrowed key as its own, another the whole
        organisation (G18). Inside `within`."""
        name, scope = self.caller.shared_agent, self.caller.scope or None
        if name:
            return reader_of(agent_called(name), workflow=workflow, scope=scope)
        return reader_of_all(workflow=workflow, scope=scope)

    def space(self) -> str:
        """The embedding space in which this tenant writes and asks. Outside any block."""
        if self.caller.space is not None:
            return self.caller.space or default_space()
        with within(self.caller.tenant_id):
            return space_of(Tenant.objects.get(pk=self.caller.tenant_id))

    def scope_in(self, body: fields.Body) -> str | None:
        """`scope`; a key narrowed to one writes and reads in no other."""
        own = self.caller.scope
        given = fields.choice(body, "scope", ("private", "team", "global"))
        if own and given not in (None, own):
            raise PermissionDenied(f"scope: this key is for the scope {own}")
        return own or given


def may_manage(caller: Caller) -> None:
    if caller.is_for_sharing:
        raise PermissionDenied("a key that is narrowed manages nothing")
    if caller.sort != "organisation" and not caller.can_administer:
        raise PermissionDenied("this needs an organisation's key, an admin or an owner")
