"""Within what a text or a fact is one: exactly among those who see it, and a fact by its name."""

from typing import Any

from memory import review, store
from memory.models import Memory, Mutation
from tenants.context import within
from tests.factories import make_member
from tests.memory.interfaces.wire.conftest import Wire

GREEN, RED = "The build is green.", "The build is red."


def team(wire: Wire, name: str, *agents: str) -> str:
    id = wire.post("teams", name=name).json()["id"]
    assert wire.put(f"teams/{id}/agents", agents=list(agents)).status_code == 200
    return str(id)


def texts(wire: Wire, agent: str, **more: Any) -> list[str]:
    return sorted(wire.texts("how is the build?", agent, topK=50, **more))


# --- agents of no team --------------------------------------------------------------------------


def test_of_agents_of_no_team_each_has_its_own(wire: Wire) -> None:
    """Neither sees what the other shares with `team`: it is no duplicate, and no fact of theirs."""
    team(wire, "research", "member")
    ids = {wire.write(GREEN, agent, scope="team")["writeId"] for agent in ("one", "two", "member")}
    assert len(ids) == 3
    for agent in ("one", "two"):
        wire.write(f"The build is red, says {agent}.", agent, scope="team", factKey="build")
    assert texts(wire, "one") == [GREEN, "The build is red, says one."]
    assert texts(wire, "two") == [GREEN, "The build is red, says two."]
    again = wire.write(GREEN, "one", 200, scope="team")
    assert again["duplicate"] is True
    assert wire.get(f"memory/{again['writeId']}").json()["agent_id"] == "one"


def test_what_it_wrote_before_there_were_teams_is_its_own_too(wire: Wire) -> None:
    first = wire.write(RED, "one", scope="team", factKey="build")["writeId"]
    team(wire, "research")
    assert wire.write(RED, "one", 200, scope="team")["writeId"] == first
    wire.write(GREEN, "one", scope="team", factKey="build")
    assert texts(wire, "one") == [GREEN]
    wire.write(RED, "two", scope="team")


def test_a_team_that_goes_beside_another_leaves_each_writer_its_own(wire: Wire) -> None:
    a = team(wire, "a", "one", "two")
    team(wire, "b", "three")
    for text, agent in ((GREEN, "one"), (RED, "two")):
        wire.write(text, agent, scope="team")
        wire.write(f"{text} Indeed.", agent, scope="team", factKey="build")
    assert wire.delete(f"teams/{a}").status_code == 204
    assert texts(wire, "one") == [GREEN]
    assert texts(wire, "two") == [RED, f"{RED} Indeed."]
    assert wire.write(RED, "two", 200, scope="team")["duplicate"] is True
    assert wire.write(RED, "one")["writeId"]


def test_with_the_last_team_all_is_everybodys_and_each_text_stands_once(wire: Wire) -> None:
    a = team(wire, "a", "member")
    for agent in ("one", "two", "member"):
        wire.write(GREEN, agent, scope="team")
        wire.write(f"The build is red, says {agent}.", agent, scope="team", factKey="build")
    assert wire.delete(f"teams/{a}").status_code == 204
    assert texts(wire, "anybody") == [GREEN, "The build is red, says member."]
    assert wire.write(GREEN, "two", 200, scope="team")["duplicate"] is True
    with within(wire.tenant.pk):
        rows = Memory.objects.filter(kind="shared")
        assert not rows.exclude(owner=None, team=None).exists()
        starts = rows.exclude(superseded_by=None).values_list("superseded_by__valid_from", "pk")
        assert len(starts) == 4


def test_what_an_agent_shares_moves_with_it(wire: Wire) -> None:
    """Its old team no longer sees it, so it is no duplicate there; its new team has it once."""
    a, b = team(wire, "a", "one", "two"), team(wire, "b", "three")
    moved = wire.write(GREEN, "one", scope="team", factKey="build")["writeId"]
    earlier = wire.write(RED, "three", scope="team", factKey="build")["writeId"]
    wire.write("The build is green, we say.", "one", scope="team")
    wire.write("The build is green, we say.", "three", scope="team")
    assert wire.put(f"teams/{b}/agents", agents=["one", "three"]).status_code == 200
    assert wire.write(GREEN, "two", scope="team", factKey="build")["writeId"] != moved
    assert texts(wire, "two") == [GREEN]
    assert texts(wire, "three") == texts(wire, "one") == ["The build is green, we say.", RED]
    assert wire.get(f"memory/{moved}/history").json()["supersededBy"]["id"] == earlier
    wire.put(f"teams/{a}/agents", agents=["one", "two"])
    assert texts(wire, "one") == [GREEN]


