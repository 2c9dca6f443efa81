"""Conflicts where something else happened meanwhile: written elsewhere, again, deleted, undone."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from memory import review
from memory.models import Mutation
from memory.providers import using
from memory.providers.types import Compared, Comparison
from tenants.caller import Caller
from tenants.context import within
from tests.factories import make_member
from tests.fakes import ScriptedLanguage
from tests.memory.interfaces.wire.conftest import Wire

FRIDAY, MONDAY = "The deadline is Friday.", "The deadline is Monday."
HIGH = '{"contradictions": [{"number": 1, "severity": "high", "description": "differs"}]}'


def policy(wire: Wire, kind: str) -> None:
    assert wire.put("policies", policy=kind).status_code == 200


def admin(wire: Wire) -> Caller:
    with within(wire.tenant.pk):
        return make_member("admin")


def mutations(wire: Wire) -> list[Mutation]:
    with within(wire.tenant.pk):
        return list(Mutation.objects.order_by("pk"))


def live(wire: Wire, **more: Any) -> list[str]:
    return sorted(wire.texts("when is the deadline?", topK=50, **more))


@pytest.mark.parametrize("other", [{"workflowId": "two"}, {"scope": "global"}])
def test_the_same_words_for_another_place_wait_for_themselves(
    wire: Wire, other: dict[str, Any]
) -> None:
    policy(wire, "human_in_loop")
    here = {"workflowId": "one", "scope": "team"}
    for place in (here, {**here, **other}):
        wire.write(FRIDAY, "planner", **place)
    ids = {wire.write(MONDAY, "b", 409, **p)["writeId"] for p in (here, {**here, **other}) * 2}
    waiting = mutations(wire)
    assert ids == {str(each.uid) for each in waiting}
    assert [each.said_count for each in waiting] == [2, 2]
    by = admin(wire)
    for each in waiting:
        review.keep_both(mutation_id=each.pk, by=by)
    assert {wire.get(f"memory/{id}").json()["content"] for id in ids} == {MONDAY}


def test_a_key_for_one_scope_is_not_told_what_another_says(wire: Wire, wired: type[Wire]) -> None:
    policy(wire, "human_in_loop")
    told = wire.write(FRIDAY, "planner", scope="global")["writeId"]
    narrowed = wired(wire.tenant, scope="private")
    blocked = narrowed.write(MONDAY, "b", 409)
    assert FRIDAY not in str(blocked)
    assert [each["memoryId"] for each in blocked["conflicts"]] == [told]
    batch = narrowed.post("memory/batch/write", writes=[{"content": MONDAY, "agentId": "b"}])
    assert batch.json()["results"][0]["status"] == 409
    assert "Friday" not in batch.content.decode()
    assert FRIDAY in str(wire.write(MONDAY, "b", 409))


def test_superseding_by_what_was_written_since_ends_the_other(wire: Wire) -> None:
    policy(wire, "human_in_loop")
    old = wire.write(FRIDAY, "a", scope="team")["writeId"]
    wire.write(MONDAY, "b", 409, scope="team")
    policy(wire, "ignore")
    twin = wire.write(MONDAY, "c", scope="team")["writeId"]
    (mutation,) = mutations(wire)
    decided = review.approve(mutation_id=mutation.pk, by=admin(wire))
    assert decided.memory is not None
    assert str(decided.memory.uid) == twin
    assert live(wire) == [MONDAY]
    assert wire.get(f"memory/{old}/history").json()["supersededBy"]["id"] == twin


def test_an_undo_that_meets_the_text_again_is_refused_and_changes_nothing(wire: Wire) -> None:
    policy(wire, "human_in_loop")
    wire.write(FRIDAY, "a", scope="team")
    wire.write(MONDAY, "b", 409, scope="team")
    (mutation,) = mutations(wire)
    by = admin(wire)
    review.approve(mutation_id=mutation.pk, by=by)
    policy(wire, "ignore")
    wire.write(FRIDAY, "a", scope="team")
    with pytest.raises(review.CannotUndo, match="written since"):
        review.undo(mutation_id=mutation.pk, by=by)
    assert live(wire) == [FRIDAY, MONDAY]
    assert len(mutations(wire)) == 1


@pytest.mark.django_db(transaction=True)  # instants differ between transactions
def test_what_was_superseded_and_stands_again_was_away_in_between(wire: Wire) -> None:
    policy(wire, "human_in_loop")
    wire.write(FRIDAY, "a", scope="team", factKey="deadline")
    answer = wire.write(MONDAY, "b", 409, scope="team", factKey="deadline")
    (mutation,) = mutations(wire)
    by = admin(wire)
    review.approve(mutation_id=mutation.pk, by=by)
    at = wire.get(f"memory/{answer['writeId']}").json()["valid_from"]
    before = (datetime.fromisoformat(at) - timedelta(microseconds=1)).isoformat()
    assert (live(wire, atTime=before), live(wire, atTime=at)) == ([FRIDAY], [MONDAY])
    review.undo(mutation_id=mutation.pk, by=by)
    assert live(wire) == [FRIDAY]
    assert (live(wire, atTime=before), live(wire, atTime=at)) == ([FRIDAY], [MONDAY])


class Slow(ScriptedLanguage):
    """A model during whose answer something happens."""

    def __init__(self, act: Any, *replies: str) -> None:
        super().__init__(*replies)
        self.act = act

    def contradictions(self, comparison: Comparison, *, timeout: float) -> Compared:
        self.act()
        return super().contradictions(comparison, timeout=timeout)


@pytest.mark.parametrize("kind", ["planner_wins", "human_in_loop", "timestamp_wins"])
def test_what_was_deleted_while_the_model_thought_blocks_nothing(wire: Wire, kind: str) -> None:
    policy(wire, kind)
    old = wire.write("Ship when it suits us.", "p", scope="team", role="planner")["writeId"]
    with using(language=Slow(lambda: wire.delete(f"memory/{old}"), HIGH)):
        wire.write("Ship on the ninth, no later.", "e", scope="team")
    assert mutations(wire) == []
    history = wire.get(f"memory/{old}/history").json()
    assert history["supersededBy"] is None


def test_a_workflow_is_its_name_to_the_letter(wire: Wire) -> None:
    """Blanks at its ends too: what is written behind a wall is found behind it, and there alone."""
    names = ["launch", " launch", "launch ", "Launch", "lau\u0301nch", "l\u00e1unch", "l%61unch"]
    for name in names:
        wire.write(f"This is said in {name!a}.", workflowId=name, factKey=f"{name} ")
    for name in names:
        (found,) = wire.search("what is said", workflowId=name, topK=50)
        assert found["workflow_id"] == name
        assert (found["content"], found["fact_key"]) == (f"This is said in {name!a}.", f"{name} ")
        (usage,) = (
            counts
            for each, counts in wire.get("org/usage/workflows").json()["workflows"].items()
            if each == name
        )
        assert usage == {"writes": 1, "searches": 1}
