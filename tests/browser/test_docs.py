"""The schema as a page, in a browser: nothing is blocked, and every route can be read."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Desk

pytestmark = pytest.mark.browser


def test_the_page_of_the_schema_runs_under_the_strict_policy(desk: Desk) -> None:
    page = desk.context.new_page()
    page.goto(f"{desk.base}/api/docs/")
    expect(page.locator(".info .title")).to_contain_text("Keepsake")
    listed = page.locator(".opblock-tag")
    expect(listed.filter(has_text="People's memories")).to_be_visible()
    listed.filter(has_text="People's memories").click()
    route = page.locator(".opblock", has_text="List what every agent knows about a person").first
    route.click()
    expect(route.locator(".parameters-container")).to_contain_text("start_date")
    expect(route.locator(".responses-wrapper")).to_contain_text("The user is a software engineer")
