"""The Memory tab in a browser: rows decided by check, cross and keys, opened, undone, beside a
colleague."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests.browser.conftest import Desk
from tests.browser.test_review import card, current, ends, live, propose
from tests.factories import World

pytestmark = pytest.mark.browser


def at_tab(desk: Desk, world: World, reviewer: User) -> Page:
    page = desk.sign_in(reviewer)
    page.goto(desk.at(f"agents/{world.agent.slug}/memory/"))
    return page


def test_check_approves_and_cross_rejects_without_a_reload(
    desk: Desk, world: World, reviewer: User
) -> None:
    one, two, three = propose(world, "Tea", "Coffee", "Mate")
    page = at_tab(desk, world, reviewer)
    count = page.locator("#pending + [data-waiting]")
    expect(count).to_have_text("3")
    page.get_by_role("button", name="Approve /notes/0").click()
    expect(card(page, one)).to_have_attribute("data-state", "approved")
    expect(count).to_have_text("2")
    page.get_by_role("button", name="Reject /notes/1").click()
    expect(card(page, two)).to_have_attribute("data-state", "rejected")
    expect(count).to_have_text("1")
    expect(current(page)).to_have_attribute("data-card", str(three.pk))
    page.keyboard.press("u")
    expect(count).to_have_text("2")
    assert live(world) == ["Tea"]
    assert ends(world)[two.pk] == ("rejected", "")


def test_the_keys_of_the_queue_work_on_rows(desk: Desk, world: World, reviewer: User) -> None:
    one, two, three = propose(world, "Tea", "Coffee", "Mate")
    page = at_tab(desk, world, reviewer)
    page.keyboard.press("a")
    expect(card(page, one)).to_have_attribute("data-state", "approved")
    page.keyboard.press("r")
    page.keyboard.press("3")
    expect(card(page, two)).to_have_attribute("data-state", "rejected")
    page.keyboard.press("e")
    field = page.get_by_label("Text", exact=True).and_(page.locator("textarea"))
    expect(field).to_be_focused()
    field.fill("Mate, cold")
    page.keyboard.press("Control+Enter")
    expect(card(page, three)).to_have_attribute("data-state", "approved")
    assert live(world) == ["Mate, cold", "Tea"]
    assert ends(world)[two.pk] == ("rejected", "too private")


def test_enter_opens_a_row_in_its_place(desk: Desk, world: World, reviewer: User) -> None:
    (one,) = propose(world, "Tea")
    page = at_tab(desk, world, reviewer)
    page.keyboard.press("j")
    page.keyboard.press("j")
    card(page, one).focus()
    page.keyboard.press("Enter")
    expect(card(page, one).locator(".evidence")).to_be_visible()
    page.keyboard.press("a")
    expect(card(page, one)).to_have_attribute("data-state", "approved")


def test_a_row_that_was_put_in_place_takes_a_key_at_once(
    desk: Desk, world: World, reviewer: User
) -> None:
    """No wait between a fragment's arrival and its buttons: a key in between would submit the form
    as if there were no scripts, and leave the page."""
    (one,) = propose(world, "Tea")
    page = at_tab(desk, world, reviewer)
    page.evaluate(
        """() => new MutationObserver((_, observer) => {
             if (!document.querySelector("[data-card] .evidence")) return;
             observer.disconnect();
             document.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
           }).observe(document.body, { childList: true, subtree: true })"""
    )
    card(page, one).focus()
    page.keyboard.press("Enter")
    expect(card(page, one)).to_have_attribute("data-state", "approved")
    expect(page).to_have_url(desk.at(f"agents/{world.agent.slug}/memory/"))


def test_a_colleagues_decision_greys_the_row(make_desk: Any, world: World, reviewer: User) -> None:
    one, two = propose(world, "Tea", "Mate")
    mine: Desk = make_desk()
    page, other = at_tab(mine, world, reviewer), mine.context.new_page()
    other.goto(mine.at("review/"))
    other.keyboard.press("a")
    expect(card(other, one)).to_have_attribute("data-state", "approved")
    expect(card(page, one)).to_have_attribute("data-state", "approved", timeout=4_000)
    expect(page.locator("#pending + [data-waiting]")).to_have_text("1")
    expect(card(page, two)).to_have_attribute("data-state", "pending")


def test_rows_are_decided_without_scripts(make_desk: Any, world: World, reviewer: User) -> None:
    one, two = propose(world, "Tea", "Coffee")
    desk: Desk = make_desk(java_script_enabled=False)
    page = at_tab(desk, world, reviewer)
    page.get_by_role("button", name="Approve /notes/0").click()
    expect(page).to_have_url(desk.at(f"agents/{world.agent.slug}/memory/"))
    page.get_by_role("button", name="Reject /notes/1").click()
    assert ends(world) == {one.pk: ("approved", ""), two.pk: ("rejected", "")}
