"""A tenant as contract 2 sees it: every kind of credential, and calls under its routes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent, Visitor
from memory import store
from memory.models import Category, Draft, Memory
from memory.providers.door import using
from tenants.actor import SYSTEM, Actor
from tenants.models import Role, Token
from tests.factories import World, make_key, make_member, make_user
from tests.fakes import StubEmbedder

CREDENTIALS = ("viewer", "editor", "admin", "owner", "organisation", "narrowed", "person")


@contextmanager
def stub_embedding() -> Iterator[StubEmbedder]:
    embedder = StubEmbedder()
    with using(embedder=embedder):
        yield embedder


class Org(World):
    """`call` asks a route under `orgs/{org}/` as somebody; `api` is its first part."""

    def __init__(self, slug: str = "acme", *, person: str = "user123") -> None:
        super().__init__(slug)
        self.api = f"/api/ai-agent/orgs/{self.tenant.slug}/"
        with self.inside():
            Visitor.objects.filter(pk=self.visitor.pk).update(host_id=person)
            self.visitor.refresh_from_db()
        self.keys: dict[str, str] = {}

    def key(self, who: str = "organisation") -> str:
        """A credential of this kind, one and the same for a test."""
        if who not in self.keys:
            with self.inside():
                self.keys[who] = self._made(who)
        return self.keys[who]

    @cached_property
    def _client(self) -> Client:
        """One for all calls: each new one loads the middleware, and with it all static files."""
        return Client(raise_request_exception=False)

    @cached_property
    def browser(self) -> Client:
        """The admin, signed in."""
        client = Client(raise_request_exception=False)
        with self.inside():
            client.force_login(User.objects.get(pk=self.admin.user_id or 0))
        return client

    def _made(self, who: str) -> str:
        if who == "organisation":
            return make_key(name="site")
        if who == "narrowed":
            return make_key(name="site of one agent", agent_id=self.agent.pk)
        if who == "person":
            return make_key(kind=Token.Kind.PERSON, visitor_id=self.visitor.pk)
        return self.member_key(make_user(), Role(who))

    def member_key(self, user: User, role: Role) -> str:
        make_member(role, user=user)
        return make_key(
            kind=Token.Kind.MEMBER, user_id=user.pk, expires_at="2999-01-01T00:00:00+00:00"
        )

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        who: str = "organisation",
        key: str | None = None,
        **asked: Any,
    ) -> Any:
        """`path` under `api`, or absolute; `asked` goes into the address."""
        raw = body if isinstance(body, str) else json.dumps(body)
        more: dict[str, Any] = {} if body is None else {"data": raw}
        if asked:
            more["query_params"] = asked
        return self._client.generic(
            method,
            path if path.startswith(("/", "http")) else self.api + path,
            content_type="application/json",
            headers={"Authorization": f"Token {key or self.key(who)}"},
            **more,
        )

    def get(self, path: str, **more: Any) -> Any:
        return self.call("GET", path, **more)

    # --- rows, inside a block of their own ----------------------------------------------------

    def about(
        self,
        visitor: Visitor,
        content: str,
        *,
        agent: Agent | None = None,
        category: str = "preferences",
        auto: bool = True,
        session: str | None = None,
    ) -> Memory:
        """A memory of a person: of one agent, or without one of every agent."""
        with self.inside():
            if agent is not None:
                Category.objects.of(agent.pk)
            new = store.New(
                Memory.Kind.PERSON,
                Draft(content=content, label="general")
                if agent is None
                else Draft(content=content, category=category),
                agent_id=agent.pk if agent is not None else None,
                visitor_id=visitor.pk,
                source={} if session is None else {"conversation": session},
                is_auto_generated=auto,
            )
            (memory,) = store.add_many([new], tenant_id=self.tenant.pk, by=SYSTEM)
        return memory

    def knows(self, content: str, *, agent: Agent | None = None) -> Memory:
        """Agent knowledge, written by the admin."""
        assert self.admin.user_id is not None
        with self.inside():
            return store.add(
                tenant_id=self.tenant.pk,
                kind=Memory.Kind.KNOWLEDGE,
                agent_id=(agent or self.agent).pk,
                visitor_id=None,
                draft=Draft(content=content),
                by=Actor.user(self.admin.user_id),
            )

    def at(self, memory: Memory, moment: str) -> Memory:
        """As if it had been made then."""
        with self.inside():
            Memory.objects.filter(pk=memory.pk).update(created_at=moment)
        return memory
