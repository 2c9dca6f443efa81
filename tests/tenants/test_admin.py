"""Rights in the admin come from the membership; its lists are constant, audited and harmless."""

import re
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Agent, Visitor
from memory.models import Draft, Memory, Mutation, Observation
from tenants.admin import BoundedPaginator, OperatorAdmin, TenantAdmin, site
from tenants.models import AuditEntry, Membership, Role, Tenant
from tests.factories import (
    World,
    make_conversation,
    make_draft,
    make_member,
    make_memory,
    make_mutation,
    make_observation,
    make_user,
    make_visitor,
)
from tests.markup import text_of, unsafe

pytestmark = pytest.mark.django_db
ROLES = list(Role)
ADMINS_ONLY = {"tenants.membership", "tenants.token", "tenants.auditentry", "tenants.auditseal"}
ADMINS_ONLY |= {"memory.accessgrant", "memory.conflictpolicy", "memory.tenantkey"}
ADMINS_ONLY |= {"memory.erasure", "memory.webhook", "memory.delivery", "memory.attempt"}
ADMINS_ONLY |= {"agents.inboundhook"}
CHANGE = {  # who may change rows by hand; everything else is read-only for everybody
    "agents.agent": {Role.OWNER, Role.ADMIN, Role.EDITOR},
    "tenants.tenant": {Role.OWNER, Role.ADMIN},
    "tenants.membership": {Role.OWNER, Role.ADMIN},
    "memory.team": {Role.OWNER, Role.ADMIN},
    "memory.listener": {Role.OWNER, Role.ADMIN},
    "agents.inboundhook": {Role.OWNER, Role.ADMIN},
    "agents.scheduledrun": {Role.OWNER, Role.ADMIN, Role.EDITOR},
    "memory.sharedagent": {Role.OWNER, Role.ADMIN},
}
ADD = {"agents.agent", "tenants.membership", "memory.team"}
ADD |= {"memory.listener", "agents.inboundhook", "agents.scheduledrun"}


@pytest.fixture
def world() -> World:
    return World()


def signed_in(world: World, role: Role | None) -> Client:
    """By role; None is a superuser who is no member."""
    client = Client()
    if role is None:
        user = make_user(is_superuser=True, is_staff=True)
    else:
        with world.inside():
            user = User.objects.get(pk=make_member(role).user_id or 0)
    client.force_login(user)
    return client


def at(world: World, path: str = "") -> str:
    return f"/t/{world.tenant.slug}/admin/{path}"


def models() -> list[tuple[str, str, bool]]:
    """(label, path, belongs to the installation) of every registered model."""
    return sorted(
        (m._meta.label_lower, m._meta.label_lower.replace(".", "/"), isinstance(a, OperatorAdmin))
        for m, a in site._registry.items()
    )


