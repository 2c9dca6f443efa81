"""The widget on a page of another site: by keys, under strict policies, with a cookie of its own.

Two origins and two sites: ours is `localhost`, the other one `127.0.0.1`.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import FrameLocator, Page, expect

from agents.models import Visitor
from memory.models import Memory
from tests.browser.conftest import Desk
from tests.factories import World, make_agent, make_memory, make_mutation

pytestmark = pytest.mark.browser


@contextmanager
def other_site(ours: str, body: str) -> Iterator[str]:
    """A page of somebody else, which allows our script and frame and nothing besides."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = f"<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1>{body}".encode()
            found = self.path.startswith("/page")
            self.send_response(200 if found else 204)
            if found:
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header(
                    "Content-Security-Policy",
                    f"default-src 'none'; script-src {ours}; frame-src {ours}; "
                    "require-trusted-types-for 'script'",
                )
                self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            if found:
                self.wfile.write(page)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def lines(desk: Desk, agent: Any, more: str = "") -> str:
    return f'<script src="{desk.base}/embed.js" data-agent-id="{agent.uid}" {more} async></script>'


@contextmanager
def shop(desk: Desk, *scripts: str) -> Iterator[Page]:
    assert "//localhost:" in desk.base
    body = "<p><a href='#x'>A link</a></p>" + "".join(scripts)
    with other_site(desk.base, body) as site:
        desk.also.append(site)
        page = desk.context.new_page()
        page.goto(f"{site}/page")
        yield page
        page.close()


def launcher(page: Page) -> Any:
    return page.get_by_role("button", name="Chat", exact=True)


def frame(page: Page) -> FrameLocator:
    return page.frame_locator("iframe[title=Chat]")


def say(page: Page, text: str, answers: int = 1) -> None:
    inside = frame(page)
    expect(inside.get_by_label("Your message")).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(inside.locator(".bubble--assistant:not(.is-waiting)")).to_have_count(answers)
    expect(inside.locator(".bubble--assistant").last).not_to_be_empty()


def visitors(world: World) -> list[Visitor]:
    with world.inside():
        return list(Visitor.objects.filter(cookie__isnull=False))


def test_by_keys_alone_in_a_frame_of_another_site(desk: Desk, world: World) -> None:
    asked: list[str] = []
    desk.context.on("request", lambda request: asked.append(request.url))
    with shop(desk, lines(desk, world.agent)) as page:
        expect(launcher(page)).to_have_attribute("aria-expanded", "false")
        assert not [url for url in asked if "/widget/" in url]  # not before it is wanted
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        expect(launcher(page)).to_be_focused()
        page.keyboard.press("Enter")
        expect(launcher(page)).to_have_attribute("aria-expanded", "true")
        say(page, "I like green tea.")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("x")
        expect(frame(page).get_by_label("Your message")).to_have_value("\nx")
        page.keyboard.press("Escape")
        expect(launcher(page)).to_be_focused()
        expect(launcher(page)).to_have_attribute("aria-expanded", "false")
        expect(page.locator("iframe")).to_be_hidden()
        page.keyboard.press("Enter")
        expect(frame(page).get_by_label("Your message")).to_be_focused()
        expect(frame(page).locator(".bubble--assistant")).to_have_count(1)  # the same one
        assert len([url for url in asked if "/widget/" in url]) == 1


def test_the_cookie_outlives_a_reload_of_the_page_around(desk: Desk, world: World) -> None:
    with shop(desk, lines(desk, world.agent)) as page:
        launcher(page).click()
        say(page, "I like green tea.")
        (cookie,) = [each for each in desk.context.cookies() if each["name"] == "va_ext"]
        assert (cookie["sameSite"], cookie["secure"], cookie["httpOnly"]) == ("None", True, True)
        assert "127.0.0.1" in str(cookie.get("partitionKey"))
        page.reload()
        launcher(page).click()
        # The thread is not there: a private window keeps no storage for a frame of another site.
        say(page, "And mate.")
    assert len(visitors(world)) == 1


