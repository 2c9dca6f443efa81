"""A tenant with people to remember, somebody signed in by role, and a stubbed embedder."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Visitor
from memory.models import Category, Memory
from tenants.models import AuditEntry, Role, Token
from tests.factories import make_agent, make_key, make_member, make_user, make_visitor
from tests.orgs import Org, stub_embedding


class Peopled(Org):
    """`on` is an address under the prefix, `client` somebody signed in."""

    def on(self, path: str = "") -> str:
        return f"/t/{self.tenant.slug}/{path}"

    @property
    def tab(self) -> str:
        return self.on(f"agents/{self.agent.slug}/memory/")

    @property
    def people(self) -> str:
        return self.tab + "people/"

    @property
    def theirs(self) -> str:
        return self.on(f"memory/people/{self.visitor.pk}/")

    def again(self) -> "Peopled":
        """With another person and agent, for one more try."""
        with self.inside():
            self.visitor, self.agent = make_visitor(), make_agent()
        return self

    def client(self, role: Role | str = "admin", *, is_person: bool = False) -> Client:
        """With `is_person` the member is this world's visitor (G14)."""
        with self.inside():
            user_id = make_member(role).user_id
            if is_person:
                Visitor.objects.filter(pk=self.visitor.pk).update(user_id=user_id)
        client = Client()
        client.force_login(User.objects.get(pk=user_id or 0))
        return client

    def guest(self) -> Client:
        """Signed in, linked to this world's visitor, and member of nothing."""
        user = make_user()
        with self.inside():
            Visitor.objects.filter(pk=self.visitor.pk).update(user_id=user.pk)
        client = Client()
        client.force_login(user)
        return client

    def person_key(self, **fields: Any) -> str:
        with self.inside():
            return make_key(kind=Token.Kind.PERSON, visitor_id=self.visitor.pk, **fields)

    def by_link(self, key: str | None = None) -> Client:
        client = Client()
        client.post("/memory/person/enter/", {"token": key or self.person_key()})
        return client

    def texts(self, **narrowed: Any) -> list[str]:
        with self.inside():
            rows = Memory.objects.live().filter(**narrowed)
            return sorted(rows.values_list("content", flat=True))

    def category(self, slug: str = "preferences") -> Category:
        with self.inside():
            return next(c for c in Category.objects.of(self.agent.pk) if c.slug == slug)

    def at_time(self, memory: Memory, moment: Any) -> None:
        with self.inside():
            Memory.objects.filter(pk=memory.pk).update(created_at=moment)

    def verbs(self, verb: str) -> list[AuditEntry]:
        with self.inside():
            return list(AuditEntry.objects.filter(verb=verb).order_by("pk"))


@pytest.fixture
def org(db: None) -> Iterator[Peopled]:
    with stub_embedding():
        yield Peopled()


@pytest.fixture
def other(org: Peopled) -> Peopled:
    return Peopled("other", person="stranger")
