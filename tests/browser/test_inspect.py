"""The Recall tab, a history and a try on a card, in a browser: wide, narrow, dark, light."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from memory import review
from memory.learning import embed
from memory.models import Draft, Memory, Mutation, Presence, Reader
from memory.providers import default_space
from memory.recall.context import prepare, recall
from memory.recall.traces import store_trace
from tests.browser.conftest import Desk
from tests.factories import World, make_draft, make_memory, make_mutation

pytestmark = pytest.mark.browser
PICTURES = Path(__file__).resolve().parents[2] / "screenshots"


def lived_in(world: World) -> Memory:
    """A memory with a past, neighbours of every kind, and two proposals that wait."""
    with world.inside():
        make_memory(
            world.agent,
            None,
            "Answer in short sentences, and never promise a delivery date.",
            key="/tone",
            presence=Presence.OMNIPRESENT,
        )
        make_memory(
            world.agent,
            None,
            "Refunds are paid within 14 days to the card used.",
            key="/shop/refunds",
            presence=Presence.PATTERN,
            trigger_patterns=["refund"],
        )
        for key, text in (
            ("/food/allergies", "The user is allergic to peanuts and carries an injector."),
            ("/food/drinks", "The user drinks oat milk, no cow's milk."),
            ("/travel/seat", "The user prefers an aisle seat on long flights."),
            ("/work/hours", "The user works from Tuesday to Saturday."),
            ("/pets/dog", "The user has an old dog named Rufus."),
            ("/music/jazz", "The user plays the double bass in a trio."),
            ("/home/city", "The user lives in Porto, near the river."),
        ):
            make_memory(world.agent, world.visitor, text, key=key)
        first = make_mutation(
            world.agent,
            world.visitor,
            reasoning="Said twice in one talk.",
            draft=make_draft("The user eats sushi on Fridays.", key="/food/sushi"),
        )
    memory = review.approve(mutation_id=first.pk, by=world.admin).memory
    assert memory is not None
    with world.inside():
        second = make_mutation(
            world.agent,
            world.visitor,
            operation="modify",
            target=memory,
            draft=Draft(
                content="The user eats sushi every Monday, never on Friday.",
                description="sushi on Mondays",
            ),
        )
    memory = review.approve(mutation_id=second.pk, by=world.admin).memory
    assert memory is not None
    embed.step(world.tenant.pk)
    query = prepare("Any sushi nearby?", space=default_space(), timeout=5)
    with world.inside():
        told = recall(Reader.for_chat(world.agent.pk, world.visitor.pk), query)
        store_trace(told, agent_id=world.agent.pk, visitor_id=world.visitor.pk, channel="chat")
        make_mutation(
            world.agent,
            world.visitor,
            operation="modify",
            target=memory,
            draft=Draft(content="The user gave up sushi."),
        )
        make_mutation(
            world.agent,
            draft=make_draft(
                "Offer help with returns at the end of every answer.",
                key="/tone/returns",
                presence=Presence.OMNIPRESENT,
            ),
        )
    return memory


def fits(page: Page) -> None:
    """Nothing reaches past the right edge."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{page.url} is {wide}px too wide"


def take(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=str(PICTURES / f"{name}.png"), full_page=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_inspect_history_and_try(
    make_desk: Any, world: World, reviewer: User, width: int, scheme: str
) -> None:
    memory = lived_in(world)
    desk: Desk = make_desk(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = desk.sign_in(reviewer)

    page.goto(desk.at(f"agents/{world.agent.slug}/"))
    page.get_by_role("link", name="Recall", exact=True).click()
    page.get_by_label("Message, as a visitor would write it").fill("Where can I eat sushi today?")
    page.get_by_label("Visitor", exact=True).fill(world.visitor.host_id or "")
    page.get_by_role("button", name="Recall").click()
    expect(page.locator(".block")).to_contain_text("[/food/sushi] The user eats sushi every Monday")
    left_out = page.get_by_role("region", name="Left out")
    expect(left_out).to_contain_text(re.compile("below the floor|beyond the nearest"))
    expect(left_out).to_contain_text("none of its triggers")
    fits(page)
    take(page, f"recall-{width}-{scheme}")

    page.get_by_role("link", name="/food/sushi").click()
    expect(page).to_have_url(desk.at(f"memories/{memory.pk}/"))
    expect(page.locator("ins").first).to_contain_text("Monday")
    expect(page.get_by_role("region", name="Recalled lately")).to_contain_text("searched")
    fits(page)
    take(page, f"history-{width}-{scheme}")

    page.get_by_role("link", name="review it").click()
    page.get_by_text("What would recall say?").click()
    page.get_by_label("A message to try it with").fill("sushi?")
    page.get_by_role("button", name="Try").click()
    expect(page.locator(".outcome")).to_contain_text("[/food/sushi] The user gave up sushi.")
    expect(page.get_by_label("A message to try it with")).to_have_value("sushi?")
    fits(page)
    take(page, f"try-{width}-{scheme}")
    page.goto(desk.at("review/"))
    expect(page.locator(".follows").first).to_contain_text("of 500 tokens")
    fits(page)
    take(page, f"follows-{width}-{scheme}")
    with world.inside():
        assert Mutation.objects.pending().count() == 2