def test_the_thread_lasts_as_long_as_the_tab(desk: Desk, world: World) -> None:
    address = f"{desk.base}/widget/{world.agent.uid}/"

    def tab(*before: str) -> Page:
        page = desk.context.new_page()
        page.goto(address)
        expect(page.locator(".bubble--user")).to_have_text(list(before))
        return page

    def ask(page: Page, text: str, answers: int) -> None:
        page.get_by_label("Your message").fill(text)
        page.keyboard.press("Enter")
        expect(page.locator(".bubble--assistant:not(.is-waiting)")).to_have_count(answers)

    page = tab()
    ask(page, "I like green tea.", 1)
    page.reload()
    expect(page.locator(".bubble--user")).to_have_text("I like green tea.")
    ask(page, "And mate.", 2)
    with world.inside():
        assert world.agent.conversations.count() == 1
    tab().close()
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".bubble")).to_have_count(0)
    page.reload()
    ask(page, "Another thing.", 1)
    with world.inside():
        assert world.agent.conversations.count() == 2
    # Long after, somebody else may sit here.
    script = """(key) => {
      const thread = JSON.parse(sessionStorage.getItem(key));
      sessionStorage.setItem(key, JSON.stringify({...thread, at: thread.at - 31 * 60 * 1000}));
    }"""
    page.evaluate(script, f"keepsake:{world.agent.uid}")
    page.reload()
    expect(page.locator("#start")).to_be_visible()
    expect(page.locator(".bubble")).to_have_count(0)


def test_on_its_own_page_the_visitor_is_another(desk: Desk, world: World) -> None:
    """Partitioned: what a shop's visitor said is not told on another site, nor on ours."""
    with shop(desk, lines(desk, world.agent)) as page:
        launcher(page).click()
        say(page, "I like green tea.")
    page = desk.context.new_page()
    page.goto(f"{desk.base}/widget/{world.agent.uid}/")
    page.get_by_label("Your message").fill("Hello")
    page.keyboard.press("Enter")
    expect(page.locator(".bubble--assistant:not(.is-waiting)")).to_have_count(1)
    assert len(visitors(world)) == 2


def test_two_on_one_page_do_not_meet(desk: Desk, world: World) -> None:
    with world.inside():
        second = make_agent(name="Bo")
    scripts = [lines(desk, world.agent), lines(desk, second, 'data-accent-color="#aa0000"')]
    with shop(desk, *scripts, lines(desk, second, 'data-position="bottom-left"')) as page:
        expect(launcher(page)).to_have_count(3)
        boxes = [each.bounding_box() for each in launcher(page).all()]
        places = [(box["x"], box["y"]) for box in boxes if box is not None]
        assert len({(x, y) for x, y in places}) == 3
        assert len({x for x, _ in places}) == 2
        # Scripts come in any order; two share the corner at the right.
        same = page.locator('[data-side="right"]').get_by_role("button", name="Chat", exact=True)
        expect(same).to_have_count(2)
        same.nth(0).click()
        say(page, "Hello")
        same.nth(1).dispatch_event("click")
        expect(same.nth(0)).to_have_attribute("aria-expanded", "false")
        expect(same.nth(1)).to_have_attribute("aria-expanded", "true")
        expect(page.locator("iframe:visible")).to_have_count(1)


def test_on_a_phone_it_fills_the_screen_and_has_a_way_out(make_desk: Any, world: World) -> None:
    desk = make_desk(viewport={"width": 390, "height": 800}, has_touch=True)
    with shop(desk, lines(desk, world.agent)) as page:
        launcher(page).tap()
        say(page, "Hello")
        box = page.locator("iframe").bounding_box()
        assert box == {"x": 0, "y": 0, "width": 390, "height": 800}
        expect(launcher(page)).to_be_hidden()  # it would lie over "Send"
        frame(page).get_by_role("button", name="Close").tap()
        expect(page.locator("iframe")).to_be_hidden()
        expect(launcher(page)).to_be_focused()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_tab_shows_it_live(make_desk: Any, world: World, reviewer: User, width: int) -> None:
    desk = make_desk(viewport={"width": width, "height": 900})
    page = desk.sign_in(reviewer)
    page.goto(desk.at(f"agents/{world.agent.slug}/embed/"))
    page.get_by_label("Theme", exact=True).select_option("dark")
    page.get_by_label("Corner").select_option("bottom-left")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#snippet")).to_contain_text('data-theme="dark"')
    preview = page.frame_locator("iframe[title='Preview of the conversation']")
    preview.get_by_label("Your message").fill("Hello")
    preview.get_by_role("button", name="Send").click()
    expect(preview.locator(".bubble--assistant:not(.is-waiting)")).to_have_count(1)
    box = launcher(page).bounding_box()
    assert box is not None
    assert box["x"] == 20
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    launcher(page).click()
    say(page, "I am a visitor.")
    (visitor,) = visitors(world)
    assert visitor.user_id is None  # a member in the preview is a stranger like any other


