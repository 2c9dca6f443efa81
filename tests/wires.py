"""A tenant as `/v1` sees it: its keys, and calls with them."""

import json
import uuid
from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from memory import store
from memory.models import (
    AccessGrant,
    ConflictPolicy,
    Draft,
    Memory,
    Scope,
    Team,
    Webhook,
)
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tenants.context import within
from tenants.models import Role, Tenant, Token
from tests.factories import World, make_key, make_member


class Wire(World):
    """`call("POST", "teams", {…})` asks `/v1/teams`; `key=` is another than the tenant's own."""

    @cached_property
    def key(self) -> str:
        return self.make_key()

    def make_key(self, **fields: Any) -> str:
        with self.inside():
            return make_key(**fields)

    def member_key(self, role: Role | str) -> str:
        with self.inside():
            user = User.objects.get(pk=make_member(role).user_id or 0)
            return make_key(
                kind=Token.Kind.MEMBER, user_id=user.pk, expires_at="2999-01-01T00:00:00+00:00"
            )

    def person_key(self) -> str:
        return self.make_key(kind=Token.Kind.PERSON, visitor_id=self.visitor.pk)

    @cached_property
    def _client(self) -> Client:
        """One for all calls: each new one loads the middleware."""
        return Client(raise_request_exception=False)

    def call(
        self, method: str, path: str, body: Any = None, *, key: str | None = None, **more: Any
    ) -> Any:
        """`body` as JSON, or a text as it is. An empty `key` sends no header."""
        key = self.key if key is None else key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        raw = body if isinstance(body, str | bytes) else json.dumps(body)
        return self._client.generic(
            method,
            f"/v1/{path}",
            b"" if body is None else raw,
            more.pop("content_type", "application/json"),
            headers=headers,
            **more,
        )

    def row_at(self, address: str) -> Any:
        return row_of(self.tenant, address)

    def writes(self, content: str, agent: str = "writer", **fields: Any) -> Memory:
        """A shared memory, by the store and past all policies."""
        draft = Draft(content=content, **{"scope": Scope.GLOBAL, **fields})
        with self.inside():
            return store.share(draft, writer=agent_called(agent), by=SYSTEM)


def row_of(tenant: Tenant, address: str) -> Any:
    """A new row of the sort that an address of `/v1` with an id leads to."""
    with within(tenant.pk):
        return _ROWS[address.strip("/").split("/")[1]]()


def _grant() -> AccessGrant:
    return AccessGrant.objects.create(
        grantor_role="planner", resource_scope="team", grantee=agent_called("grantee")
    )


def _memory() -> Memory:
    draft = Draft(content=f"It is there: {uuid.uuid4()}", scope=Scope.GLOBAL)
    return store.share(draft, writer=agent_called("writer"), by=SYSTEM)


def _webhook() -> Webhook:
    url = "https://93.184.216.34/"  # an address of the Internet: nobody looks it up
    return Webhook.objects.create(url=url, events=["memory.written"], secret=b"x")


_ROWS: dict[str, Callable[[], Any]] = {
    "memory": _memory,
    "keys": lambda: Token.objects.issue(kind=Token.Kind.ORGANISATION, name="x")[0],
    "teams": lambda: Team.objects.create(name=f"team {uuid.uuid4()}"),
    "policies": lambda: ConflictPolicy.objects.create(policy="ignore", workflow=str(uuid.uuid4())),
    "grants": _grant,
    "webhooks": _webhook,
}
KINDS_WITH_ID = frozenset(_ROWS)