def a_row_of_each(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
        make_mutation(
            world.agent, world.visitor, operation="modify", draft=Draft(content="x"), target=memory
        )
        make_conversation(world.agent, world.visitor, "user: hi", "assistant: hello")


@pytest.mark.parametrize("role", [*ROLES, None])
def test_what_each_role_sees_and_may_change(world: World, role: Role | None) -> None:
    a_row_of_each(world)
    client = signed_in(world, role)
    for label, path, is_installation in models():
        acts_as = role or Role.ADMIN  # an operator without membership acts as admin
        if is_installation:
            sees = role is None
        else:
            sees = label not in ADMINS_ONLY or acts_as in (Role.OWNER, Role.ADMIN)
        assert client.get(at(world, f"{path}/")).status_code == (200 if sees else 403), label
        if is_installation:
            continue
        adds = label in ADD and acts_as in CHANGE[label]
        assert client.get(at(world, f"{path}/add/")).status_code == (200 if adds else 403), label


@pytest.mark.parametrize("role", [*ROLES, None])
def test_only_named_nouns_have_fields_to_fill_in(world: World, role: Role | None) -> None:
    a_row_of_each(world)
    client = signed_in(world, role)
    acts_as = role or Role.ADMIN
    for model, record in site._registry.items():
        if not isinstance(record, TenantAdmin):
            continue
        label = model._meta.label_lower
        with world.inside():
            row = model._default_manager.order_by("pk").first()
        if row is None or (label in ADMINS_ONLY and acts_as not in (Role.OWNER, Role.ADMIN)):
            continue
        page = client.get(at(world, f"{label.replace('.', '/')}/{row.pk}/change/"))
        assert page.status_code == 200, label
        assert (b'name="_save"' in page.content) == (acts_as in CHANGE.get(label, ())), label
        assert unsafe(page.content.decode()) == []


def test_outside_a_membership_there_is_no_admin(world: World) -> None:
    stranger = Client()
    stranger.force_login(make_user(is_staff=True))
    assert stranger.get(at(world)).status_code == 404
    assert "/sign-in/" in Client().get(at(world))["Location"]


def test_djangos_own_permissions_give_nothing_in_a_tenant(world: World) -> None:
    from django.contrib.auth.models import Permission

    client = signed_in(world, Role.VIEWER)
    user = User.objects.order_by("-pk").first()
    assert user is not None
    user.user_permissions.set(Permission.objects.all())
    assert client.get(at(world, "agents/agent/add/")).status_code == 403
    assert client.get(at(world, "auth/user/")).status_code == 403


def test_a_row_of_another_tenant_is_not_there(world: World) -> None:
    other = World()
    answer = signed_in(world, Role.OWNER).get(at(world, f"agents/agent/{other.agent.pk}/change/"))
    assert answer.status_code == 302  # Django's own: a message, back to the index
    page = signed_in(world, Role.OWNER).get(at(world, "agents/agent/")).content.decode()
    assert other.agent.slug not in page


@pytest.mark.parametrize("model", ["memory/mutation", "memory/memory", "memory/observation"])
def test_lists_ask_the_same_whatever_their_length_and_fetch_no_vector(
    world: World, model: str
) -> None:
    client = signed_in(world, Role.ADMIN)
    client.get(at(world, f"{model}/"))
    counts = []
    for more in (2, 20):
        with world.inside():
            for _ in range(more):
                visitor = make_visitor()
                memory = make_memory(world.agent, visitor)
                draft = Draft(content="x")
                make_mutation(world.agent, visitor, operation="modify", draft=draft, target=memory)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(at(world, f"{model}/?q=x")).status_code == 200
        counts.append(len(queries))
        columns = " ".join(q["sql"].split(" FROM ")[0] for q in queries)
        assert not re.search(r'"(?:statement_|evidence_)?vector"', columns)
    assert counts[0] == counts[1] <= 20


def test_a_long_list_is_counted_to_a_bound(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenants.admin.COUNT_TO", 3)
    with world.inside():
        for _ in range(5):
            make_visitor()
        assert BoundedPaginator(Visitor.objects.order_by("pk"), 2).count == 3


def test_strangers_text_is_text_in_lists_details_and_messages(world: World) -> None:
    client = signed_in(world, Role.ADMIN)
    for text in (
        "<img src=x onerror=alert(1)>",
        "q' onmouseover='alert(1)",
        "</script ><script>alert(1)</script>",
        "javascript:alert(1)",
    ):
        with world.inside():
            visitor = make_visitor(text)
            memory = make_memory(world.agent, visitor, text, source={"note": text, "url": text})
            mutation = make_mutation(world.agent, visitor, draft=make_draft(text), reasoning=text)
            make_conversation(world.agent, visitor, f"user: {text}")
        lists = ("memory/mutation", "memory/memory", "memory/observation", "agents/message")
        pages = [*(f"{name}/" for name in lists), "agents/visitor/"]
        pages += [f"memory/memory/{memory.pk}/change/", f"memory/mutation/{mutation.pk}/change/"]
        pages += [f"memory/mutation/{mutation.pk}/history/"]
        for path in pages:
            html = client.get(at(world, path)).content.decode()
            assert unsafe(html) == [], path
            if "history" not in path:
                assert text in text_of(html).replace('\\"', '"'), path


# --- editing is audited ------------------------------------------------------------------------


def entries(world: World) -> list[tuple[str, dict[str, Any]]]:
    with world.inside():
        return list(AuditEntry.objects.order_by("pk").values_list("verb", "detail"))


def test_a_change_goes_to_the_audit_and_not_to_djangos_log(world: World) -> None:
    client = signed_in(world, Role.EDITOR)
    path = at(world, f"agents/agent/{world.agent.pk}/change/")
    form = {"slug": world.agent.slug, "name": "Renamed <b>", "instructions": "", "mode": "reviewed"}
    assert client.post(path, form).status_code == 302
    with world.inside():
        assert Agent.objects.get(pk=world.agent.pk).name == "Renamed <b>"
    verb, detail = entries(world)[-1]
    assert verb == "agent.changed"
    assert "Renamed" not in str(detail)
    assert set(detail["fields"]) >= {"Name"}
    assert not LogEntry.objects.exists()
    page = client.get(at(world, f"agents/agent/{world.agent.pk}/history/")).content.decode()
    assert "agent.changed" in page


def test_a_viewer_cannot_post_a_change(world: World) -> None:
    client = signed_in(world, Role.VIEWER)
    form = {"slug": "x", "name": "x", "instructions": "", "mode": "reviewed"}
    path = at(world, f"agents/agent/{world.agent.pk}/change/")
    assert client.post(path, form).status_code == 403
    with world.inside():
        assert Agent.objects.get(pk=world.agent.pk).name == world.agent.name


def test_only_owners_make_owners_and_the_last_one_stays(world: World) -> None:
    with world.inside():
        owner = make_member(Role.OWNER)
        own = Membership.objects.get(user_id=owner.user_id or 0)
        other = Membership.objects.get(user_id=make_member(Role.EDITOR).user_id or 0)
    admin, boss = signed_in(world, Role.ADMIN), Client()
    boss.force_login(User.objects.get(pk=owner.user_id or 0))

    def to(client: Client, row: Membership, role: Role) -> int:
        path = at(world, f"tenants/membership/{row.pk}/change/")
        return client.post(path, {"role": role}).status_code

    def now(row: Membership) -> str:
        with world.inside():
            return Membership.objects.get(pk=row.pk).role

    to(admin, other, Role.OWNER)
    assert now(other) == Role.EDITOR
    assert to(admin, own, Role.VIEWER) == 403
    assert to(boss, own, Role.VIEWER) == 403
    assert now(own) == Role.OWNER
    assert (
        boss.post(at(world, f"tenants/membership/{own.pk}/delete/"), {"post": "yes"}).status_code
        == 403
    )
    to(boss, other, Role.OWNER)
    assert now(other) == Role.OWNER
    assert to(boss, own, Role.VIEWER) == 302


def test_a_new_member_is_named_and_accounts_are_not_listed(world: World) -> None:
    make_user("somebody-elsewhere")
    make_user("joins")
    make_user("left", is_active=False)
    client, path = signed_in(world, Role.ADMIN), at(world, "tenants/membership/add/")
    assert b"somebody-elsewhere" not in client.get(path).content

    def tell(name: str, role: str = "editor") -> str:
        return client.post(path, {"username": name, "role": role}).content.decode()

    assert "There is no such account." in tell("nobody")
    assert "There is no such account." in tell("left")
    assert "Select a valid choice." in tell("joins", Role.OWNER)
    assert tell("joins") == ""
    assert "This account is a member already." in tell("joins")
    with world.inside():
        assert Membership.objects.get(user__username="joins").role == Role.EDITOR


def test_a_tenant_cannot_be_renamed_in_its_address_or_removed(world: World) -> None:
    client = signed_in(world, Role.OWNER)
    path = at(world, f"tenants/tenant/{world.tenant.pk}/")
    form = {"slug": "other", "name": "New name", "audit_days": 365, "scratch_days": 30}
    client.post(f"{path}change/", form | {"traces_days": 30, "memory_enabled": "on"})
    assert client.post(f"{path}delete/", {"post": "yes"}).status_code == 403
    with world.inside():
        tenant = Tenant.objects.get(pk=world.tenant.pk)
    assert (tenant.slug, tenant.name) == (world.tenant.slug, "New name")


def test_labels_of_rows_with_text_are_ids(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "Secret words")
        mutation = make_mutation(world.agent, draft=make_draft("Secret words"))
        observation = make_observation(world.agent, world.visitor, "Secret words")
        rows = [memory, mutation, observation, world.visitor]
    assert not any("Secret" in str(row) or "person-" in str(row) for row in rows)
    assert {type(row) for row in rows} == {Memory, Mutation, Observation, Visitor}


def test_every_noun_of_a_tenant_is_listed() -> None:
    indexes = {"MemoryVector", "Posting", "RateWindow"}  # numbers for machines
    own = ("tenants", "agents", "memory")
    ours = {model for model in apps.get_models() if model._meta.app_label in own}
    assert {model.__name__ for model in ours - set(site._registry)} == indexes