def test_a_wrong_id_says_so_and_puts_nothing_there(desk: Desk, world: World) -> None:
    desk.expected.append("data-agent-id has to be the agent's UUID")
    world.agent.uid = "x"
    with shop(desk, lines(desk, world.agent)) as page:
        page.wait_for_function("performance.getEntriesByType('resource').length > 0")
        expect(page.locator("keepsake-launcher")).to_have_count(0)
        assert desk.faults


# --- how it looks -----------------------------------------------------------------------------


def colour(page: Page, selector: str, name: str) -> str:
    script = "(element, name) => getComputedStyle(element)[name]"
    found: str = frame(page).locator(selector).evaluate(script, name)
    return found


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_the_theme_is_the_pages_or_the_systems(
    make_desk: Any, world: World, system: str, theme: str
) -> None:
    desk = make_desk(color_scheme=system)
    with shop(desk, lines(desk, world.agent, f'data-theme="{theme}"')) as page:
        launcher(page).click()
        expect(frame(page).get_by_label("Your message")).to_be_focused()
        red = int(re.findall(r"\d+", colour(page, "body", "backgroundColor"))[0])
        assert (red < 100) == ((system if theme == "auto" else theme) == "dark")


@pytest.mark.parametrize(
    ("accent", "ink"), [("#ffe600", "rgb(0, 0, 0)"), ("#1a0033", "rgb(255, 255, 255)")]
)
def test_any_accent_can_be_read(desk: Desk, world: World, accent: str, ink: str) -> None:
    with shop(desk, lines(desk, world.agent, f'data-accent-color="{accent}"')) as page:
        launcher(page).click()
        red, green, blue = (int(accent[at : at + 2], 16) for at in (1, 3, 5))
        expect(frame(page).get_by_role("button", name="Send")).to_have_css(
            "background-color", f"rgb({red}, {green}, {blue})"
        )
        assert colour(page, "button[type=submit]", "color") == ink


# --- trouble ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"status": 429, "headers": {"Retry-After": "17"}, "body": "{}"}, "again in 17 seconds"),
        ({"status": 502, "body": "<h1>Bad gateway</h1>"}, "cannot answer now"),
        ({"status": 404, "body": "{}"}, "no longer here"),
        (None, "No connection"),
    ],
)
def test_trouble_is_told_and_the_message_is_kept(
    desk: Desk, world: World, fault: dict[str, Any] | None, words: str
) -> None:
    desk.expected.append("Failed to load resource")
    page = desk.context.new_page()
    page.goto(f"{desk.base}/widget/{world.agent.uid}/")
    address = re.compile("/api/public/.*/chat")
    page.route(address, lambda route: route.fulfill(**fault) if fault else route.abort())
    page.get_by_label("Your message").fill("Hello")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    expect(page.get_by_label("Your message")).to_have_value("Hello")
    expect(page.locator(".bubble")).to_have_count(0)
    page.unroute(address)
    page.keyboard.press("Enter")
    expect(page.locator(".bubble--assistant:not(.is-waiting)")).to_have_count(1)
    expect(page.get_by_role("alert").filter(has_text=words)).to_have_count(0)


# --- what is remembered -----------------------------------------------------------------------


