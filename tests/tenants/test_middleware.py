"""Who may enter a tenant, under which prefix, inside which block."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Agent
from tenants.context import within
from tenants.models import AuditEntry, Role, Tenant
from tests.factories import make_agent, make_member, make_tenant, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.tenants.urls")]


def tenant_with(slug: str, agent: str) -> Tenant:
    tenant = make_tenant(slug)
    with within(tenant.pk):
        make_agent(agent)
    return tenant


def member_of(tenant: Tenant, role: Role = Role.ADMIN, *, user: Any = None) -> Any:
    user = user or make_user()
    with within(tenant.pk):
        make_member(role, user=user)
    return user


@pytest.fixture
def north() -> Tenant:
    return tenant_with("north", "ava")


@pytest.fixture
def south() -> Tenant:
    return tenant_with("south", "bo")


def signed_in(user: Any) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def test_a_member_works_inside_the_tenant_and_sees_its_rows_only(
    north: Tenant, south: Tenant
) -> None:
    client = signed_in(member_of(north, Role.EDITOR))
    assert client.get("/t/north/shown/").json() == {
        "inside": north.pk,
        "tenant": north.pk,
        "role": "editor",
        "link": "/t/north/admin/",
        "agents": ["ava"],
    }


def test_the_prefix_does_not_stay_behind(north: Tenant) -> None:
    signed_in(member_of(north)).get("/t/north/shown/")
    assert reverse("admin:index") == "/admin/"


@pytest.mark.parametrize("path", ["shown/", "own/", "own-post/", "admin/", "nowhere/"])
def test_foreign_and_unknown_tenants_answer_alike(north: Tenant, south: Tenant, path: str) -> None:
    client = signed_in(member_of(north))
    foreign, unknown = client.get(f"/t/south/{path}"), client.get(f"/t/no-such/{path}")
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content.replace(b"south", b"") == unknown.content.replace(b"no-such", b"")


@pytest.mark.parametrize("slug", ["north", "no-such"])
def test_anonymous_goes_to_the_sign_in_under_the_prefix(north: Tenant, slug: str) -> None:
    answer = Client().get(f"/t/{slug}/shown/?page=2")
    assert answer.status_code == 302
    assert answer["Location"] == f"/t/{slug}/sign-in/?next=/t/{slug}/shown/%3Fpage%3D2"
    assert Client().get(answer["Location"]).status_code == 200


def test_anonymous_writes_are_not_redirected(north: Tenant) -> None:
    assert Client().post("/t/north/writes/?slug=x&status=200").status_code == 404
    with within(north.pk):
        assert not Agent.objects.filter(slug="x").exists()


@pytest.mark.parametrize(
    ("query", "kept"),
    [("status=200", True), ("status=302", True), ("status=400", False), ("status=409", False),
     ("status=200&raise=1", False)],
)  # fmt: skip
def test_an_answer_of_400_or_more_takes_its_writes_back(
    north: Tenant, query: str, kept: bool
) -> None:
    signed_in(member_of(north)).get(f"/t/north/writes/?slug=made&{query}")
    with within(north.pk):
        assert Agent.objects.filter(slug="made").exists() == kept


def test_a_marked_view_runs_outside_the_block(north: Tenant) -> None:
    client = signed_in(member_of(north))
    assert client.get("/t/north/own/").json()["inside"] is None
    assert client.get("/t/north/own/").json()["agents"] == []
    assert client.get("/t/north/own/").json()["tenant"] == north.pk
    assert client.post("/t/north/own-post/").json()["inside"] is None
    assert client.get("/t/north/own-post/").json()["inside"] == north.pk


def test_a_superuser_enters_as_admin_and_each_entering_is_audited_once(
    north: Tenant, south: Tenant
) -> None:
    client = signed_in(make_user(is_superuser=True, is_staff=True))
    for slug in ("north", "north", "south", "north"):
        assert client.get(f"/t/{slug}/shown/").json()["role"] == "admin"

    def entries(tenant: Tenant) -> int:
        with within(tenant.pk):
            return AuditEntry.objects.filter(verb="tenant.entered_by_operator").count()

    assert (entries(north), entries(south)) == (2, 1)
    assert client.get("/t/no-such/shown/").status_code == 404


def test_a_superuser_with_a_membership_has_its_role_and_no_entry(north: Tenant) -> None:
    user = member_of(north, Role.VIEWER, user=make_user(is_superuser=True))
    assert signed_in(user).get("/t/north/shown/").json()["role"] == "viewer"
    with within(north.pk):
        assert not AuditEntry.objects.exists()


def test_without_the_prefix_a_page_goes_to_the_only_or_last_tenant(
    north: Tenant, south: Tenant
) -> None:
    user = member_of(north)
    client = signed_in(user)
    assert client.get("/shown/?a=1")["Location"] == "/t/north/shown/?a=1"
    assert client.get("/admin/")["Location"] == "/t/north/admin/"
    member_of(south, user=user)
    client.get("/t/south/shown/")
    assert client.get("/shown/")["Location"] == "/t/south/shown/"
    assert client.post("/shown/").status_code == 404
    assert client.get("/home/").content == b"home"


def test_a_lost_membership_is_not_gone_back_to(north: Tenant, south: Tenant) -> None:
    user = member_of(north)
    member_of(south, user=user)
    client = signed_in(user)
    client.get("/t/south/shown/")
    with within(south.pk):
        user.memberships.all().delete()
    assert client.get("/t/south/shown/").status_code == 404
    assert client.get("/shown/")["Location"] == "/t/north/shown/"


def test_without_a_tenant_and_a_session_one_signs_in_first() -> None:
    assert Client().get("/shown/")["Location"] == "/sign-in/?next=/shown/"
    assert signed_in(make_user()).get("/shown/").status_code == 404


def test_the_missing_slash_is_added_under_the_prefix(north: Tenant) -> None:
    client = signed_in(member_of(north))
    assert client.get("/t/north/shown")["Location"] == "/t/north/shown/"
    assert client.get("/t/north")["Location"] == "/t/north/"
