"""A world with somebody signed in."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tenants.models import Role
from tests.factories import World, make_member


class Pages(World):
    """Addresses under the tenant's prefix, and clients signed in by role."""

    def at(self, path: str = "review/") -> str:
        return f"/t/{self.tenant.slug}/{path}"

    def client(self, role: Role | str = Role.ADMIN) -> Client:
        with self.inside():
            caller = make_member(role)
        assert caller.user_id is not None
        client = Client()
        client.force_login(User.objects.get(pk=caller.user_id or 0))
        return client


@pytest.fixture
def world() -> Pages:
    return Pages()
