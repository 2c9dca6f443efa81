"""Decisions by plain forms and by htmx: the version that was shown, refusals in words, undo."""

import pytest
from django.test import Client

from memory.models import Draft, Memory, Mutation, Presence
from tests.factories import make_draft, make_memory, make_mutation
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


def row(world: Pages, pk: int) -> Mutation:
    with world.inside():
        return Mutation.objects.get(pk=pk)


def live(world: Pages) -> list[str]:
    with world.inside():
        return list(Memory.objects.live().order_by("pk").values_list("content", flat=True))


def make(world: Pages, content: str = "Likes tea", **draft: str) -> Mutation:
    with world.inside():
        return make_mutation(world.agent, world.visitor, draft=make_draft(content, **draft))


def post(world: Pages, client: Client, pk: int, verb: str, headers: dict[str, str] | None = None,
         **data: str) -> tuple[int, str]:  # fmt: skip
    path = world.at(f"review/{pk}/{verb}/")
    answer = client.post(path, {"version": "1", **data}, headers=headers)
    return answer.status_code, answer.content.decode()


def test_a_plain_form_decides_and_returns_to_the_filtered_queue(world: Pages) -> None:
    mutation = make(world)
    here = world.at("review/?agent=ava")
    answer = world.client().post(
        world.at(f"review/{mutation.pk}/approve/"), {"version": 1, "next": here}
    )
    assert (answer.status_code, answer["Location"]) == (302, here)
    assert live(world) == ["Likes tea"]


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_a_form_returns_to_no_other_host(world: Pages, to: str) -> None:
    answer = world.client().post(
        world.at(f"review/{make(world).pk}/approve/"), {"version": 1, "next": to}
    )
    assert answer["Location"] == world.at()


def test_a_script_gets_the_card_as_it_is_now(world: Pages) -> None:
    mutation = make(world)
    status, html = post(world, world.client(), mutation.pk, "approve", HTMX)
    assert status == 200
    assert html.lstrip().startswith("<article")
    assert 'data-state="approved"' in html
    assert "by <bdi>you</bdi>" in html
    assert "data-undo" in html


def test_a_rejection_keeps_its_reason(world: Pages) -> None:
    client = world.client()
    first, second, third = make(world, "a"), make(world, "b"), make(world, "c")
    post(world, client, first.pk, "reject", reason="not true", other="ignored")
    post(world, client, second.pk, "reject", reason="", other="  in my words ")
    post(world, client, third.pk, "reject")
    reasons = [row(world, m.pk).reason for m in (first, second, third)]
    assert reasons == ["not true", "in my words", ""]
    assert live(world) == []


def test_a_version_that_was_not_shown_decides_nothing(world: Pages) -> None:
    mutation = make(world)
    with world.inside():
        Mutation.objects.filter(pk=mutation.pk).update(version=2, said_count=2)
    for version in ("1", "", "x", "²", "99999999999999999999"):
        status, html = post(world, world.client(), mutation.pk, "approve", HTMX, version=version)
        assert status == 409
        assert "It changed since it was shown: look again." in html
    assert row(world, mutation.pk).status == "pending"
    assert 'name="version" value="2"' in html


def test_the_second_decision_is_told_who_and_when(world: Pages) -> None:
    mutation = make(world)
    post(world, world.client(), mutation.pk, "approve")
    name = row(world, mutation.pk).resolved_by
    assert name is not None
    for headers in (HTMX, None):
        status, html = post(world, world.client(), mutation.pk, "reject", headers)
        assert status == 409
        assert f"Already approved by {name.get_username()} just now. Nothing was changed." in html


def test_a_stale_target_is_told_and_the_card_is_closed(world: Pages) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
        draft = Draft(content="Likes mate.")
        mutation = make_mutation(
            world.agent, world.visitor, operation="modify", draft=draft, target=memory
        )
        Memory.objects.filter(pk=memory.pk).update(version=7)
    status, html = post(world, world.client(), mutation.pk, "approve", HTMX)
    assert status == 409
    assert "goes back to be reconciled" in html
    assert "Stale" in html
    assert "data-approve" not in html
    assert row(world, mutation.pk).resolution == "stale"


@pytest.mark.parametrize("verb", ["approve", "reject", "edited", "undo"])
def test_a_viewer_is_refused_by_every_verb(world: Pages, verb: str) -> None:
    mutation = make(world)
    status, _ = post(world, world.client("viewer"), mutation.pk, verb, content="mine")
    assert status == 403
    assert row(world, mutation.pk).status == "pending"


def test_reading_decides_nothing(world: Pages) -> None:
    mutation = make(world)
    for verb in ("approve", "reject", "edited", "undo"):
        assert world.client().get(world.at(f"review/{mutation.pk}/{verb}/")).status_code == 405


