"""A conflict in the queue: both sides on one card, three decisions, and nothing of it in bulk."""

import re

import pytest

from memory.interfaces.pages.conflicts import GONE, _marks
from memory.models import ConflictPolicy, Draft, Memory, Mutation, Role, Scope
from memory.providers.wordllama_space import SPACE
from memory.sharing import write as writing
from tenants.actor import SYSTEM
from tests.factories import make_mutation
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}
FRIDAY, MONDAY = "The deadline is Friday.", "The deadline is Monday. <img src=x onerror=alert(1)>"


def write(world: Pages, text: str, agent: str, **more: object) -> object:
    draft = Draft.model_validate({"content": text, "scope": Scope.TEAM, **more})
    return writing.write(
        writing.prepare(agent, draft, space=SPACE), tenant_id=world.tenant.pk, by=SYSTEM
    )


@pytest.fixture
def conflict(world: Pages) -> Mutation:
    with world.inside():
        ConflictPolicy.objects.create(policy="human_in_loop")
    write(world, FRIDAY, "planner-1", role=Role.PLANNER, workflow="wf-9")
    write(world, MONDAY, "worker-7", role=Role.EXECUTOR, workflow="wf-9", fact_key="deadline")
    with world.inside():
        return Mutation.objects.get()


def live(world: Pages) -> list[str]:
    with world.inside():
        return list(Memory.objects.live().order_by("pk").values_list("content", flat=True))


def test_the_queue_shows_both_sides_in_their_lane(world: Pages, conflict: Mutation) -> None:
    html = world.client().get(world.at("review/?lane=conflicts")).content.decode()
    for said in (
        "The deadline is <del>Friday</del>.",
        "planner-1",
        "worker-7",
        "planner",
        "executor",
        "wf-9",
        "deadline",
    ):
        assert said in html
    assert "What waits says monday where what is stored says friday" in html
    assert "&lt;img src=x" in html
    assert "<img src=x" not in html
    for verb in ("approve", "keep-both", "reject"):
        assert world.at(f"review/{conflict.pk}/{verb}/") in html
    assert f"review/{conflict.pk}/alike/" not in html


@pytest.mark.parametrize(
    ("verb", "said", "left"),
    [
        ("approve", "Superseded", [MONDAY]),
        ("keep-both", "Kept both", [FRIDAY, MONDAY]),
        ("reject", "Dropped", [FRIDAY]),
    ],
)
def test_each_decision_by_a_key(
    world: Pages, conflict: Mutation, verb: str, said: str, left: list[str]
) -> None:
    client = world.client()
    answer = client.post(
        world.at(f"review/{conflict.pk}/{verb}/"), {"version": conflict.version}, headers=HTMX
    )
    html = answer.content.decode()
    assert answer.status_code == 200
    assert said in html
    assert live(world) == left
    assert "data-undo" in html
    undone = client.post(world.at(f"review/{conflict.pk}/undo/"), headers=HTMX)
    assert undone.status_code == 200
    assert "data-keep" in undone.content.decode()
    assert live(world) == [FRIDAY]


@pytest.mark.parametrize(
    ("stored", "waits", "marked"),
    [
        ("The deadline is Friday.", "The deadline is Monday.", ["Friday", "Monday"]),
        ("Paid by card.", "Nobody has ever sent any money.", []),  # every word would be marked
        ("The deadline is Friday.", GONE, []),
    ],
)
def test_what_differs_is_marked_where_much_is_the_same(
    stored: str, waits: str, marked: list[str]
) -> None:
    sides = _marks(stored, waits)
    assert ["".join(piece.text for piece in side) for side in sides] == [stored, waits]
    assert [p.text for side in sides for p in side if p.kind != "same"] == marked


def test_an_editor_sees_it_without_buttons(world: Pages, conflict: Mutation) -> None:
    client = world.client("editor")
    html = client.get(world.at("review/")).content.decode()
    assert "The deadline is <del>Friday</del>." in html
    assert "data-keep" not in html
    refused = client.post(world.at(f"review/{conflict.pk}/keep-both/"), {"version": 1})
    assert refused.status_code == 403


def test_a_plain_mutation_has_no_other_side(world: Pages) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    answer = world.client().post(world.at(f"review/{mutation.pk}/keep-both/"), {"version": 1})
    assert answer.status_code == 409


@pytest.mark.parametrize("verb", ["edit", "alike", "never", "try"])
def test_what_a_conflict_has_no_use_for_is_no_fault(
    world: Pages, conflict: Mutation, verb: str
) -> None:
    client = world.client()
    path = world.at(f"review/{conflict.pk}/{verb}/")
    data = {"version": conflict.version, "under": "", "message": "x"}
    for answer in (client.get(path), client.post(path, data)):
        assert answer.status_code < 500


def test_a_bulk_approval_leaves_conflicts_alone(world: Pages, conflict: Mutation) -> None:
    answer = world.client().post(
        world.at("review/bulk/"),
        {"item": f"{conflict.pk}:{conflict.version}"},
        headers={"accept": "application/json"},
    )
    (result,) = answer.json()["results"]
    assert not result["ok"]
    assert live(world) == [FRIDAY]


def test_every_page_that_meets_it_says_what_it_is(world: Pages, conflict: Mutation) -> None:
    client = world.client()
    with world.inside():
        stored = Memory.objects.get(kind="shared").pk
    client.post(world.at(f"review/{conflict.pk}/approve/"), {"version": conflict.version})
    for path in (
        f"review/{conflict.pk}/", "review/mine/", f"memories/{stored}/", f"memories/{stored + 1}/",
        "admin/", f"admin/memory/mutation/{conflict.pk}/change/", "admin/memory/mutation/",
        f"admin/memory/memory/{stored}/change/", "admin/memory/memory/",
    ):  # fmt: skip
        answer = client.get(world.at(path))
        assert answer.status_code == 200, path
        html = re.sub(r"<script.*?</script>", "", answer.content.decode(), flags=re.S)
        assert not re.search(r">\s*None\b", html), path


def test_a_decided_conflict_is_named_as_one_among_my_decisions(
    world: Pages, conflict: Mutation
) -> None:
    client = world.client()
    client.post(world.at(f"review/{conflict.pk}/keep-both/"), {"version": conflict.version})
    html = client.get(world.at("review/mine/")).content.decode()
    assert "kept both" in html
    for said in (">conflict<", ">shared memory<", "wf-9", "worker-7", "The deadline is Monday."):
        assert said in html
    assert ">everyone<" not in html
