"""`createagent`: memory on and reviewed unless said otherwise; its UUID on the last line."""

from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from agents.models import Agent
from tenants.directory import tenant_of_agent
from tenants.models import AuditEntry
from tests.factories import World, make_tenant

pytestmark = pytest.mark.django_db


def create(*words: str) -> str:
    out = StringIO()
    call_command("createagent", *words, stdout=out)
    return out.getvalue().splitlines()[-1]


def test_an_agent_remembers_and_is_reviewed_by_default() -> None:
    world = World("acme")
    uid = UUID(create("acme", "ava-2"))
    assert tenant_of_agent(uid) == world.tenant.pk
    with world.inside():
        agent = Agent.objects.get(uid=uid)
        assert (agent.memory_enabled, agent.mode, agent.name) == (True, "reviewed", "Ava 2")
        entry = AuditEntry.objects.get(verb="agent.created")
        assert (entry.actor, entry.subject_id) == ("command", agent.pk)


def test_what_is_asked_for_is_kept() -> None:
    world = World("acme")
    words = ["--memory", "off", "--mode", "automatic", "--name", "Ava", "--instructions", "Be kind"]
    uid = create("acme", "ava", *words)
    with world.inside():
        agent = Agent.objects.get(uid=uid)
    assert (agent.memory_enabled, agent.mode) == (False, "automatic")
    assert (agent.name, agent.instructions) == ("Ava", "Be kind")


def test_the_same_slug_is_taken_in_its_tenant_only() -> None:
    make_tenant("acme")
    make_tenant("other")
    create("acme", "ava")
    create("other", "ava")
    with pytest.raises(CommandError, match="taken"):
        create("acme", "ava")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["nobody", "ava"], "no tenant 'nobody'"),
        (["acme", "a v a"], "expected letters"),
        (["acme", "ava", "--mode", "eager"], "invalid choice"),
        (["acme", "ava", "--instructions", "x" * 20_001], "at most 20000"),
    ],
)
def test_a_refusal_says_what_is_expected(words: list[str], fault: str) -> None:
    make_tenant("acme")
    with pytest.raises(CommandError, match=fault):
        create(*words)
