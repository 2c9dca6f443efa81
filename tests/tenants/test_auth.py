"""A header becomes a caller, or a reason that says nothing about the key."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.http import HttpHeaders
from django.test.utils import CaptureQueriesContext

from tenants.auth import NotAuthenticated, authenticate
from tenants.context import within
from tenants.models import Membership, Role, Tenant, Token
from tests import factories
from tests.factories import make_agent, make_member, make_tenant, make_user, make_visitor

pytestmark = pytest.mark.django_db


def ago(minutes: float) -> object:
    return Now() - timedelta(minutes=minutes)


def headers(value: str) -> HttpHeaders:
    return HttpHeaders({"HTTP_AUTHORIZATION": value})


def make_key(tenant: Tenant, **fields: Any) -> str:
    with within(tenant.pk):
        return factories.make_key(**fields)


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.mark.parametrize("scheme", ["Token", "Api-Token", "Bearer", "bearer", "API-TOKEN"])
def test_three_schemes_are_one_header(tenant: Tenant, scheme: str) -> None:
    caller = authenticate(headers(f"{scheme} {make_key(tenant)}"))
    assert (caller.tenant_id, caller.sort) == (tenant.pk, "organisation")
    assert not caller.is_member


def test_a_key_carries_what_narrows_it(tenant: Tenant) -> None:
    with within(tenant.pk):
        agent, visitor = make_agent(), make_visitor()
    narrowed = authenticate(headers("Bearer " + make_key(tenant, agent_id=agent.pk)))
    assert narrowed.agent_id == agent.pk
    person = authenticate(
        headers("Bearer " + make_key(tenant, kind="person", visitor_id=visitor.pk))
    )
    assert (person.sort, person.visitor_id) == ("person", visitor.pk)


def test_a_members_token_has_the_members_present_rights(tenant: Tenant) -> None:
    user = make_user()
    with within(tenant.pk):
        make_member(Role.ADMIN, user=user)
    key = make_key(tenant, kind="member", user=user, expires_at=ago(-60))
    assert authenticate(headers("Bearer " + key)).may_decide("org-admin")
    with within(tenant.pk):
        Membership.objects.update(role=Role.EDITOR)
    assert not authenticate(headers("Bearer " + key)).may_decide("org-admin")
    user.is_active = False
    user.save()
    with pytest.raises(NotAuthenticated):
        authenticate(headers("Bearer " + key))
    user.is_active = True
    user.save()
    with within(tenant.pk):
        Membership.objects.all().delete()
    with pytest.raises(NotAuthenticated):
        authenticate(headers("Bearer " + key))


@pytest.mark.parametrize("field", ["revoked_at", "expires_at"])
def test_revoked_and_expired_keys_fail_like_unknown_ones(tenant: Tenant, field: str) -> None:
    key = make_key(tenant, **{field: ago(0.01)})
    said = set()
    for each in (key, "ksk_" + "x" * 43):
        with pytest.raises(NotAuthenticated) as caught:
            authenticate(headers("Bearer " + each))
        said.add(str(caught.value))
    assert len(said) == 1


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "ksk_abc", "Bearer a b",
              "Bearer " + "x" * 5000, "Bearer \x00", "Bearer Zoë"],
)  # fmt: skip
def test_anything_else_is_refused_without_repeating_it(value: str) -> None:
    with pytest.raises(NotAuthenticated) as caught:
        authenticate(headers(value))
    words = [word for word in value.split() if len(word) > 6]
    assert not any(word in str(caught.value) for word in words)


def test_last_used_is_written_at_most_once_a_minute(tenant: Tenant) -> None:
    key = make_key(tenant)

    def used() -> Token:
        with CaptureQueriesContext(connection) as queries:
            authenticate(headers("Bearer " + key))
        updates.append(sum("UPDATE" in query["sql"] for query in queries))
        with within(tenant.pk):
            return Token.objects.get()

    updates: list[int] = []
    first = used()
    assert used().last_used_at == first.last_used_at is not None
    with within(tenant.pk):
        Token.objects.update(last_used_at=ago(1.5))
    assert used().last_used_at is not None
    assert updates == [1, 0, 1]
