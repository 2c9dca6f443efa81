"""Write, search, read and delete on the wire: contract 4's tables, row by row."""

from uuid import UUID, uuid4

from memory.models import AccessGrant, Event, Memory, SharedAgent, Team
from memory.sharing.agents import agent_called
from tenants.context import within
from tests.factories import make_tenant
from tests.memory.interfaces.wire.conftest import Wire

DEADLINE = "The launch deadline is Friday."


def team(wire: Wire, name: str, *agents: str) -> None:
    with within(wire.tenant.pk):
        made = Team.objects.create(name=name)
        for each in agents:
            agent = agent_called(each)
            SharedAgent.objects.filter(pk=agent.pk).update(team=made)


def test_a_write_is_found_by_search_with_every_field(wire: Wire) -> None:
    made = wire.write(
        DEADLINE, "planner-1", scope="team", role="planner", workflowId="wf-1", factKey="deadline"
    )
    (hit,) = wire.search("when is the launch deadline?", "other", workflowId="wf-1")
    assert hit["id"] == made["writeId"]
    assert UUID(made["writeId"])
    assert hit["content"] == DEADLINE
    assert (hit["agent_id"], hit["scope"], hit["role"]) == ("planner-1", "team", "planner")
    assert (hit["workflow_id"], hit["vector_clock"]) == ("wf-1", {"planner-1": 1})
    assert hit["expires_at"] is hit["superseded_by"] is hit["deleted_at"] is None
    assert hit["encrypted"] is False
    assert 0 < hit["score"] <= (1.0 + 0.8 + 0.6) / 61
    assert "relevance_score" not in hit


def test_private_is_the_default_and_nobody_elses(wire: Wire) -> None:
    made = wire.write(DEADLINE, "a")
    assert wire.texts("launch deadline", "a") == [DEADLINE]
    assert wire.texts("launch deadline", "b") == []
    assert wire.get(f"memory/{made['writeId']}").json()["scope"] == "private"


def test_while_no_teams_are_defined_a_teams_memory_is_everybodys(wire: Wire) -> None:
    wire.write(DEADLINE, "a", scope="team")
    assert wire.texts("launch deadline", "b") == [DEADLINE]


def test_once_teams_are_defined_only_the_writers_present_team_sees_it(wire: Wire) -> None:
    wire.write(DEADLINE, "a", scope="team")
    team(wire, "red", "a", "b")
    team(wire, "blue", "c")
    assert wire.texts("launch deadline", "a") == [DEADLINE]
    assert wire.texts("launch deadline", "b") == [DEADLINE]
    assert wire.texts("launch deadline", "c") == []
    assert wire.texts("launch deadline", "nobody's") == []
    with within(wire.tenant.pk):  # the writer moves, and its memories with it
        SharedAgent.objects.filter(name="a").update(team=Team.objects.get(name="blue"))
    assert wire.texts("launch deadline", "b") == []
    assert wire.texts("launch deadline", "c") == [DEADLINE]


def test_global_is_every_agents(wire: Wire) -> None:
    team(wire, "red", "a")
    team(wire, "blue", "b")
    wire.write(DEADLINE, "a", scope="global")
    assert wire.texts("launch deadline", "b") == [DEADLINE]


def test_a_grant_opens_what_a_role_wrote_in_a_scope_and_no_more(wire: Wire) -> None:
    wire.write("The launch deadline is Friday.", "a", role="planner")
    wire.write("The launch party deadline is in May.", "a", role="observer")
    with within(wire.tenant.pk):
        AccessGrant.objects.create(
            grantor_role="planner", grantee=agent_called("b"), resource_scope="private"
        )
    assert wire.texts("launch deadline", "b") == ["The launch deadline is Friday."]
    assert wire.texts("launch deadline", "c") == []


def test_a_workflow_is_a_wall(wire: Wire) -> None:
    wire.write("The launch deadline is Friday.", "a", scope="global", workflowId="one")
    wire.write("The launch deadline is in June.", "a", scope="global", workflowId="two")
    assert wire.texts("launch deadline", workflowId="one") == ["The launch deadline is Friday."]
    assert wire.texts("launch deadline", workflowId="none") == []
    assert len(wire.texts("launch deadline")) == 2


def test_a_duplicate_is_one_within_the_same_visibility_only(wire: Wire) -> None:
    first = wire.write(DEADLINE, "a", scope="team", workflowId="w")
    again = wire.write("The  launch deadline is FRIDAY.", "b", 200, scope="team", workflowId="w")
    assert again == {"writeId": first["writeId"], "duplicate": True}
    others = [
        wire.write(DEADLINE, "a", scope="team"),
        wire.write(DEADLINE, "a", scope="global", workflowId="w"),
        wire.write(DEADLINE, "a", workflowId="w"),
        wire.write(DEADLINE, "b", workflowId="w"),
    ]
    assert len({made["writeId"] for made in [first, *others]}) == 5


