"""What a conflict policy does with a contradiction, and what it leaves alone."""

from typing import Any

import pytest

from memory import review
from memory.models import ConflictPolicy, Event, Mutation
from memory.providers import using
from memory.providers.errors import Unavailable
from tenants.caller import Caller
from tenants.context import within
from tests.factories import make_member
from tests.fakes import ScriptedLanguage
from tests.memory.interfaces.wire.conftest import Wire

FRIDAY, MONDAY = "The deadline is Friday.", "The deadline is Monday."


def policy(wire: Wire, kind: str, workflow: str = "") -> None:
    with within(wire.tenant.pk):
        ConflictPolicy.objects.create(policy=kind, workflow=workflow)


def admin(wire: Wire) -> Caller:
    with within(wire.tenant.pk):
        return make_member("admin")


def live(wire: Wire) -> list[str]:
    return sorted(wire.texts("when is the deadline?", topK=50))


def events(wire: Wire) -> list[str]:
    with within(wire.tenant.pk):
        return list(Event.objects.order_by("pk").values_list("kind", flat=True))


def test_without_a_policy_both_stay(wire: Wire) -> None:
    wire.write(FRIDAY)
    wire.write(MONDAY)
    assert live(wire) == [FRIDAY, MONDAY]


@pytest.mark.parametrize("role", [None, "executor", "observer"])
def test_a_planner_wins_against_everybody_else(wire: Wire, role: str | None) -> None:
    policy(wire, "planner_wins")
    planned = wire.write(FRIDAY, "p", scope="team", role="planner")["writeId"]
    answer = wire.write(MONDAY, "e", 409, scope="team", role=role)
    assert answer["error"] == "Write blocked by conflict resolution policy"
    assert (answer["policy"], answer["webhookFired"]) == ("planner_wins", False)
    (told,) = answer["conflicts"]
    assert (told["memoryId"], told["agentId"], told["severity"]) == (planned, "p", "high")
    assert told["content"] == FRIDAY
    assert "writeId" not in answer
    assert live(wire) == [FRIDAY]
    assert events(wire) == ["memory.written", "memory.conflict_blocked"]


def test_a_planner_may_contradict_a_planner_and_an_executor_an_executor(wire: Wire) -> None:
    policy(wire, "planner_wins")
    wire.write(FRIDAY, "p", scope="team", role="planner")
    wire.write(MONDAY, "q", scope="team", role="planner")
    wire.write("The budget is $40k.", "e", scope="team", role="executor")
    wire.write("The budget is $50k.", "f", scope="team", role="executor")
    assert live(wire) == [FRIDAY, MONDAY]


def test_the_later_timestamp_wins_and_the_lineage_says_so(wire: Wire) -> None:
    policy(wire, "timestamp_wins")
    old = wire.write(FRIDAY, "a", scope="team")["writeId"]
    new = wire.write(MONDAY, "b", scope="team")["writeId"]
    assert live(wire) == [MONDAY]
    told = wire.get(f"memory/{old}/history").json()
    assert told["supersededBy"]["id"] == told["memory"]["superseded_by"] == new
    assert told["memory"]["deleted_at"] == told["supersededBy"]["created_at"]
    assert events(wire) == ["memory.written", "memory.superseded", "memory.written"]


@pytest.mark.parametrize(
    "other", ["The deadline falls on Friday.", "The offsite is Monday.", "Is the deadline Monday?"]
)
def test_what_is_no_contradiction_acts_on_nothing(wire: Wire, other: str) -> None:
    policy(wire, "timestamp_wins")
    wire.write(FRIDAY, scope="team")
    wire.write(other, scope="team")
    assert FRIDAY in live(wire)


def test_a_workflows_own_policy_beats_the_organisations(wire: Wire) -> None:
    policy(wire, "timestamp_wins")
    policy(wire, "ignore", "calm")
    for text in (FRIDAY, MONDAY):
        wire.write(text, workflowId="calm", scope="team")
        wire.write(text, workflowId="strict", scope="team")
    assert sorted(wire.texts("deadline", workflowId="calm")) == [FRIDAY, MONDAY]
    assert wire.texts("deadline", workflowId="strict") == [MONDAY]


def test_other_workflows_are_not_compared(wire: Wire) -> None:
    policy(wire, "timestamp_wins")
    wire.write(FRIDAY, workflowId="one", scope="team")
    wire.write(MONDAY, workflowId="two", scope="team")
    assert live(wire) == [FRIDAY, MONDAY]


def blocked(wire: Wire) -> tuple[dict[str, Any], Mutation]:
    policy(wire, "human_in_loop")
    wire.write(FRIDAY, "a", scope="team", role="planner")
    answer = wire.write(MONDAY, "b", 409, scope="team", role="executor", factKey="deadline")
    with within(wire.tenant.pk):
        return answer, Mutation.objects.get()


def test_a_blocked_write_waits_for_a_person_under_its_id(wire: Wire) -> None:
    answer, mutation = blocked(wire)
    assert answer["writeId"] == str(mutation.uid)
    asked = wire.get(f"memory/{answer['writeId']}")
    assert (asked.status_code, asked.json()["status"]) == (404, "pending")
    assert live(wire) == [FRIDAY]
    assert events(wire)[-1] == "memory.conflict_detected"
    again = wire.write(MONDAY, "b", 409, scope="team", role="executor", factKey="deadline")
    assert again["writeId"] == answer["writeId"]
    assert events(wire)[-1] == "memory.conflict_detected"
    assert events(wire).count("memory.conflict_detected") == 1