def test_a_form_of_another_site_is_refused(world: Pages) -> None:
    client = world.client()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    assert strict.post(world.at(f"review/{make(world).pk}/approve/")).status_code == 403


# --- edit ------------------------------------------------------------------------------------


def form(**changed: str) -> dict[str, str]:
    typed = {"content": "Likes tea", "key": "/drinks/tea", "description": "Tea"}
    return typed | {"presence": "on-demand", "triggers": ""} | changed


def edited(world: Pages, mutation: Mutation, **changed: str) -> tuple[int, str]:
    return post(world, world.client(), mutation.pk, "edited", HTMX, **form(**changed))


def test_an_edit_stores_the_reviewers_words(world: Pages) -> None:
    mutation = make(world, key="/drinks/tea", description="Tea")
    status, _ = edited(
        world, mutation, content="Likes green tea\r\nand mate", presence="pattern",
        triggers=" tea \n\n mate\n",
    )  # fmt: skip
    assert status == 200
    with world.inside():
        memory = Memory.objects.get()
    assert memory.content == "Likes green tea\nand mate"
    assert memory.presence == Presence.PATTERN
    assert memory.trigger_patterns == ["tea", "mate"]
    assert row(world, mutation.pk).resolution == "edited"


def test_an_edit_that_changes_nothing_is_a_plain_approval(world: Pages) -> None:
    mutation = make(world, key="/drinks/tea", description="Tea")
    assert edited(world, mutation)[0] == 200
    assert row(world, mutation.pk).resolution == "approved"


def test_an_edit_of_a_modify_stays_a_patch(world: Pages) -> None:
    with world.inside():
        memory = make_memory(
            world.agent, world.visitor, "Likes tea", key="/drinks/tea", description="Tea"
        )
        mutation = make_mutation(
            world.agent, world.visitor, operation="modify", draft=Draft(content="Likes mate"),
            target=memory,
        )  # fmt: skip
    assert edited(world, mutation, content="Likes chai")[0] == 200
    assert row(world, mutation.pk).draft == {"content": "Likes chai"}


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("content", "", "Content: "),
        ("content", "x" * 2_001, "at most 2000 characters"),
        ("key", " / ", "slash path"),
        ("presence", "sometimes", "Presence: "),
        ("presence", "pattern", "needs at least one"),
    ],
)
def test_a_fault_in_an_edit_keeps_what_was_typed(
    world: Pages, field: str, value: str, told: str
) -> None:
    mutation = make(world, key="/drinks/tea", description="Tea")
    status, html = edited(world, mutation, **{"description": "typed by me", field: value})
    assert status == 400
    assert told in html.split('role="alert">')[1].split("</p>")[0]
    assert "typed by me" in html
    assert row(world, mutation.pk).status == "pending"


def test_the_form_is_for_those_who_may_and_not_for_deletes(world: Pages) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
        gone = make_mutation(world.agent, world.visitor, operation="delete", target=memory).pk
    mutation = make(world, "Likes <tea>")
    html = world.client().get(world.at(f"review/{mutation.pk}/edit/")).content.decode()
    assert "Likes &lt;tea&gt;</textarea>" in html
    assert world.client().get(world.at(f"review/{gone}/edit/")).status_code == 404
    viewer = world.client("viewer")
    assert viewer.get(world.at(f"review/{mutation.pk}/edit/")).status_code == 404


# --- undo ------------------------------------------------------------------------------------


def test_undo_puts_a_fresh_card_in_its_place(world: Pages) -> None:
    mutation = make(world)
    client = world.client()
    post(world, client, mutation.pk, "approve")
    status, html = post(world, client, mutation.pk, "undo", HTMX)
    assert status == 200
    assert 'data-state="pending"' in html
    assert f'data-card="{mutation.pk}"' not in html
    assert live(world) == []
    status, html = post(world, client, mutation.pk, "undo", HTMX)
    assert status == 409
    assert "Already undone." in html


def test_my_decisions_are_mine_and_newest_first(world: Pages) -> None:
    mine, other = world.client("editor"), world.client("editor")
    first, second, third = make(world, "Tea"), make(world, "Mate"), make(world, "Chai")
    post(world, mine, first.pk, "approve")
    post(world, other, second.pk, "approve")
    post(world, mine, third.pk, "reject", reason="not true")
    html = mine.get(world.at("review/mine/")).content.decode()
    assert html.index(">Chai<") < html.index(">Tea<")
    assert ">Mate<" not in html
    assert "reason: <bdi>not true</bdi>" in html
    assert html.count("/undo/") == 2
    assert (
        "Nothing decided yet."
        in world.client("viewer").get(world.at("review/mine/")).content.decode()
    )
