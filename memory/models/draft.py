"""The one typed value for what a memory says, from a model's reply to the stored row.

A `Draft` is what models propose, tools pass, `Mutation` and `MemoryVersion` keep as JSON and
`store` takes. For an add every field that the kind requires is set; for a modify it is a patch,
and only the fields that were given count (`draft.given()`).
"""

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

CONTENT_LIMIT = 2_000  # characters; contract 3's record, and every kind but shared
SHARED_LIMIT = 65_536  # of a shared memory
KEY_LIMIT = 200
DESCRIPTION_LIMIT = 200
PATTERN_LIMIT = 100
PATTERNS_LIMIT = 20
PROFILE = "/profile"

_SEGMENT = re.compile(r"[^\w.-]+")


class Presence(StrEnum):
    """How a memory reaches the model: always, on a trigger word, or by search."""

    OMNIPRESENT = "omnipresent"
    PATTERN = "pattern"
    ON_DEMAND = "on-demand"


class Scope(StrEnum):
    """Which agents of the organisation see a shared memory."""

    PRIVATE = "private"
    TEAM = "team"
    GLOBAL = "global"


class Role(StrEnum):
    """In what part an agent wrote; policies and grants act on it."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    OBSERVER = "observer"


SCOPES = [(scope.value, scope.value) for scope in Scope]
ROLES = [(role.value, role.value) for role in Role]


def normal_key(key: str) -> str:
    """A slash path in its one form: `"Preferences / Style "` is `"/preferences/style"`.

    Raises ValueError when nothing is left or the result is over KEY_LIMIT characters.
    """
    segments = [_SEGMENT.sub("-", part.strip().casefold()).strip("-") for part in key.split("/")]
    path = "/" + "/".join(part for part in segments if part)
    if path == "/":
        raise ValueError("key: expected a slash path such as /preferences/style")
    if len(path) > KEY_LIMIT:
        raise ValueError(f"key: {len(path)} characters, at most {KEY_LIMIT} are allowed")
    return path


def profile_key(slug: str | None) -> str:
    """Where a memory of a person's profile stands beside the keys that agents learn under: for
    reviewers, and for their rules of what is never proposed."""
    return f"/profile/{slug}" if slug else PROFILE


_AS_IT_IS = StringConstraints(strip_whitespace=False)


class Draft(BaseModel):
    """All writable fields of a memory. Unset fields of a patch leave the row's value as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    key: str | None = None
    description: Annotated[str, Field(max_length=DESCRIPTION_LIMIT)] | None = None
    content: Annotated[str, Field(min_length=1, max_length=SHARED_LIMIT)] | None = None
    presence: Presence | None = None
    trigger_patterns: (
        Annotated[
            tuple[Annotated[str, Field(min_length=1, max_length=PATTERN_LIMIT)], ...],
            Field(max_length=PATTERNS_LIMIT),
        ]
        | None
    ) = None

    # Of a person: the slug of a category under an agent, or a free label, a stable name and a pin.
    category: Annotated[str, Field(max_length=60)] | None = None
    label: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    slug: Annotated[str, Field(max_length=200, pattern=r"^[a-zA-Z0-9_-]+$")] | None = None
    pinned: bool | None = None

    # Shared among agents: only these have a scope. Names are as their callers write them, blanks at
    # their ends too: everything else that takes them compares them so.
    scope: Scope | None = None
    role: Role | None = None
    workflow: Annotated[str, _AS_IT_IS, Field(max_length=200)] | None = None
    fact_key: Annotated[str, _AS_IT_IS, Field(min_length=1, max_length=200)] | None = None
    expires_at: datetime | None = None

    @field_validator("key")
    @classmethod
    def _normal_key(cls, key: str | None) -> str | None:
        return None if key is None else normal_key(key)

    @model_validator(mode="after")
    def _length(self) -> Self:
        if self.scope is None and len(self.content or "") > CONTENT_LIMIT:
            raise ValueError(f"content: at most {CONTENT_LIMIT} characters are allowed")
        return self

    @model_validator(mode="after")
    def _triggers(self) -> Self:
        if self.presence is Presence.PATTERN and self.trigger_patterns == ():
            raise ValueError("trigger_patterns: presence `pattern` needs at least one")
        return self

    def given(self) -> dict[str, Any]:
        """Only the fields that were set, ready for JSON."""
        return self.model_dump(mode="json", exclude_unset=True)

    def over(self, earlier: "Draft") -> "Draft":
        """This patch laid over an earlier draft, validated as a whole."""
        return Draft.model_validate({**earlier.given(), **self.given()})
