"""A real Chromium against the live server; whatever it complains of or fetches elsewhere fails."""

import os
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.factories import World, make_member, make_user

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
PASSWORD = "kept-for-the-tests"


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    if not os.access(CHROMIUM, os.X_OK):
        missing = "no Chromium on this machine: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    # The driver keeps an event loop in this thread, where the tests also ask the database.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            yield browser
            browser.close()


class Desk:
    """Somebody at a screen: pages of one signed-in browser, and what went wrong in it."""

    def __init__(self, context: BrowserContext, base: str, world: World) -> None:
        self.context, self.base, self.world = context, base, world
        self.faults: list[str] = []
        self.expected: list[str] = []
        self.also = ["data:"]  # what else may be asked for: a page of another site that frames us
        context.on("console", self._console)
        context.on("weberror", lambda fault: self.faults.append(str(fault.error)))
        context.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.page.url}: {message.text}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.base, *self.also)):
            self.faults.append(f"outside request: {request.url}")

    def at(self, path: str) -> str:
        return f"{self.base}/t/{self.world.tenant.slug}/{path}"

    def sign_in(self, user: User) -> Page:
        page = self.context.new_page()
        page.goto(self.base + f"/t/{self.world.tenant.slug}/review/")
        page.get_by_label("Name").fill(user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/review/")
        return page

    def unexpected(self) -> list[str]:
        return [f for f in self.faults if not any(word in f for word in self.expected)]


@pytest.fixture
def world(transactional_db: None) -> World:
    return World()


@pytest.fixture
def reviewer(world: World) -> User:
    user = make_user("mira", password=PASSWORD)
    with world.inside():
        make_member("owner", user=user)
    return user


@pytest.fixture
def make_desk(chromium: Browser, world: World, live_server: LiveServer) -> Iterator[Any]:
    desks: list[Desk] = []

    def make(**options: Any) -> Desk:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(10_000)
        desks.append(Desk(context, live_server.url, world))
        return desks[-1]

    yield make
    faults = [fault for desk in desks for fault in desk.unexpected()]
    for desk in desks:
        desk.context.close()
    _until_quiet()
    assert faults == []


def _until_quiet(seconds: float = 10) -> None:
    """Wait for requests that a closed browser left behind: the flush would meet their locks."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            if cursor.fetchone()[0] == 0:
                return
        time.sleep(0.05)


@pytest.fixture
def desk(make_desk: Any) -> Desk:
    made: Desk = make_desk()
    return made
