"""Memories of people in a browser: the counter, refusals under the field, questions, pages."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from agents.models import Visitor
from memory import store
from memory.models import Category, Draft, Memory
from tenants.actor import Actor
from tenants.models import Token
from tests.browser.conftest import Desk
from tests.browser.test_accessibility import faults
from tests.factories import World, make_key, make_memory
from tests.orgs import stub_embedding

pytestmark = pytest.mark.browser

WINDOW = "Our refund window is 30 days."


@pytest.fixture(autouse=True)
def embedding() -> Any:
    with stub_embedding():
        yield


def knows(world: World, *contents: str) -> None:
    with world.inside():
        for content in contents:
            store.add(
                tenant_id=world.tenant.pk,
                kind=Memory.Kind.KNOWLEDGE,
                agent_id=world.agent.pk,
                visitor_id=None,
                draft=Draft(content=content),
                by=Actor.user(world.admin.user_id or 0),
            )


def about(world: World, content: str, *, by_agent: bool = False) -> Memory:
    with world.inside():
        Category.objects.of(world.agent.pk)
        return store.add(
            tenant_id=world.tenant.pk,
            kind=Memory.Kind.PERSON,
            agent_id=world.agent.pk if by_agent else None,
            visitor_id=world.visitor.pk,
            draft=Draft(content=content, category="preferences")
            if by_agent
            else Draft(content=content, label="general"),
            by=Actor.user(world.admin.user_id or 0),
        )


def texts(world: World) -> list[str]:
    with world.inside():
        return sorted(Memory.objects.live().values_list("content", flat=True))


def shared(desk: Desk, world: World, reviewer: User) -> Page:
    page = desk.sign_in(reviewer)
    page.goto(desk.at(f"agents/{world.agent.slug}/memory/shared/"))
    return page


def row(page: Page, text: str) -> Any:
    return page.locator("li", has_text=text)


def test_ten_characters_at_least(desk: Desk, world: World, reviewer: User) -> None:
    page = shared(desk, world, reviewer)
    text = page.get_by_label("New entry")
    save, counter = page.get_by_role("button", name="Save"), page.locator("#add-count")
    expect(save).to_be_disabled()
    text.press_sequentially("  123456789  ")
    expect(counter).to_have_text("9 of at least 10 characters")
    expect(save).to_be_disabled()
    text.fill("🍣" * 9)
    expect(counter).to_have_text("9 of at least 10 characters")
    text.fill("🍣" * 10)
    expect(counter).to_have_text("10 of 2,000 characters")
    expect(save).to_be_enabled()
    text.fill("x")
    expect(save).to_be_disabled()
    text.fill(WINDOW)
    page.evaluate("window.stays = true")
    save.click()
    expect(row(page, WINDOW)).to_contain_text("Added by mira · just now")
    expect(text).to_have_value("")
    expect(save).to_be_disabled()
    assert page.evaluate("window.stays")  # without a reload
    assert page.url == desk.at(f"agents/{world.agent.slug}/memory/shared/")


def test_the_409_stands_under_the_field(desk: Desk, world: World, reviewer: User) -> None:
    knows(world, WINDOW, "We open at nine.")
    desk.expected = ["409"]  # Chromium reports every such answer
    page = shared(desk, world, reviewer)
    address = page.url
    text = page.get_by_label("New entry")
    text.fill(WINDOW.upper())
    page.get_by_role("button", name="Save").click()
    error = page.locator("#add-content-error")
    expect(error).to_have_text("Memory already exists.")
    assert error.bounding_box()["y"] > text.bounding_box()["y"]  # type: ignore[index]
    expect(text).to_have_value(WINDOW.upper())
    expect(text).to_be_focused()
    expect(text).to_have_attribute("aria-invalid", "true")
    assert page.url == address
    own = row(page, "We open at nine.")
    own.locator("summary", has_text="Edit").click()
    expect(own.get_by_label("Entry")).to_be_focused()
    own.get_by_label("Entry").fill(WINDOW)
    own.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_have_text("Memory already exists.")
    expect(page.locator("textarea[aria-invalid=true]")).to_have_value(WINDOW)
    assert texts(world) == sorted([WINDOW, "We open at nine."])


def test_delete_asks_first(desk: Desk, world: World, reviewer: User) -> None:
    knows(world, WINDOW)
    page = shared(desk, world, reviewer)
    ask = row(page, WINDOW).locator("summary", has_text="Delete")
    sure = page.get_by_role("button", name="Delete", exact=True)
    ask.click()
    expect(page.get_by_text("Delete this entry?")).to_be_visible()
    page.get_by_role("button", name="Keep it").click()
    expect(sure).to_be_hidden()
    expect(ask).to_be_focused()
    page.keyboard.press("Enter")  # by keys alone
    page.keyboard.press("Escape")
    expect(sure).to_be_hidden()
    assert texts(world) == [WINDOW]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(sure).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing shared yet.")).to_be_visible()
    expect(page.locator("#messages")).to_contain_text("Deleted.")
    assert texts(world) == []


def test_the_last_row_of_a_page_leaves_the_page_before(
    desk: Desk, world: World, reviewer: User
) -> None:
    knows(world, *[f"House rule number {number}." for number in range(41)])
    page = shared(desk, world, reviewer)
    page.get_by_role("link", name="Older").click()
    expect(page.get_by_text("Page 2 of 3")).to_be_visible()
    page.get_by_role("link", name="Older").click()
    expect(page.locator("li[id^=memory]")).to_have_count(1)
    page.locator("summary", has_text="Delete").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("li[id^=memory]")).to_have_count(20)
    expect(page.get_by_text("Page 2 of 2")).to_be_visible()
    page.go_back()
    page.wait_for_load_state("networkidle")
    expect(page.locator("li[id^=memory]")).to_have_count(20)


def test_user_memories_by_hand(desk: Desk, world: World, reviewer: User) -> None:
    page = desk.sign_in(reviewer)
    page.goto(desk.at(f"agents/{world.agent.slug}/memory/people/"))
    page.get_by_text("Add a memory by hand").click()
    page.get_by_label("Person").and_(page.locator("#add-person")).fill("new-one")
    page.get_by_label("Category").select_option("learning_goals")
    page.get_by_label("What the agent should know about them").fill("Wants to learn Rust.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#messages")).to_contain_text("a new person with it")
    memory = row(page, "Wants to learn Rust.")
    memory.locator("summary", has_text="Edit").click()
    memory.get_by_label("Category").select_option("preferences")
    memory.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Preferences")).to_be_visible()
    page.get_by_role("link", name="Learning Goals 0").click()
    expect(page.get_by_text("Nothing here matches.")).to_be_visible()
    page.get_by_role("link", name="Preferences 1").click()
    expect(memory).to_be_visible()
    page.get_by_role("link", name="Manage categories").click()
    page.get_by_role("button", name="Deactivate Preferences").click()
    expect(page.get_by_role("button", name="Reactivate Preferences")).to_be_visible()


def test_a_persons_link(desk: Desk, world: World) -> None:
    about(world, "Lives by the sea.")
    about(world, "Prefers short answers.", by_agent=True)
    with world.inside():
        key = make_key(kind=Token.Kind.PERSON, visitor_id=world.visitor.pk)
    page = desk.context.new_page()
    page.goto(f"{desk.base}/memory/person/#{key}")
    expect(row(page, "Lives by the sea.")).to_be_visible()
    assert key not in page.url
    assert key not in page.content()
    assert key not in page.evaluate("document.cookie")
    page.get_by_label("Auto-capture memories").click()
    expect(page.locator("#messages")).to_contain_text("Saved.")
    with world.inside():
        assert not Visitor.objects.get(pk=world.visitor.pk).auto_capture_enabled
    row(page, "Prefers short answers.").locator("summary").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.locator("#messages")).to_contain_text("Deleted for good.")
    assert texts(world) == ["Lives by the sea."]
    with page.expect_download() as download:
        page.get_by_role("link", name="Download JSON").click()
    assert download.value.suggested_filename.endswith(".json")
    page.get_by_role("link", name="Erase everything").click()
    page.get_by_label("Erase it.").check()
    page.get_by_role("button", name="Erase everything").click()
    expect(page.get_by_text("Receipt", exact=True)).to_be_visible()
    assert texts(world) == []
    page.goto(f"{desk.base}/memory/person/")
    expect(page.get_by_label("Your key")).to_be_visible()


def test_another_link_shows_another_person(desk: Desk, world: World) -> None:
    """A shared browser: the page of whose link was opened last, and of nobody before."""
    about(world, "Lives by the sea.")
    with world.inside():
        visitor = Visitor.objects.create(host_id="second")
        first, second = (
            make_key(kind=Token.Kind.PERSON, visitor_id=each.pk)
            for each in (world.visitor, visitor)
        )
    page = desk.context.new_page()
    page.goto(f"{desk.base}/memory/person/#{first}")
    expect(row(page, "Lives by the sea.")).to_be_visible()
    page.goto(f"{desk.base}/memory/person/#{second}")
    expect(page.get_by_text("about second")).to_be_visible()
    expect(row(page, "Lives by the sea.")).to_be_hidden()


def test_without_scripts(make_desk: Any, world: World, reviewer: User) -> None:
    knows(world, WINDOW)
    desk: Desk = make_desk(java_script_enabled=False)
    page = shared(desk, world, reviewer)
    page.get_by_label("New entry").fill("We open at nine.")
    page.locator("form", has=page.get_by_label("New entry")).get_by_role("button").click()
    expect(row(page, "We open at nine.")).to_be_visible()
    row(page, WINDOW).locator("summary", has_text="Delete").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Deleted.")
    assert texts(world) == ["We open at nine."]
    page.goto(desk.at("memory/settings/"))
    page.get_by_label("Memory for this organisation").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Memory is off")
    with world.inside():
        key = make_key(kind=Token.Kind.PERSON, visitor_id=world.visitor.pk)
    page.goto(f"{desk.base}/memory/person/")
    page.get_by_label("Your key").fill(key)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("heading", name="Global Memories")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_wild_text_fits_a_phone(make_desk: Any, world: World, reviewer: User, scheme: str) -> None:
    with world.inside():
        Visitor.objects.filter(pk=world.visitor.pk).update(
            host_id="v" * 200, name="n" * 200, user=reviewer
        )
        make_memory(world.agent, world.visitor, "W" * 2_000, key="/" + "k" * 199)
        category = next(c for c in Category.objects.of(world.agent.pk) if c.slug == "preferences")
        category.name, category.description = "C" * 100, "D" * 500
        category.extraction_prompt = "\u202e" + "H" * 1_900
        category.save()
    knows(world, "M" * 2_000, "<img src=x onerror=alert(1)> " + "x" * 300)
    about(world, "\u202e" + "M" * 1_990)
    about(world, "G" * 2_000, by_agent=True)
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": scheme}
    desk: Desk = make_desk(**phone)
    page = desk.sign_in(reviewer)
    tab = f"agents/{world.agent.slug}/memory/"
    person = f"memory/people/{world.visitor.pk}/"
    paths = (
        tab, tab + "people/", tab + "shared/", tab + "categories/", "memory/settings/", person,
        person + "erase/",
        "memory/", "memory/mine/erase/",
    )  # fmt: skip
    for path in paths:
        page.goto(desk.at(path))
        assert page.evaluate("document.documentElement.scrollWidth") == 390, path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_for_people_who_do_not_see_it(
    make_desk: Any, world: World, reviewer: User, scheme: str
) -> None:
    """axe-core, with the forms of a row open and after a refusal."""
    knows(world, WINDOW)
    about(world, "Lives by the sea.")
    about(world, "Prefers short answers.", by_agent=True)
    with world.inside():
        Visitor.objects.filter(pk=world.visitor.pk).update(user=reviewer)
        key = make_key(kind=Token.Kind.PERSON, visitor_id=world.visitor.pk)
    desk: Desk = make_desk(color_scheme=scheme)
    desk.expected = ["409"]
    page, found = desk.sign_in(reviewer), []
    tab, person = f"agents/{world.agent.slug}/memory/", f"memory/people/{world.visitor.pk}/"
    paths = (
        tab, tab + "people/", tab + "people/?person=nobody", tab + "categories/",
        "memory/settings/", person, person + "erase/", "memory/", tab + "shared/",
    )  # fmt: skip
    for path in paths:
        page.goto(desk.at(path))
        for verb in page.locator("summary:visible", has_text="Edit").all()[:1]:
            verb.click()
        found += faults(desk, page)
    page.get_by_label("New entry").fill(WINDOW)
    page.get_by_role("button", name="Save").first.click()
    expect(page.locator("#add-content-error")).to_be_visible()
    found += faults(desk, page)
    page.goto(f"{desk.base}/memory/person/")
    found += faults(desk, page)
    page.goto(f"{desk.base}/memory/person/#{key}")
    expect(row(page, "Lives by the sea.")).to_be_visible()
    row(page, "Lives by the sea.").locator("summary").click()
    found += faults(desk, page)
    assert found == []