def test_a_visitor_sees_deletes_downloads_and_switches_off(desk: Desk, world: World) -> None:
    with shop(desk, lines(desk, world.agent)) as page:
        launcher(page).click()
        say(page, "I like green tea.")
        (visitor,) = visitors(world)
        with world.inside():
            make_memory(world.agent, visitor, "Likes <b>green</b> tea.", key="/drinks/tea")
            kept = make_memory(world.agent, visitor, "x" * 2000)
            make_memory(world.agent, None, "For everyone.")
            make_mutation(world.agent, visitor)
        inside = frame(page)
        inside.get_by_role("button", name="What do you remember about me?").focus()
        page.keyboard.press("Enter")
        view = inside.get_by_role("dialog")
        texts = view.locator(".memory__text")
        expect(texts).to_have_text(["x" * 2000, "Likes <b>green</b> tea."])
        width = "element => element.scrollWidth <= element.clientWidth"
        assert view.locator(".mine__body").evaluate(width)
        # Delete asks first; Escape and "Keep it" keep it, and close nothing else.
        delete = view.get_by_role("button", name="Delete", exact=True).last
        delete.focus()
        page.keyboard.press("Enter")
        expect(view.get_by_role("button", name="Keep it")).to_be_focused()
        page.keyboard.press("Escape")
        expect(delete).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Shift+Tab")
        expect(view.get_by_role("button", name="Delete for good")).to_be_focused()
        page.keyboard.press("Enter")
        expect(texts).to_have_count(1)
        expect(view.get_by_role("button", name="Delete", exact=True)).to_be_focused()
        expect(view.get_by_role("status")).to_have_text("Deleted for good.")
        with world.inside():
            own = Memory.objects.filter(visitor=visitor)
            assert list(own.values_list("pk", flat=True)) == [kept.pk]
        # Off, and it is off.
        view.get_by_role("switch", name="Learn from what I say").press("Space")
        expect(view.get_by_role("status")).to_have_text("Saved.")
        with world.inside():
            assert Visitor.objects.get(pk=visitor.pk).auto_capture_enabled is False
        with page.expect_download() as loading:
            view.get_by_role("button", name="Download").press("Enter")
        with open(loading.value.path(), encoding="utf-8") as file:
            assert [each["id"] for each in json.load(file)["memories"]] == [kept.pk]
        page.keyboard.press("Escape")
        expect(view).to_be_hidden()
        expect(launcher(page)).to_have_attribute("aria-expanded", "true")
        expect(inside.get_by_role("button", name="What do you remember about me?")).to_be_focused()
        page.keyboard.press("Escape")
        expect(launcher(page)).to_be_focused()


def test_no_before_the_first_word(desk: Desk, world: World) -> None:
    with shop(desk, lines(desk, world.agent)) as page:
        launcher(page).click()
        inside = frame(page)
        inside.get_by_role("button", name="What do you remember about me?").click()
        expect(inside.get_by_text("I remember nothing about you yet.")).to_be_visible()
        inside.get_by_role("switch", name="Learn from what I say").click()
        expect(inside.locator("#mine-news")).to_have_text("Saved.")
        page.keyboard.press("Escape")
        inside.get_by_label("Your message").focus()
        say(page, "I like green tea.")
    with world.inside():
        assert world.agent.conversations.count() == 0
        assert Visitor.objects.get(cookie__isnull=False).auto_capture_enabled is False


def test_nobody_elses_page_can_ask_in_a_visitors_name(desk: Desk, world: World) -> None:
    """The browser itself sends what a hostile page can send, cookie included."""
    desk.expected += ["CORS policy", "Failed to load resource", "net::ERR_FAILED", "violates"]
    with shop(desk, lines(desk, world.agent)) as page:
        launcher(page).click()
        say(page, "I like green tea.")
        (visitor,) = visitors(world)
        with world.inside():
            make_memory(world.agent, visitor)
    path = f"{desk.base}/api/public/agents/{world.agent.uid}/me/settings"
    script = """(path) => fetch(path, {
      method: "POST", credentials: "include", body: '{"auto_capture_enabled": false}',
      headers: {"content-type": "application/json", "x-keepsake-widget": "1"},
    }).then((answer) => answer.status, () => "refused")"""
    # A text/plain form can write JSON: the name and the value meet at the "=".
    form = f"""<title>x</title><form method="post" enctype="text/plain" action="{path}">
      <input name='{{"auto_capture_enabled": false, "x": "' value='"}}'>
      <button>Win</button></form>"""
    with other_site(desk.base, "") as site:
        desk.also.append(site)
        hostile = desk.context.new_page()
        hostile.route(
            f"{site}/hostile", lambda route: route.fulfill(body=form, content_type="text/html")
        )
        hostile.goto(f"{site}/hostile")
        assert hostile.evaluate(script, path) == "refused"
        with hostile.expect_response(path) as answer:
            hostile.get_by_role("button").click()
        assert answer.value.status == 403
        hostile.close()
    with world.inside():
        assert Visitor.objects.get(pk=visitor.pk).auto_capture_enabled is True
