"""Who acts: named in every audit entry."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Actor:
    """A user at a page, a token, a command, or the system itself."""

    sort: Literal["user", "token", "command", "person", "system"]
    user_id: int | None = None
    token_id: int | None = None

    @classmethod
    def user(cls, user_id: int) -> "Actor":
        return cls("user", user_id=user_id)

    @classmethod
    def token(cls, token_id: int, user_id: int | None = None) -> "Actor":
        """A key; with `user_id` a member's own token, named in the audit as "by token"."""
        return cls("token", user_id=user_id, token_id=token_id)

    @classmethod
    def person(cls, token_id: int | None = None) -> "Actor":
        """The visitor themselves."""
        return cls("person", token_id=token_id)


COMMAND = Actor("command")
SYSTEM = Actor("system")
