"""One tool call from outside, whole: whose it is, validated, run, the embed stage woken if needed.

What the chat loop, REST, MCP and listeners call. The person comes from the credential, or is named
beside an organisation's key; arguments never name one.
"""

from typing import Any

from django.core.exceptions import PermissionDenied

from agents.models import Visitor
from memory import tools
from memory.interfaces.api.lookup import host_id
from memory.interfaces.tasks import wake
from memory.tools import Listed, Outcome, Person, ToolError
from memory.tools.arguments import typed, unknown
from tenants.caller import Caller
from tenants.context import within

HEADER = "X-Keepsake-Person"


def call_tool(person: Person, name: str, arguments: Any) -> Outcome | Listed:
    """Outside any block. Raises `memory.tools.ToolError` for what cannot be served."""
    answer = tools.run(person, name, arguments)
    if isinstance(answer, Outcome) and answer.needs_vector:
        wake("embed", person.tenant_id)
    return answer


def call_tool_as(
    caller: Caller, name: str, arguments: Any, *, named: str | None, channel: str
) -> Outcome | Listed:
    """The call of a credential, outside any block.

    A person's token is its person, whoever is `named`. An organisation's key needs a person
    `named` by the host's id; `remember` makes one who is new, to the others they are empty. A key
    that is narrowed to an agent calls as that agent's model (E3). Members have the pages for it.
    """
    if caller.sort not in ("person", "organisation") or caller.is_for_sharing:
        raise PermissionDenied("the tools need an organisation's key or a person's token")
    typed(name, arguments)  # nobody is made by a call that cannot be served
    with within(caller.tenant_id):
        visitor_id = _whose(caller, named, is_write=name == "remember")
    if visitor_id is None:
        if name == "list_memories":
            return Listed([], 0)
        raise unknown("key" if arguments.get("key") is not None else "id")
    person = Person(
        tenant_id=caller.tenant_id,
        visitor_id=visitor_id,
        by=caller.actor,
        channel=channel,
        agent_id=caller.agent_id,
    )
    return call_tool(person, name, arguments)


def _whose(caller: Caller, named: str | None, *, is_write: bool) -> int | None:
    """Inside `within`."""
    if caller.sort == "person":
        own = Visitor.objects.filter(pk=caller.visitor_id or 0)
        host = own.values_list("host_id", flat=True).first()
        if named is not None and host_id(named, field=HEADER) != host:
            raise ToolError("this token is another person's", field=HEADER, status=404)
        return caller.visitor_id
    if named is None:
        raise ToolError(f"expected a header that names the person: {HEADER}: <id>", field=HEADER)
    wanted = host_id(named, field=HEADER)
    if is_write:
        return Visitor.objects.get_or_create(host_id=wanted)[0].pk
    return Visitor.objects.filter(host_id=wanted).values_list("pk", flat=True).first()
