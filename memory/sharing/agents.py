"""An agent of `/v1` by the name it gives: registered at first use, and what it may read."""

from django.db.models import Exists, Q
from django.db.models.functions import Now

from memory.models import AccessGrant, Reader, SharedAgent, Team


def agent_called(name: str) -> SharedAgent:
    """The agent of this name, registered now if it is new. Inside `within`.

    `has_teams` stands on the answer: whether the organisation defines any.
    """
    rows = SharedAgent.objects.annotate(has_teams=Exists(Team.objects.all()))
    found = rows.filter(name=name).first()
    if found is None:
        SharedAgent.objects.bulk_create([SharedAgent(name=name)], ignore_conflicts=True)
        found = rows.get(name=name)
    return found


def reader_of(
    agent: SharedAgent, *, workflow: str | None = None, scope: str | None = None
) -> Reader:
    """What `agent` sees now, narrowed to a workflow and a scope if they are given."""
    held = AccessGrant.objects.filter(
        Q(valid_to=None) | Q(valid_to__gt=Now()), grantee=agent, valid_from__lte=Now()
    )
    grants = sorted(set(held.values_list("grantor_role", "resource_scope")))
    return Reader.for_shared(
        agent.pk,
        has_teams=agent.has_teams,  # type: ignore[attr-defined]
        team_id=agent.team_id,
        grants=tuple(grants),
        workflow=workflow,
        scope=scope,
    )


def reader_of_all(*, workflow: str | None = None, scope: str | None = None) -> Reader:
    """The whole organisation's shared memory: a key that is not narrowed, naming no agent (G18)."""
    return Reader.for_shared(None, workflow=workflow, scope=scope)
