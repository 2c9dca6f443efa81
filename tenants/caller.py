"""Who is calling, for one tenant, and what the table of rights (E2) lets them do."""

from dataclasses import dataclass
from typing import Literal

from tenants.actor import Actor
from tenants.models import Membership, Role


@dataclass(frozen=True)
class Caller:
    """A signed-in member, a member's token, an organisation's key, or a person's token.

    `agent_id` narrows a key to one agent; `visitor_id` is the person of a person token.
    """

    tenant_id: int
    sort: Literal["user", "member", "organisation", "person"]
    role: Role | None = None
    user_id: int | None = None
    token_id: int | None = None
    agent_id: int | None = None
    visitor_id: int | None = None
    # Of a key for shared memory alone: one agent by its name there, one scope.
    shared_agent: str = ""
    scope: str = ""
    tier: str = ""
    space: str | None = None  # the tenant's embedding space, if it was read with the key

    @classmethod
    def user(cls, *, tenant_id: int, user_id: int, role: str) -> "Caller":
        return cls(tenant_id, "user", role=Role(role), user_id=user_id)

    @classmethod
    def of(cls, membership: Membership) -> "Caller":
        return cls.user(
            tenant_id=membership.tenant_id, user_id=membership.user_id, role=membership.role
        )

    @property
    def actor(self) -> Actor:
        if self.sort == "user" and self.user_id is not None:
            return Actor.user(self.user_id)
        if self.sort == "person":
            return Actor.person(self.token_id)
        return Actor("token", user_id=self.user_id, token_id=self.token_id)

    @property
    def is_member(self) -> bool:
        """A person who signed in, here or when they made the token: only these may decide."""
        return self.sort in ("user", "member") and self.role is not None

    @property
    def can_edit(self) -> bool:
        return self.is_member and self.role in (Role.OWNER, Role.ADMIN, Role.EDITOR)

    @property
    def can_administer(self) -> bool:
        return self.is_member and self.role in (Role.OWNER, Role.ADMIN)

    @property
    def is_for_sharing(self) -> bool:
        """A key narrowed to shared memory, or to a part of it: nothing else answers to it."""
        return bool(self.shared_agent or self.scope)

    def may_decide(self, approver: str) -> bool:
        """`member` mutations: any editor. `org-admin` mutations: an admin or owner."""
        return self.can_edit if approver == "member" else self.can_administer
