"""Many at once: full texts first, each its own decision, flagged and deletes never (fault 25)."""

import json
from typing import Any

import pytest

from memory import review
from memory.models import Event, Memory, Mutation, Rule
from tenants.models import AuditEntry
from tests.factories import make_draft, make_memory, make_mutation, make_visitor
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db


def proposals(world: Pages, count: int, folder: str = "/drinks", **fields: Any) -> list[Mutation]:
    with world.inside():
        return [
            make_mutation(
                world.agent, world.visitor,
                draft=make_draft(f"The user likes tea number {n}", key=f"{folder}/{n}"), **fields,
            )
            for n in range(count)
        ]  # fmt: skip


def send(world: Pages, items: list[str], role: str = "editor") -> Any:
    return world.client(role).post(
        world.at("review/bulk/"), {"item": items}, headers={"accept": "application/json"}
    )


def shown(mutation: Mutation) -> str:
    return f"{mutation.pk}:{mutation.version}"


def test_the_page_shows_every_text_in_full_and_counts_what_it_leaves_out(world: Pages) -> None:
    made = proposals(world, 3)
    proposals(world, 1, "/drinks/flagged", flags=["no-evidence"])
    elsewhere = proposals(world, 1, "/food")
    long = "tea " * 450
    with world.inside():
        make_mutation(world.agent, world.visitor, draft=make_draft(long, key="/drinks/long"))
    page = world.client("editor").get(world.at(f"review/{made[0].pk}/alike/")).content.decode()
    assert "4 like this" in page
    assert "left out, to be decided one by one: 1 flagged" in page
    assert long.strip() in page
    assert all(f'value="{shown(m)}"' in page for m in made)
    assert f'value="{shown(elsewhere[0])}"' not in page


def test_each_item_answers_for_itself_and_is_a_decision_like_any_other(world: Pages) -> None:
    made = proposals(world, 4)
    flagged = proposals(world, 1, "/x", flags=["no-evidence"])[0]
    with world.inside():
        memory = make_memory(world.agent, world.visitor, key="/old")
        delete = make_mutation(world.agent, world.visitor, operation="delete", target=memory)
        make_memory(world.agent, world.visitor, key="/drinks/3")  # takes the key of the fourth
    review.reject(mutation_id=made[1].pk, by=world.admin)
    items = [shown(m) for m in (*made, flagged, delete)] + ["999999999:1"]
    items[2] = f"{made[2].pk}:9"  # it changed since it was shown
    results = send(world, items).json()["results"]
    assert [(r["id"], r["ok"]) for r in results] == [
        (made[0].pk, True), (made[1].pk, False), (made[2].pk, False), (made[3].pk, False),
        (flagged.pk, False), (delete.pk, False), (999999999, False),
    ]  # fmt: skip
    reasons = [r["detail"] for r in results[1:]]
    for reason, word in zip(
        reasons, ["already", "changed", "key is taken", "one by one", "one by one", "no such"],
        strict=True,
    ):  # fmt: skip
        assert word in reason
    with world.inside():
        assert Memory.objects.filter(key="/drinks/0").count() == 1
        assert AuditEntry.objects.filter(verb="mutation.approved").count() == 1
        assert Event.objects.filter(kind="memory.created", key="/drinks/0").count() == 1
        delete.refresh_from_db()
        flagged.refresh_from_db()
        assert (delete.status, flagged.status) == ("pending", "pending")


def test_what_is_left_out_is_counted(world: Pages) -> None:
    made = proposals(world, 2)
    with world.inside():
        make_mutation(
            world.agent, make_visitor(), draft=make_draft("Odd.", key="/drinks/odd"),
            flags=["no-evidence"],
        )  # fmt: skip
        for number in range(3):
            gone = make_memory(world.agent, make_visitor(), "Gone.", key=f"/drinks/gone-{number}")
            make_mutation(world.agent, gone.visitor, operation="delete", target=gone)
    page = world.client().get(world.at(f"review/{made[0].pk}/alike/")).content.decode()
    assert "left out, to be decided one by one: 1 flagged, 3 deletes" in page
    assert page.count("data-item=") == 2


