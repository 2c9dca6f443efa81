"""Who is asking: the only key to `Memory.objects.visible_to` (E26).

Made in one of five ways. A reader never comes from a request's body: its scope is the
credential's, and cannot be widened.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Reader:
    """`agent_id` and `visitor_id` narrow; `None` means what the `sort` says, see the makers."""

    sort: Literal["chat", "person", "member", "key", "shared"]
    agent_id: int | None = None
    visitor_id: int | None = None
    # Of an agent that reads what agents share: itself, its team, its grants as (role, scope), and
    # what it narrows to. Without a writer it is the whole organisation's (G18).
    writer_id: int | None = None
    has_teams: bool = False
    team_id: int | None = None
    grants: tuple[tuple[str, str], ...] = ()
    workflow: str | None = None
    scope: str | None = None

    @classmethod
    def for_chat(cls, agent_id: int, visitor_id: int | None) -> "Reader":
        """A conversation: this agent's memories for everyone, and this visitor's own."""
        return cls("chat", agent_id, visitor_id)

    @classmethod
    def for_person(cls, visitor_id: int) -> "Reader":
        """A person's page, export and erase: everything that names them."""
        return cls("person", None, visitor_id)

    @classmethod
    def for_member(cls, agent_id: int | None = None) -> "Reader":
        """A member of the tenant in its pages: all of it, or one agent's."""
        return cls("member", agent_id, None)

    @classmethod
    def for_key(cls, agent_id: int | None = None) -> "Reader":
        """An organisation's key, narrowed to an agent if the key is."""
        return cls("key", agent_id, None)

    @classmethod
    def for_shared(
        cls,
        writer_id: int | None,
        *,
        has_teams: bool = False,
        team_id: int | None = None,
        grants: tuple[tuple[str, str], ...] = (),
        workflow: str | None = None,
        scope: str | None = None,
    ) -> "Reader":
        """An agent of `/v1`, or without one an organisation's key; `memory.sharing` makes it."""
        return cls(
            "shared",
            writer_id=writer_id,
            has_teams=has_teams,
            team_id=team_id,
            grants=grants,
            workflow=workflow,
            scope=scope,
        )
