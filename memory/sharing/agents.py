"""An agent of `/v1` by the name it gives: registered at first use, and what it may read."""

from memory.models import Reader, SharedAgent
from memory.models.shared.agent import Sees
from memory.sharing.graph.names import names_in
from tenants.prepared import prepared


def agent_called(name: str) -> SharedAgent:
    """The agent of this name, registered now if it is new, with what it `sees`. Inside `within`."""
    return _called(name, [])[0]


def agent_asking(name: str, question: str) -> tuple[SharedAgent, list[int]]:
    """`agent_called`, and the entities that its question names, for `graph.walk`. Both in one
    statement: every search begins with them."""
    return _called(name, names_in(question))


def reader_of(
    agent: SharedAgent, *, workflow: str | None = None, scope: str | None = None
) -> Reader:
    """What `agent` sees now, narrowed to a workflow and a scope if they are given."""
    assert agent.sees is not None, "ask agent_called for it"
    return Reader.for_shared(
        agent.pk,
        has_teams=agent.sees.has_teams,
        team_id=agent.team_id,
        grants=agent.sees.grants,
        workflow=workflow,
        scope=scope,
    )


def reader_of_all(*, workflow: str | None = None, scope: str | None = None) -> Reader:
    """The whole organisation's shared memory: a key that is not narrowed, naming no agent (G18)."""
    return Reader.for_shared(None, workflow=workflow, scope=scope)


def _called(name: str, names: list[str]) -> tuple[SharedAgent, list[int]]:
    found = _read(name, names)
    if found is None:
        SharedAgent.objects.bulk_create([SharedAgent(name=name)], ignore_conflicts=True)
        found = _read(name, names)
    assert found is not None
    return found


def _read(name: str, names: list[str]) -> tuple[SharedAgent, list[int]] | None:
    with prepared() as cursor:
        statement = _CALLED.format(named=_NAMED if names else _NOBODY)
        cursor.execute(statement, [*([names] if names else []), name])
        row = cursor.fetchone()
    if row is None:
        return None
    number, tenant_id, team_id, created_at, has_teams, has_keys, grants, named = row
    agent = SharedAgent(
        pk=number, tenant_id=tenant_id, name=name, team_id=team_id, created_at=created_at
    )
    agent._state.adding = False
    held = (grant.partition(" ") for grant in grants)
    agent.sees = Sees(has_teams, has_keys, tuple((role, scope) for role, _, scope in held))
    return agent, named


_CALLED = """
SELECT a.id, a.tenant_id, a.team_id, a.created_at,
       EXISTS (SELECT 1 FROM memory_team), EXISTS (SELECT 1 FROM memory_tenantkey),
       ARRAY(
           SELECT DISTINCT g.grantor_role || ' ' || g.resource_scope AS held
           FROM memory_accessgrant g
           WHERE g.grantee_id = a.id AND g.valid_from <= statement_timestamp()
             AND (g.valid_to IS NULL OR g.valid_to > statement_timestamp())
           ORDER BY held
       ),
       {named}
FROM memory_sharedagent a WHERE a.name = %s
"""
_NAMED = "ARRAY(SELECT id FROM memory_entity WHERE name = ANY(%s::text[]))"
_NOBODY = "'{}'::bigint[]"
