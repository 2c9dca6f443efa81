"""Approve and reject in the admin: each item through its verb, at most 200, results in words."""

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client

from memory.models import Memory, Mutation
from tenants.models import AuditEntry, Role
from tests.factories import World, make_draft, make_member, make_memory, make_mutation, make_visitor

# The verbs open the outermost transaction, so the test must not hold one around them.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world() -> World:
    return World()


def signed_in(world: World, role: Role = Role.ADMIN) -> Client:
    with world.inside():
        user = User.objects.get(pk=make_member(role).user_id or 0)
    client = Client()
    client.force_login(user)
    return client


def act(
    world: World, client: Client, action: str, picked: list[int], across: bool = False
) -> list[str]:
    path = f"/t/{world.tenant.slug}/admin/memory/mutation/"
    data = {"action": action, "_selected_action": picked, "select_across": int(across)}
    answer = client.post(path, data)
    assert answer.status_code == 302, answer.content.decode()[:500]
    return [str(message) for message in get_messages(answer.wsgi_request)]


def states(world: World) -> dict[int, str]:
    with world.inside():
        return dict(Mutation.objects.values_list("pk", "resolution"))


def test_each_is_decided_by_itself_and_tells_its_result(world: World) -> None:
    with world.inside():
        good = make_mutation(world.agent, world.visitor)
        decided = make_mutation(world.agent, world.visitor)
        memory = make_memory(world.agent, world.visitor)
        orphan = make_mutation(world.agent, world.visitor, operation="delete", target=memory)
        Memory.objects.filter(pk=memory.pk).update(version=9)
    act(world, signed_in(world), "reject_selected", [decided.pk])
    told = act(world, signed_in(world), "approve_selected", [good.pk, decided.pk, orphan.pk])
    assert told[0] == "1 approved."
    assert told[1].startswith(f"Mutation {decided.pk}: Already rejected by ")
    assert told[2].startswith(f"Mutation {orphan.pk}: Its memory has changed since it was proposed")
    assert states(world) == {good.pk: "approved", decided.pk: "rejected", orphan.pk: "stale"}
    with world.inside():
        verbs = AuditEntry.objects.filter(subject="mutation").values_list("verb", flat=True)
        assert sorted(verbs) == ["mutation.approved", "mutation.rejected", "mutation.stale"]
    assert connection.in_atomic_block is False


def test_more_than_two_hundred_are_refused_with_a_link_to_the_queue(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.interfaces.admin.mutations.MOST", 2)
    with world.inside():
        made = [make_mutation(world.agent, make_visitor()).pk for _ in range(3)]
    told = act(world, signed_in(world), "approve_selected", made[:1], across=True)
    assert f"/t/{world.tenant.slug}/review/" in told[0]
    assert set(states(world).values()) == {""}
    assert act(world, signed_in(world), "approve_selected", made[:2]) == ["2 approved."]


def test_an_editor_is_told_what_an_admin_decides(world: World) -> None:
    with world.inside():
        wide = make_mutation(world.agent, draft=make_draft("For all"))
    told = act(world, signed_in(world, Role.EDITOR), "approve_selected", [wide.pk])
    assert told == [
        f"Mutation {wide.pk}: This mutation is decided by an admin or owner, signed in."
    ]
    assert states(world) == {wide.pk: ""}


def test_a_viewer_has_no_actions(world: World) -> None:
    with world.inside():
        row = make_mutation(world.agent, world.visitor)
    client = signed_in(world, Role.VIEWER)
    page = client.get(f"/t/{world.tenant.slug}/admin/memory/mutation/").content.decode()
    assert "approve_selected" not in page
    path = f"/t/{world.tenant.slug}/admin/memory/mutation/"
    client.post(path, {"action": "approve_selected", "_selected_action": [row.pk]})
    assert states(world) == {row.pk: ""}


@pytest.mark.parametrize("made_up", ["", "x", "\0", "1-1", "[1]", "9" * 30])
def test_a_selection_of_what_is_no_row_is_malformed_or_nothing(world: World, made_up: str) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    answer = signed_in(world).post(
        f"/t/{world.tenant.slug}/admin/memory/mutation/",
        {"action": "approve_selected", "_selected_action": [str(mutation.pk), made_up]},
    )
    with world.inside():
        if made_up.isdigit():  # a number, but nobody's: the others are what was selected
            assert (answer.status_code, Memory.objects.count()) == (302, 1)
        else:
            assert (answer.status_code, Memory.objects.count()) == (400, 0)