def test_a_deleted_text_may_be_written_again(wire: Wire) -> None:
    first = wire.write(DEADLINE)
    assert wire.delete(f"memory/{first['writeId']}").status_code == 204
    assert wire.get(f"memory/{first['writeId']}").status_code == 404
    assert wire.texts("launch deadline") == []
    assert wire.write(DEADLINE)["writeId"] != first["writeId"]


def test_a_fact_is_closed_by_the_next_of_its_key(wire: Wire) -> None:
    made = [
        wire.write(f"The project status is {state}.", scope="team", factKey="status")["writeId"]
        for state in ("green", "red", "green")
    ]
    now = wire.search("project status")
    assert [hit["id"] for hit in now] == [made[2]]
    told = [wire.get(f"memory/{uid}/history").json() for uid in made]
    assert [t["supersededBy"] and t["supersededBy"]["id"] for t in told] == [made[1], made[2], None]
    assert [[each["id"] for each in t["supersedes"]] for t in told] == [[], [made[0]], [made[1]]]
    starts = [t["memory"]["valid_from"] for t in told]
    ends = [t["memory"]["valid_to"] for t in told]
    assert ends == [starts[1], starts[2], None]
    at = [[h["id"] for h in wire.search("project status", atTime=start)] for start in starts]
    assert at == [[made[0]], [made[1]], [made[2]]]
    assert wire.search("project status", atTime="2020-01-01T00:00:00Z") == []


def test_as_of_shows_again_what_was_deleted_later(wire: Wire) -> None:
    made = wire.write(DEADLINE)
    written = wire.get(f"memory/{made['writeId']}").json()["created_at"]
    wire.delete(f"memory/{made['writeId']}")
    assert wire.texts("launch deadline", atTime=written) == [DEADLINE]


def test_a_search_teaches_the_searcher_what_its_next_write_knows(wire: Wire) -> None:
    wire.write(DEADLINE, "a", scope="team")
    blind = wire.write("Budget is forty thousand.", "b", scope="team")["writeId"]
    wire.search("launch deadline", "b")
    told = wire.write("Budget was cut to thirty.", "b", scope="team")["writeId"]
    clocks = [wire.get(f"memory/{uid}").json()["vector_clock"] for uid in (blind, told)]
    assert clocks == [{"b": 1}, {"a": 1, "b": 2}]


def test_a_secret_is_masked_and_the_sentence_kept(wire: Wire) -> None:
    made = wire.write("Deploy with the key sk-test-51Zq0000EXAMPLE0000 on Friday.")
    text = wire.get(f"memory/{made['writeId']}").json()["content"]
    assert text == "Deploy with the key [secret removed] on Friday."


def test_ids_of_another_tenant_are_nobodys(wire: Wire) -> None:
    made = Wire(make_tenant()).write(DEADLINE, scope="global")["writeId"]
    for uid in (made, str(uuid4()), "not-a-uuid"):
        assert wire.get(f"memory/{uid}").status_code == 404
        assert wire.get(f"memory/{uid}/history").status_code == 404
        assert wire.delete(f"memory/{uid}").status_code == 204
    assert wire.texts("launch deadline") == []


def test_a_narrowed_key_speaks_for_its_agent_in_its_scope(wire: Wire) -> None:
    narrow = Wire(wire.tenant, shared_agent="a", scope="team")
    mine = narrow.post("memory/write", content=DEADLINE).json()["writeId"]
    assert narrow.get(f"memory/{mine}").json()["agent_id"] == "a"
    for more in ({"agentId": "b"}, {"scope": "global"}):
        for path, key in (("memory/write", "content"), ("memory/search", "query")):
            answer = narrow.post(path, **{key: DEADLINE}, **more)
            assert (answer.status_code, "error" in answer.json()) == (403, True)
    hidden = wire.write("The launch deadline moved.", "b", scope="private")["writeId"]
    assert narrow.get(f"memory/{hidden}").status_code == 404
    others = wire.write("The launch deadline is firm.", "b", scope="team")["writeId"]
    assert narrow.delete(f"memory/{others}").status_code == 403
    assert narrow.delete(f"memory/{mine}").status_code == 204


def test_a_narrowed_key_opens_nothing_but_shared_memory(wire: Wire) -> None:
    narrow = Wire(wire.tenant, scope="team")
    assert narrow.client.get("/api/mutations/").status_code == 403


def test_what_came_of_a_write_is_announced_without_text(wire: Wire) -> None:
    made = wire.write(DEADLINE)
    wire.delete(f"memory/{made['writeId']}")
    with within(wire.tenant.pk):
        told = list(Event.objects.order_by("pk").values_list("kind", "is_shared", "memory_uid"))
        memory = Memory.objects.get(kind="shared")
    assert told == [("memory.written", True, memory.uid), ("memory.deleted", True, memory.uid)]


def test_a_nonsense_query_brings_nothing(wire: Wire) -> None:
    wire.write(DEADLINE)
    assert wire.search("velvet submarine parking lottery") == []
