"""Many at once and a colleague's decisions, as they happen on somebody's screen."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from memory import review
from memory.models import Mutation
from tests.browser.conftest import Desk
from tests.browser.test_review import card, live, propose
from tests.factories import World, make_draft, make_memory, make_mutation

pytestmark = pytest.mark.browser


def test_a_colleagues_decision_greys_the_card_in_its_place(
    desk: Desk, world: World, reviewer: User
) -> None:
    one, two, three = propose(world, "Tea", "Coffee", "Mate")
    page = desk.sign_in(reviewer)
    below = card(page, three)
    stood = below.bounding_box()
    review.approve(mutation_id=two.pk, by=world.admin)
    decided = card(page, two)
    expect(decided).to_have_attribute("data-state", "approved", timeout=8_000)
    with world.inside():
        two.refresh_from_db()
        assert two.resolved_by is not None
        expect(decided).to_contain_text(two.resolved_by.username)
    assert below.bounding_box() == stood
    expect(card(page, one)).to_have_attribute("data-state", "pending")


def test_those_like_this_are_shown_whole_and_each_gets_its_own_result(
    desk: Desk, world: World, reviewer: User
) -> None:
    with world.inside():
        made = [
            make_mutation(
                world.agent, world.visitor,
                draft=make_draft(f"Likes tea number {n}", key=f"/drinks/{n}"),
            )
            for n in range(3)
        ]  # fmt: skip
        make_memory(world.agent, world.visitor, "Already there", key="/drinks/1")
    page = desk.sign_in(reviewer)
    card(page, made[0]).get_by_text("More").click()
    page.get_by_role("link", name="Approve those like this").click()
    expect(page.get_by_role("heading", name="3 like this")).to_be_visible()
    page.get_by_role("button", name="Approve the 3 chosen").click()
    expect(page.locator("[data-told]")).to_have_text("2 of 3 approved")
    expect(page.locator(f'[data-item="{made[1].pk}"]')).to_contain_text("key is taken")
    assert live(world) == ["Already there", "Likes tea number 0", "Likes tea number 2"]
    with world.inside():
        assert Mutation.objects.filter(resolution="stale").count() == 1
