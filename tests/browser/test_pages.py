"""Every page in a browser: nothing blocked, nothing fetched elsewhere, a conversation works."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tenants.admin import site
from tests.browser.conftest import Desk
from tests.factories import World, make_memory, make_mutation

pytestmark = pytest.mark.browser


def test_the_admin_runs_under_the_strict_policy(desk: Desk, world: World, reviewer: User) -> None:
    User.objects.filter(pk=reviewer.pk).update(is_superuser=True)
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "<img src=x onerror=alert(1)>")
        mutation = make_mutation(world.agent, world.visitor)
    page = desk.sign_in(reviewer)
    paths = [model._meta.label_lower.replace(".", "/") + "/" for model in site._registry]
    paths += [
        "", f"memory/memory/{memory.pk}/change/", f"memory/mutation/{mutation.pk}/history/",
        "tenants/membership/add/", "django_celery_beat/periodictask/add/", "agents/agent/add/",
        f"agents/agent/{world.agent.pk}/change/", "password_change/",
    ]  # fmt: skip
    for path in paths:
        answer = page.goto(desk.at(f"admin/{path}"))
        assert answer is not None, path
        assert answer.status == 200, path
    page.goto(desk.at("admin/memory/mutation/"))
    page.locator("#result_list tbody input[type=checkbox]").first.check()
    page.locator("select[name=action]").select_option("approve_selected")
    page.get_by_role("button", name="Go").click()
    expect(page.locator(".messagelist")).to_contain_text("1 approved.")


def test_a_conversation_in_the_browser(desk: Desk, world: World) -> None:
    page = desk.context.new_page()
    page.goto(f"{desk.base}/widget/{world.agent.uid}/")
    page.get_by_label("Your message").fill("I like <b>green</b> tea.")
    page.keyboard.press("Enter")
    expect(page.locator(".bubble--user")).to_have_text("I like <b>green</b> tea.")
    reply = page.locator(".bubble--assistant")
    expect(reply).not_to_have_class("bubble bubble--assistant is-waiting")
    expect(reply).not_to_be_empty()
    expect(page.get_by_label("Your message")).to_be_focused()
    with world.inside():
        said = list(world.agent.conversations.get().messages.order_by("position"))
    assert [message.role for message in said] == ["user", "assistant"]
    page.keyboard.type("And mate.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".bubble--assistant")).to_have_count(2)
    expect(page.locator(".bubble--assistant").last).not_to_be_empty()
    with world.inside():
        assert world.agent.conversations.count() == 1


def test_the_memory_tab_comes_with_the_switch_and_fills_once_saved(
    desk: Desk, world: World, reviewer: User
) -> None:
    with world.inside():
        type(world.agent).objects.update(memory_enabled=False)
    page = desk.sign_in(reviewer)
    here = desk.at(f"agents/{world.agent.slug}/")
    page.goto(f"{here}memory/")
    expect(page).to_have_url(here)  # a deep link with memory off lands on Setup
    tab = page.get_by_role("link", name="Memory", exact=True).and_(page.locator(".tab--memory"))
    expect(tab).to_be_hidden()
    page.get_by_label("Memory", exact=True).check()
    expect(tab).to_be_visible()
    page.get_by_role("button", name="Save").click()
    tab.click()
    expect(page).to_have_url(re.compile(r"/memory/"))
