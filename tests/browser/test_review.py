"""A reviewer's day at the queue: by keys, without scripts, on a phone, beside a colleague."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from memory.models import Draft, Memory, Mutation
from tests.browser.conftest import Desk
from tests.factories import World, make_draft, make_memory, make_mutation, make_visitor

pytestmark = pytest.mark.browser


def propose(world: World, *contents: str) -> list[Mutation]:
    with world.inside():
        return [
            make_mutation(
                world.agent, make_visitor(), draft=make_draft(content, key=f"/notes/{number}")
            )
            for number, content in enumerate(contents)
        ]


def ends(world: World) -> dict[int, tuple[str, str]]:
    with world.inside():
        rows = Mutation.objects.values_list("pk", "resolution", "reason")
        return {pk: (resolution, reason) for pk, resolution, reason in rows}


def live(world: World) -> list[str]:
    with world.inside():
        return sorted(Memory.objects.live().values_list("content", flat=True))


def card(page: Page, mutation: Mutation) -> Any:
    return page.locator(f'[data-card="{mutation.pk}"]')


def current(page: Page) -> Any:
    return page.locator('[data-card][aria-current="true"]')


def test_a_day_by_keys(desk: Desk, world: World, reviewer: User) -> None:
    one, two, three, four = propose(world, "Tea", "Coffee", "Mate", "Chai")
    page = desk.sign_in(reviewer)
    expect(current(page)).to_have_attribute("data-card", str(one.pk))
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(current(page)).to_have_attribute("data-card", str(three.pk))
    page.keyboard.press("k")
    page.keyboard.press("k")
    page.keyboard.press("a")
    expect(card(page, one)).to_have_attribute("data-state", "approved")
    expect(current(page)).to_have_attribute("data-card", str(two.pk))
    page.keyboard.press("r")
    page.keyboard.press("2")
    expect(card(page, two)).to_have_attribute("data-state", "rejected")
    page.keyboard.press("r")
    page.keyboard.press("r")
    expect(card(page, three)).to_have_attribute("data-state", "rejected")
    page.keyboard.press("e")
    field = page.get_by_label("Text", exact=True).and_(page.locator("textarea"))
    expect(field).to_be_focused()
    field.fill("Chai with milk ajr")  # letters that are keys elsewhere
    page.keyboard.press("Control+Enter")
    expect(card(page, four)).to_have_attribute("data-state", "approved")
    assert ends(world) == {
        one.pk: ("approved", ""),
        two.pk: ("rejected", "not worth keeping"),
        three.pk: ("rejected", ""),
        four.pk: ("edited", ""),
    }
    assert live(world) == ["Chai with milk ajr", "Tea"]
    page.keyboard.press("u")
    expect(page.locator('[data-state="pending"]')).to_have_count(1)
    assert live(world) == ["Tea"]
    expect(page).to_have_url(desk.at("review/"))


def test_the_help_opens_and_closes(desk: Desk, world: World, reviewer: User) -> None:
    propose(world, "Tea")
    page = desk.sign_in(reviewer)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    assert live(world) == []


def test_a_reason_in_ones_own_words(desk: Desk, world: World, reviewer: User) -> None:
    (one,) = propose(world, "Tea")
    page = desk.sign_in(reviewer)
    page.keyboard.press("r")
    page.keyboard.press("o")
    page.keyboard.type("said in jest")
    page.keyboard.press("Enter")
    expect(card(page, one)).to_have_attribute("data-state", "rejected")
    assert ends(world)[one.pk] == ("rejected", "said in jest")


def test_a_colleague_was_faster(desk: Desk, world: World, reviewer: User) -> None:
    one, two = propose(world, "Tea", "Mate")
    page, other = desk.sign_in(reviewer), desk.context.new_page()
    other.goto(desk.at("review/"))
    other.keyboard.press("a")
    expect(card(other, one)).to_have_attribute("data-state", "approved")
    desk.expected = ["409"]  # Chromium reports every such answer
    page.keyboard.press("r")
    page.keyboard.press("r")
    expect(card(page, one).get_by_role("alert")).to_contain_text("Already approved by mira")
    expect(card(page, one)).to_have_attribute("data-state", "approved")
    assert live(world) == ["Tea"]
    assert ends(world)[two.pk] == ("", "")


def test_everything_works_without_scripts(make_desk: Any, world: World, reviewer: User) -> None:
    one, two, three = propose(world, "Tea", "Coffee", "Mate")
    desk: Desk = make_desk(java_script_enabled=False)
    page = desk.sign_in(reviewer)
    card(page, one).get_by_role("button", name="Approve").click()
    expect(page.get_by_role("status")).to_contain_text("Approved: /notes/0.")
    card(page, two).locator("[data-reject] summary").click()
    card(page, two).get_by_role("button", name="Not true").click()
    card(page, three).get_by_role("link", name="Edit").click()
    page.get_by_label("Text", exact=True).fill("Mate, cold")
    page.get_by_role("button", name="Save and approve").click()
    expect(page).to_have_url(desk.at("review/"))
    assert live(world) == ["Mate, cold", "Tea"]
    page.get_by_role("link", name="My decisions today").click()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("status")).to_contain_text("waits again")
    assert live(world) == ["Tea"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_wild_text_fits_a_phone(make_desk: Any, world: World, reviewer: User, scheme: str) -> None:
    with world.inside():
        visitor = make_visitor("v" * 200)
        memory = make_memory(world.agent, visitor, "W" * 2_000, key="/" + "k" * 199)
        draft = Draft(content="\u202e" + "M" * 1_990, description="D" * 200)
        make_mutation(
            world.agent, visitor, operation="modify", draft=draft, target=memory,
            reasoning="<img src=x onerror=alert(1)>" + "r" * 400, flags=["f" * 40],
        )  # fmt: skip
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": scheme}
    desk: Desk = make_desk(**phone)
    page = desk.sign_in(reviewer)
    for path in (
        "review/",
        f"agents/{world.agent.slug}/",
        f"agents/{world.agent.slug}/memory/",
        "review/mine/",
        "agents/",
    ):
        page.goto(desk.at(path))
        assert page.evaluate("document.documentElement.scrollWidth") == 390, path
    page.goto(desk.at("review/"))
    page.get_by_role("button", name="Approve").tap()
    expect(page.locator('[data-state="approved"]')).to_have_count(1)


def test_the_theme_is_switched_and_kept(desk: Desk, world: World, reviewer: User) -> None:
    page = desk.sign_in(reviewer)
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.locator("[data-theme-switch]").click()
    page.locator("[data-theme-switch]").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    dark = page.evaluate(paper)
    assert dark != light
    page.goto(desk.at("admin/"))
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate(paper) == dark
