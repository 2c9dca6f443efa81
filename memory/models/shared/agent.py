"""Who writes and reads shared memory: agents by any name, their teams, and grants between them."""

import uuid
from dataclasses import dataclass

from django.db import models
from django.db.models.functions import Now

from memory.models.draft import ROLES, SCOPES
from tenants.models import InTenantKey, TenantRow

NAME_LIMIT = 200


class Team(TenantRow):
    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=NAME_LIMIT)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "uid", name="team_uid_unique"),
            models.UniqueConstraint("tenant", "name", name="team_name_unique"),
        ]

    def __str__(self) -> str:
        return f"team {self.name}"


@dataclass(frozen=True)
class Sees:
    """What decides, beside its team, what an agent sees: are there teams, is or was there a
    customer's key, and its grants that hold now, as (role, scope)."""

    has_teams: bool
    has_keys: bool
    grants: tuple[tuple[str, str], ...]


class SharedAgent(TenantRow):
    """Registered at first use, by the name it gives; `agent_id` on the wire is this name (E5).

    `sees` is there when `memory.sharing.agents` has read it with the row.
    """

    sees: Sees | None = None

    name = models.CharField(max_length=NAME_LIMIT)
    team = InTenantKey(
        Team, on_delete=models.SET_NULL, null=True, blank=True, related_name="agents"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "name", name="shared_agent_name_unique")]

    def __str__(self) -> str:
        return f"shared agent {self.name}"


class AccessGrant(TenantRow):
    """`grantee` may read what agents in `grantor_role` wrote in `resource_scope`, for a time.

    It holds while `valid_from <= now < valid_to`, by the database's clock.
    """

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    grantor_role = models.CharField(max_length=8, choices=ROLES)
    grantee = InTenantKey(SharedAgent, on_delete=models.CASCADE, related_name="grants")
    resource_scope = models.CharField(max_length=7, choices=SCOPES)
    valid_from = models.DateTimeField(db_default=Now())
    valid_to = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "uid", name="grant_uid_unique")]

    def __str__(self) -> str:
        return f"grant {self.pk}"
