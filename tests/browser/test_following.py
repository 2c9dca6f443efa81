"""The Memory page in a browser: a write shows without a reload, and moves nothing in use."""

import pytest
from playwright.sync_api import Page, expect

from agents.models import Visitor
from memory import tools
from memory.tools import Person
from tenants.actor import Actor
from tests.browser.conftest import Desk

pytestmark = pytest.mark.browser

PORTO, LISBON = "The user lives in Porto.", "The user plays the oboe."


def test_a_write_shows_by_itself_and_waits_while_the_list_is_in_use(desk: Desk, page: Page) -> None:
    with desk.inside():
        Visitor.objects.filter(pk=desk.visitor.pk).update(user_id=desk.admin.user_id)
    person = Person(desk.tenant.pk, desk.visitor.pk, Actor.person(), "chat")
    desk.go(page, "memory/")
    expect(page.get_by_text("Nothing yet.")).to_be_visible()
    tools.remember(person, content=PORTO)
    expect(page.get_by_text(PORTO)).to_be_visible(timeout=15_000)
    page.get_by_text(PORTO).hover()
    tools.remember(person, content=LISBON)
    note = page.get_by_role("button", name="Something was written meanwhile")
    expect(note).to_be_visible(timeout=15_000)
    assert page.get_by_text(LISBON).count() == 0
    note.click()
    expect(page.get_by_text(LISBON)).to_be_visible()
    expect(note).to_have_count(0)
