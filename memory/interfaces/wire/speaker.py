"""For which agent and scope a caller speaks: on `/v1`, and over MCP, which offers the same."""

from django.core.exceptions import PermissionDenied

from memory.interfaces.wire import fields
from memory.models import Reader, Scope
from memory.providers import default_space, space_of
from memory.sharing.agents import agent_called, reader_of, reader_of_all
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Tenant


class Speaker:
    """Whoever has a `caller`. What a body names is checked against what its key allows."""

    caller: Caller

    def agent_in(self, body: fields.Body, *, required: bool = True) -> str | None:
        """`agentId`; a narrowed key speaks as its own agent only, and need not name it."""
        own = self.caller.shared_agent
        given = fields.name(body, "agentId", required=required and not own)
        if own and given not in (None, own):
            raise PermissionDenied("agentId: this key speaks for another agent")
        return own or given

    def named_agent_in(self, body: fields.Body) -> str:
        """`agent_in` where there has to be one."""
        agent = self.agent_in(body)
        assert agent is not None
        return agent

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
        given = fields.choice(body, "scope", [scope.value for scope in Scope])
        if own and given not in (None, own):
            raise PermissionDenied(f"scope: this key is for the scope {own}")
        return own or given