# --- facts in the same words --------------------------------------------------------------------


def test_two_facts_in_the_same_words_are_two(wire: Wire) -> None:
    for fact in ("build", "deploy"):
        wire.write("It is red.", factKey=fact)
    for fact in ("build", "deploy"):
        wire.write("It is green.", factKey=fact)
        assert wire.write("It is green.", status=200, factKey=fact)["duplicate"] is True
    found = wire.search("how is it?", topK=50)
    assert sorted((hit["content"], hit["fact_key"]) for hit in found) == [
        ("It is green.", "build"), ("It is green.", "deploy"),
    ]  # fmt: skip
    assert wire.write("It is green.", status=200)["duplicate"] is True


def test_what_stands_already_states_the_fact_from_then_on(wire: Wire) -> None:
    """The words are a duplicate, the fact is news: what stated it before has ended."""
    stood = wire.write(GREEN)["writeId"]
    red = wire.write(RED, factKey="build")["writeId"]
    again = wire.write(GREEN, status=200, factKey="build")
    assert again == {"writeId": stood, "duplicate": True}
    assert texts(wire, "a") == [GREEN]
    ended = wire.get(f"memory/{red}/history").json()
    assert ended["supersededBy"]["id"] == stood
    assert ended["memory"]["deleted_at"] is None
    assert texts(wire, "a", atTime=ended["memory"]["valid_to"]) == [GREEN]
    assert wire.write(GREEN, status=200, factKey="build") == again
    wire.write(RED, factKey="build")
    assert texts(wire, "a") == [RED]


def test_a_person_who_supersedes_by_words_that_stand_settles_the_fact(wire: Wire) -> None:
    wire.put("policies", policy="human_in_loop")
    wire.write("The deadline is Friday.", "a", scope="team", factKey="deadline")
    wire.write("The deadline is Monday.", "b", 409, scope="team", factKey="deadline")
    wire.put("policies", policy="ignore")
    twin = wire.write("The deadline is Monday.", "b", scope="team")["writeId"]
    with within(wire.tenant.pk):
        mutation, by = Mutation.objects.get(), make_member("admin")
    review.approve(mutation_id=mutation.pk, by=by)
    (found,) = wire.search("when is the deadline?", topK=50)
    assert (found["id"], found["fact_key"]) == (twin, "deadline")


# --- what ended stays ended when its successor is erased ----------------------------------------


def test_a_fact_whose_successor_is_erased_does_not_stand_again(wire: Wire) -> None:
    red = wire.write(RED, factKey="build")["writeId"]
    green = wire.write(GREEN, factKey="build")["writeId"]
    valid_to = wire.get(f"memory/{red}/history").json()["memory"]["valid_to"]
    with within(wire.tenant.pk):
        assert store.erase(Memory.objects.filter(uid=green)) == 1
    assert texts(wire, "a") == []
    again = wire.write(RED, factKey="build")
    assert "duplicate" not in again
    assert texts(wire, "a") == [RED]
    ended = wire.get(f"memory/{red}/history").json()
    assert (ended["memory"]["deleted_at"], ended["supersededBy"]) == (valid_to, None)


def test_a_line_of_facts_is_purged_whatever_ended_what(wire: Wire) -> None:
    """The successor may be the older row: words that stood already state the fact."""
    for text, fact in ((GREEN, None), (RED, "build"), ("Blue.", "build"), (GREEN, "build")):
        wire.post("memory/write", content=text, agentId="a", workflowId="w", factKey=fact)
    assert wire.post("workflows/w/purge").status_code == 204
    with within(wire.tenant.pk):
        assert not Memory.objects.exists()
