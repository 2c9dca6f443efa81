"""A tenant as `/v1` sees it: its keys, and calls with them."""

import json
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from memory import store
from memory.models import Draft, Memory, Scope
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tenants.models import Role, Token
from tests.factories import World, make_key, make_member

MEMBERS = tuple(Role)


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

    def writes(self, content: str, agent: str = "writer", **fields: Any) -> Memory:
        """A shared memory, by the store and past all policies."""
        draft = Draft(content=content, **{"scope": Scope.GLOBAL, **fields})
        with self.inside():
            return store.share(draft, writer=agent_called(agent), by=SYSTEM)