def test_without_a_script_the_answer_is_a_page(world: Pages) -> None:
    made = proposals(world, 2)
    answer = world.client("editor").post(
        world.at("review/bulk/"), {"item": [shown(m) for m in made]}
    )
    assert answer.status_code == 200
    assert "2 approved" in answer.content.decode()


@pytest.mark.parametrize(
    "items", [[], ["x"], ["1"], ["1:x"], ["-1:1"], ["1:1"] * 51, ["9" * 30 + ":1"], ["²:1"]]
)
def test_what_is_no_list_of_items_is_refused_by_name(world: Pages, items: list[str]) -> None:
    answer = send(world, items)
    assert answer.status_code == 400
    assert answer.json()["field"] == "item"


def test_a_viewer_approves_nothing(world: Pages) -> None:
    made = proposals(world, 1)
    results = send(world, [shown(made[0])], "viewer").json()["results"]
    assert results[0]["ok"] is False
    with world.inside():
        assert not Memory.objects.exists()


def test_another_tenants_items_are_unknown(world: Pages) -> None:
    other = Pages()
    made = proposals(other, 1)
    results = send(world, [shown(made[0])], "admin").json()["results"]
    assert results[0]["detail"] == "no such mutation"
    with other.inside():
        assert Mutation.objects.pending().count() == 1


# --- what colleagues did -------------------------------------------------------------------------


def test_only_cards_that_changed_are_told(world: Pages) -> None:
    first, second = proposals(world, 2)
    ids = f"{shown(first)},{shown(second)},77777777:1,x,:,9{'9' * 30}:1"
    client = world.client("viewer")
    before = json.loads(client.get(world.at(f"review/state/?ids={ids}")).content)
    assert before == {"changed": {"77777777": "gone"}}
    review.approve(mutation_id=first.pk, by=world.admin)
    after = json.loads(client.get(world.at(f"review/state/?ids={ids}")).content)
    assert after["changed"] == {str(first.pk): "changed", "77777777": "gone"}


# --- never this kind ------------------------------------------------------------------------


def test_never_rejects_and_makes_a_rule_that_can_be_lifted(world: Pages) -> None:
    (made,) = proposals(world, 1)
    client = world.client("editor")
    client.post(world.at(f"review/{made.pk}/never/"), {"under": "/drinks"})
    with world.inside():
        made.refresh_from_db()
        assert made.status == "rejected"
        rule = Rule.objects.get()
        assert (rule.agent_id, rule.key_prefix) == (world.agent.pk, "/drinks")
    assert "/drinks" in client.get(world.at("review/rules/")).content.decode()
    assert client.post(world.at(f"review/rules/{rule.pk}/lift/")).status_code == 302
    assert client.post(world.at(f"review/rules/{rule.pk}/lift/")).status_code == 404


@pytest.mark.parametrize(
    ("role", "under", "status"),
    [("viewer", "/drinks", 403), ("editor", "/", 404), ("editor", "/elsewhere", 404)],
)
def test_never_is_refused(world: Pages, role: str, under: str, status: int) -> None:
    (made,) = proposals(world, 1)
    answer = world.client(role).post(world.at(f"review/{made.pk}/never/"), {"under": under})
    assert answer.status_code == status
    with world.inside():
        assert not Rule.objects.exists()
        made.refresh_from_db()
        assert made.status == "pending"


def test_the_pages_of_bulk_and_rules_show_strangers_text_as_text(world: Pages) -> None:
    with world.inside():
        bad = make_mutation(
            world.agent, make_visitor("<b>x</b>"),
            draft=make_draft("<img src=x onerror=alert(1)>", key="/a/b"),
        )  # fmt: skip
    page = world.client("editor").get(world.at(f"review/{bad.pk}/alike/")).content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<b>x</b>" not in page
