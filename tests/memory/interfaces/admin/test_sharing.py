"""Teams, their agents and keys by hand: as over the wire, audited once."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory.models import Memory, Scope, ScratchEntry, SharedAgent, Team
from memory.sharing import scratch
from memory.sharing.agents import agent_called
from tenants.models import AuditEntry, Role, Token
from tests.factories import make_member
from tests.wires import Wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def wire() -> Wire:
    return Wire()


def browser(wire: Wire, role: Role = Role.ADMIN) -> Client:
    client = Client()
    with wire.inside():
        client.force_login(User.objects.get(pk=make_member(role).user_id or 0))
    return client


def at(wire: Wire, path: str) -> str:
    return f"/t/{wire.tenant.slug}/admin/{path}"


def verbs(wire: Wire) -> list[str]:
    with wire.inside():
        return list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))


def test_an_admin_makes_a_team_and_puts_an_agent_in_it(wire: Wire) -> None:
    client = browser(wire)
    assert client.post(at(wire, "memory/team/add/"), {"name": "research"}).status_code == 302
    again = client.post(at(wire, "memory/team/add/"), {"name": "research"})
    assert (again.status_code, "There is a team of this name" in again.content.decode()) == (
        200, True,
    )  # fmt: skip
    with wire.inside():
        team, agent = Team.objects.get(), agent_called("one")
    page = at(wire, f"memory/sharedagent/{agent.pk}/change/")
    assert client.post(page, {"team": team.pk, "name": "renamed"}).status_code == 302
    with wire.inside():
        kept = SharedAgent.objects.get()
        assert (kept.team, kept.name) == (team, "one")
    assert verbs(wire) == ["team.added", "sharedagent.changed"]


def test_another_tenants_team_is_no_choice(wire: Wire) -> None:
    other = Wire()
    with other.inside():
        theirs = Team.objects.create(name="theirs")
    with wire.inside():
        agent = agent_called("one")
    page = at(wire, f"memory/sharedagent/{agent.pk}/change/")
    client = browser(wire)
    assert "theirs" not in client.get(page).content.decode()
    assert client.post(page, {"team": theirs.pk}).status_code == 200  # the form again
    with wire.inside():
        assert SharedAgent.objects.get().team is None


def test_a_team_is_removed_as_over_the_wire(wire: Wire) -> None:
    with wire.inside():
        team = Team.objects.create(name="a")
        agent_called("one")
        SharedAgent.objects.update(team=team)
    wire.writes("Same.", "zero", scope=Scope.TEAM)
    wire.writes("Same.", "one", scope=Scope.TEAM)
    answer = browser(wire).post(at(wire, f"memory/team/{team.pk}/delete/"), {"post": "yes"})
    assert answer.status_code == 302
    with wire.inside():
        assert not Team.objects.exists()
        assert Memory.objects.live().count() == 1
    assert verbs(wire) == ["team.removed"]


def test_an_admin_revokes_keys(wire: Wire) -> None:
    key = wire.make_key(shared_agent="one")
    with wire.inside():
        token = Token.objects.get(shared_agent="one")
    form = {"action": "revoke_selected", "_selected_action": [token.pk]}
    editors = browser(wire, Role.EDITOR).post(at(wire, "tenants/token/"), form)
    assert editors.status_code == 403
    assert wire.call("POST", "memory/search", {"query": "x"}, key=key).status_code == 200
    client = browser(wire)
    for _ in range(2):
        assert client.post(at(wire, "tenants/token/"), form).status_code == 302
    assert wire.call("POST", "memory/search", {"query": "x"}, key=key).status_code == 401
    assert verbs(wire) == ["token.revoked"]


def test_a_value_of_a_scratchpad_is_not_shown(wire: Wire) -> None:
    with wire.inside():
        scratch.put("w", "k", "hunter2hunter2")
        number = ScratchEntry.objects.get().pk
    page = browser(wire).get(at(wire, f"memory/scratchentry/{number}/change/"))
    assert page.status_code == 200
    assert "hunter2" not in page.content.decode()