def test_a_person_supersedes(wire: Wire) -> None:
    answer, mutation = blocked(wire)
    review.approve(mutation_id=mutation.pk, by=admin(wire), version=mutation.version)
    assert live(wire) == [MONDAY]
    found = wire.get(f"memory/{answer['writeId']}").json()
    assert (found["role"], found["agent_id"], found["fact_key"]) == ("executor", "b", "deadline")
    assert events(wire)[-3:] == [
        "memory.superseded", "memory.written", "memory.conflict_resolved",
    ]  # fmt: skip


def test_a_person_keeps_both(wire: Wire) -> None:
    _, mutation = blocked(wire)
    decided = review.keep_both(mutation_id=mutation.pk, by=admin(wire))
    assert decided.mutation.resolution == "kept-both"
    assert live(wire) == [FRIDAY, MONDAY]


def test_a_kept_write_of_a_fact_that_is_taken_names_none(wire: Wire) -> None:
    policy(wire, "human_in_loop")
    wire.write(FRIDAY, "a", scope="team", factKey="deadline")
    answer = wire.write(MONDAY, "b", 409, scope="team", factKey="deadline")
    with within(wire.tenant.pk):
        mutation = Mutation.objects.get()
    review.keep_both(mutation_id=mutation.pk, by=admin(wire))
    assert wire.get(f"memory/{answer['writeId']}").json()["fact_key"] is None
    assert live(wire) == [FRIDAY, MONDAY]


def test_a_person_drops(wire: Wire) -> None:
    answer, mutation = blocked(wire)
    review.reject(mutation_id=mutation.pk, by=admin(wire), reason="wrong")
    assert live(wire) == [FRIDAY]
    asked = wire.get(f"memory/{answer['writeId']}")
    assert (asked.status_code, asked.json()["status"]) == (404, "rejected")
    assert events(wire)[-1] == "memory.conflict_resolved"


@pytest.mark.parametrize("verb", [review.approve, review.keep_both, review.reject])
def test_a_decision_can_be_taken_back(wire: Wire, verb: Any) -> None:
    _, mutation = blocked(wire)
    by = admin(wire)
    verb(mutation_id=mutation.pk, by=by)
    undone = review.undo(mutation_id=mutation.pk, by=by)
    assert live(wire) == [FRIDAY]
    assert undone.fresh is not None
    review.approve(mutation_id=undone.fresh.pk, by=by)
    assert live(wire) == [MONDAY]


def test_the_id_of_a_blocked_write_answers_through_an_undo(wire: Wire) -> None:
    answer, mutation = blocked(wire)
    by, path = admin(wire), f"memory/{answer['writeId']}"
    review.approve(mutation_id=mutation.pk, by=by)
    undone = review.undo(mutation_id=mutation.pk, by=by)
    assert undone.fresh is not None
    waits = wire.get(path)
    assert (waits.status_code, waits.json()["status"]) == (404, "pending")
    again = review.approve(mutation_id=undone.fresh.pk, by=by)
    assert again.memory is not None
    assert wire.get(path).json()["id"] == str(again.memory.uid)
    review.undo(mutation_id=undone.fresh.pk, by=by)
    with within(wire.tenant.pk):
        third = Mutation.objects.pending().get()
    review.reject(mutation_id=third.pk, by=by)
    assert wire.get(path).json()["status"] == "rejected"


def test_an_editor_does_not_decide_a_conflict(wire: Wire) -> None:
    _, mutation = blocked(wire)
    with within(wire.tenant.pk):
        editor = make_member("editor")
    with pytest.raises(review.MayNotDecide):
        review.approve(mutation_id=mutation.pk, by=editor)


def test_a_model_that_is_down_leaves_the_offline_check(wire: Wire) -> None:
    policy(wire, "planner_wins")
    wire.write(FRIDAY, "p", scope="team", role="planner")
    with using(language=ScriptedLanguage(Unavailable("down"))):
        assert wire.write(MONDAY, "e", 409, scope="team")["conflicts"]
    with using(language=ScriptedLanguage(Unavailable("down"))):
        told = wire.post("memory/conflicts", content=MONDAY, agentId="e").json()
    assert [each["severity"] for each in told["conflicts"]] == ["high"]
    assert told["fellBack"]


def test_a_model_finds_what_rules_do_not(wire: Wire) -> None:
    policy(wire, "timestamp_wins")
    wire.write("Ship whenever it suits us.", scope="team")
    reply = '{"contradictions": [{"number": 1, "severity": "high", "description": "differs"}]}'
    with using(language=ScriptedLanguage(reply)):
        wire.write("Ship on the ninth, no later.", scope="team")
    assert wire.texts("when do we ship it?", topK=50) == ["Ship on the ninth, no later."]


def test_asking_writes_nothing(wire: Wire) -> None:
    wire.write(FRIDAY, "a", scope="team")
    told = wire.post("memory/conflicts", content=MONDAY, agentId="b").json()["conflicts"]
    assert [(each["content"], each["severity"]) for each in told] == [(FRIDAY, "high")]
    assert wire.post("memory/conflicts", content="Tea is hot.", agentId="b").json() == {
        "conflicts": []
    }
    assert live(wire) == [FRIDAY]
