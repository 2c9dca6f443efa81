"""The Memory page in a browser: a write shows without a reload, and moves nothing in use."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from agents.models import Visitor
from memory import tools
from memory.tools import Person
from tenants.actor import Actor
from tests.browser.conftest import Desk
from tests.factories import World
from tests.orgs import stub_embedding

pytestmark = pytest.mark.browser

PORTO, OBOE = "The user lives in Porto.", "The user plays the oboe."


def test_a_write_shows_by_itself_and_waits_while_the_list_is_in_use(
    desk: Desk, world: World, reviewer: User
) -> None:
    with world.inside():
        Visitor.objects.filter(pk=world.visitor.pk).update(user=reviewer)
    person = Person(world.tenant.pk, world.visitor.pk, Actor.person(), "chat")
    page = desk.sign_in(reviewer)
    page.goto(desk.at("memory/"))
    page.evaluate("window.stays = true")

    def said(text: str) -> Any:
        return page.locator(".said", has_text=text)

    expect(page.get_by_text("Nothing yet.")).to_be_visible()
    with stub_embedding():
        tools.remember(person, content=PORTO)
        expect(said(PORTO)).to_be_visible(timeout=15_000)
        said(PORTO).hover()
        tools.remember(person, content=OBOE)
    note = page.get_by_role("button", name="Something was written meanwhile")
    expect(note).to_be_visible(timeout=15_000)
    assert said(OBOE).count() == 0
    note.click()
    expect(said(OBOE)).to_be_visible()
    expect(note).to_have_count(0)
    assert page.evaluate("window.stays")  # without a reload
