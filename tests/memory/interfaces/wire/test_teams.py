"""Teams over the wire: who is in one, and what becomes of memories whose team goes."""

from typing import Any

import pytest

from memory.models import Memory, Scope, SharedAgent, Team
from memory.sharing import teams
from memory.sharing.agents import agent_called, reader_of
from tenants.actor import SYSTEM
from tests.wires import Wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def wire() -> Wire:
    return Wire()


def make(wire: Wire, name: str = "research") -> dict[str, Any]:
    return wire.call("POST", "teams", {"name": name}).json()  # type: ignore[no-any-return]


def put(wire: Wire, team: dict[str, Any], *agents: str) -> Any:
    return wire.call("PUT", f"teams/{team['id']}/agents", {"agents": list(agents)})


def seen(wire: Wire, agent: str) -> set[str]:
    with wire.inside():
        rows = Memory.objects.visible_to(reader_of(agent_called(agent)))
        return set(rows.values_list("content", flat=True))


def test_a_team_is_made_listed_and_removed(wire: Wire) -> None:
    answer = wire.call("POST", "teams", {"name": "research"})
    team = answer.json()
    assert (answer.status_code, team.keys()) == (201, {"id", "name", "created_at"})
    assert wire.call("GET", "teams").json() == {"teams": [team]}
    for _ in range(2):
        assert wire.call("DELETE", f"teams/{team['id']}").status_code == 204
    assert wire.call("GET", "teams").json() == {"teams": []}


def test_a_name_is_given_once(wire: Wire) -> None:
    make(wire)
    answer = wire.call("POST", "teams", {"name": "research"})
    assert (answer.status_code, answer.json()["field"]) == (409, "name")
    assert make(Wire()).keys() == {"id", "name", "created_at"}


def test_an_agent_is_in_one_team_and_the_list_is_exact(wire: Wire) -> None:
    a, b = make(wire, "a"), make(wire, "b")
    assert put(wire, a, "one", "two", "one").json() == {"agents": ["one", "two"]}
    assert put(wire, b, "two", "three").json() == {"agents": ["three", "two"]}
    assert wire.call("GET", f"teams/{a['id']}/agents").json() == {"agents": ["one"]}
    put(wire, b)
    with wire.inside():
        assert list(SharedAgent.objects.filter(team__name="b")) == []
        assert SharedAgent.objects.count() == 3


def test_a_teams_memories_are_those_of_its_present_members(wire: Wire) -> None:
    wire.writes("before", "one", scope=Scope.TEAM)
    assert seen(wire, "two") == {"before"}  # while there are no teams, all are one
    team = make(wire)
    assert seen(wire, "two") == set()
    put(wire, team, "one", "two")
    assert seen(wire, "two") == {"before"}
    put(wire, team, "one")
    assert seen(wire, "two") == set()


@pytest.mark.parametrize("uid", ["00000000-0000-4000-8000-000000000000", "7", "x" * 300])
def test_agents_of_no_team_are_404(wire: Wire, uid: str) -> None:
    assert wire.call("PUT", f"teams/{uid}/agents", {"agents": []}).status_code == 404
    assert wire.call("GET", f"teams/{uid}/agents").status_code == 404
    theirs = make(Wire())
    assert put(wire, theirs, "spy").status_code == 404


@pytest.mark.parametrize("agents", [None, "one", {}, [1], [""], ["x" * 201], [None], ["a"] * 1_001])
def test_agents_are_a_list_of_names(wire: Wire, agents: Any) -> None:
    team = make(wire)
    answer = wire.call("PUT", f"teams/{team['id']}/agents", {"agents": agents})
    assert (answer.status_code, answer.json()["field"]) == (400, "agents")


# --- what a removed team leaves -----------------------------------------------------------------


def of_two_teams(wire: Wire, *said: tuple[str, str, str | None]) -> None:
    """Each (agent, content, fact) in a team of its own, then both teams are removed."""
    for agent, _, _ in said:
        put(wire, make(wire, f"team of {agent}"), agent)
    for agent, content, fact in said:
        wire.writes(content, agent, scope=Scope.TEAM, fact_key=fact)
    for team in wire.call("GET", "teams").json()["teams"]:
        assert wire.call("DELETE", f"teams/{team['id']}").status_code == 204


def test_what_both_said_stands_once(wire: Wire) -> None:
    of_two_teams(wire, ("one", "The build is green.", None), ("two", "The build is green.", None))
    with wire.inside():
        (live,) = Memory.objects.live()
        earlier = Memory.objects.exclude(pk=live.pk).get()
        assert (earlier.superseded_by, earlier.closed_because) == (live, "superseded")
    assert seen(wire, "three") == {"The build is green."}


def test_of_two_states_of_a_fact_the_later_holds(wire: Wire) -> None:
    of_two_teams(wire, ("one", "Green.", "build"), ("two", "Red.", "build"))
    assert seen(wire, "three") == {"Red."}
    with wire.inside():
        earlier = Memory.objects.get(content="Green.")
        assert (earlier.deleted_at, earlier.valid_to is None) == (None, False)


def test_one_that_meets_two_leaves_one_of_each_kind(wire: Wire) -> None:
    wire.writes("Green.", "zero", scope=Scope.TEAM)
    wire.writes("Red.", "zero", scope=Scope.TEAM, fact_key="build")
    of_two_teams(wire, ("one", "Green.", "build"))
    with wire.inside():
        (live,) = Memory.objects.live()
        assert (live.content, live.fact_key) == ("Green.", "build")


def test_an_agent_keeps_its_memories_when_its_team_goes(wire: Wire) -> None:
    put(wire, make(wire), "one")
    wire.writes("Ours.", "one", scope=Scope.TEAM)
    with wire.inside():
        teams.remove(Team.objects.get(), by=SYSTEM)
        assert Memory.objects.get().team is None
        assert SharedAgent.objects.get(name="one").team is None
    assert seen(wire, "two") == {"Ours."}
