"""The list of agents, the page of one, and the public conversation page."""

import uuid

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Agent
from memory.models import Memory
from tenants.models import AuditEntry
from tests.factories import World, make_agent, make_member, make_memory, make_mutation
from tests.markup import unsafe

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def signed_in(world: World, role: str = "admin") -> Client:
    with world.inside():
        user = User.objects.get(pk=make_member(role).user_id or 0)
    client = Client()
    client.force_login(user)
    return client


def at(world: World, path: str = "") -> str:
    return f"/t/{world.tenant.slug}/agents/{path}"


def test_the_list_counts_what_waits_and_what_is_stored(world: World) -> None:
    with world.inside():
        quiet = make_agent("quiet", memory=False)
        for _ in range(3):
            make_mutation(world.agent, world.visitor)
        make_memory(world.agent, world.visitor)
        gone = make_memory(world.agent, world.visitor)
        Memory.objects.filter(pk=gone.pk).update(
            deleted_at=gone.created_at, closed_because="deleted"
        )
    page = signed_in(world).get(at(world)).content.decode()
    own = page.split(f">{world.agent.slug}</code>")[1].split("</li>")[0]
    assert "3 pending" in own
    assert "1 stored" in own
    assert "memory off" in page.split(f">{quiet.slug}</code>")[1].split("</li>")[0]


def test_the_list_asks_the_same_for_one_agent_and_for_twenty(world: World) -> None:
    client = signed_in(world)
    client.get(at(world))
    counts = []
    for more in (0, 20):
        with world.inside():
            for _ in range(more):
                make_mutation(make_agent(), world.visitor)
        with CaptureQueriesContext(connection) as queries:
            client.get(at(world))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_setup_is_saved_and_audited_by_name_of_field(world: World) -> None:
    client = signed_in(world, "editor")
    path = at(world, f"{world.agent.slug}/")
    form = {"name": "Ava <b>", "instructions": "Be kind.", "mode": "reviewed"}
    assert client.post(path, form).status_code == 302
    with world.inside():
        agent = Agent.objects.get(pk=world.agent.pk)
        entry = AuditEntry.objects.get(verb="agent.changed")
    assert (agent.name, agent.instructions, agent.memory_enabled) == ("Ava <b>", "Be kind.", False)
    assert set(entry.detail["fields"]) == {"name", "instructions", "memory_enabled"}
    page = client.get(path).content.decode()
    assert "Ava &lt;b&gt;" in page
    assert unsafe(page) == []


def test_a_faulty_setup_says_so_and_saves_nothing(world: World) -> None:
    form = {"name": "", "instructions": "typed", "mode": "automatic"}
    answer = signed_in(world).post(at(world, f"{world.agent.slug}/"), form)
    assert answer.status_code == 400
    assert "typed" in answer.content.decode()
    with world.inside():
        assert Agent.objects.get(pk=world.agent.pk).mode == "reviewed"


def test_a_viewer_reads_and_cannot_save(world: World) -> None:
    client = signed_in(world, "viewer")
    path = at(world, f"{world.agent.slug}/")
    page = client.get(path).content.decode()
    assert "<fieldset disabled>" in page
    assert ">Save<" not in page
    answer = client.post(path, {"name": "x", "instructions": "", "mode": "reviewed"})
    assert answer.status_code == 403


def test_memory_off_shows_no_panel(world: World) -> None:
    with world.inside():
        quiet = make_agent(memory=False)
    page = signed_in(world).get(at(world, f"{quiet.slug}/")).content.decode()
    assert (
        "Agent learns from past conversations and recalls relevant context for each visitor."
        in (page)
    )
    assert "Pending Mutations" not in page


def test_another_tenants_agent_does_not_exist(world: World) -> None:
    other = World()
    assert signed_in(world).get(at(world, f"{other.agent.slug}/")).status_code == 404


# --- the conversation ------------------------------------------------------------------------


def test_anybody_may_open_the_conversation_and_frame_it(world: World) -> None:
    answer = Client().get(f"/widget/{world.agent.uid}/")
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "X-Frame-Options" not in answer.headers
    page = answer.content.decode()
    assert f'data-chat="/api/public/agents/{world.agent.uid}/chat"' in page
    assert unsafe(page) == []


def test_a_conversation_with_nobody_is_not_found(world: World) -> None:
    assert Client().get(f"/widget/{uuid.uuid4()}/").status_code == 404
    assert Client().post(f"/widget/{world.agent.uid}/").status_code == 405


def test_only_the_conversation_may_be_framed(world: World) -> None:
    client = signed_in(world)
    for path in (at(world), f"/t/{world.tenant.slug}/review/", f"/t/{world.tenant.slug}/admin/"):
        policy = client.get(path).headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
