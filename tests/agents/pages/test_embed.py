"""How a conversation is put into other sites: its look, the launcher's script, the tab."""

import re
import uuid
from pathlib import Path

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from agents.pages import embed
from agents.pages.look import Look
from tests.agents.pages.test_pages import at, signed_in
from tests.factories import World
from tests.markup import read, unsafe

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def widget(world: World, **query: str) -> str:
    answer = Client().get(f"/widget/{world.agent.uid}/", query)
    assert answer.status_code == 200
    return answer.content.decode()


# --- the look ---------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_a_theme_is_the_pages_own(world: World, theme: str) -> None:
    page = widget(world, theme=theme, accent="#AB12cd")
    assert f'<html lang="en" data-theme="{theme}" data-accent="#ab12cd">' in page
    assert "data-theme-switch" not in page  # the page around it has decided
    assert "theme.js" not in page
    assert unsafe(page) == []


@pytest.mark.parametrize(
    ("theme", "accent"),
    [
        ("", ""),
        ("Dark", "#fff"),
        ("dark ", "red"),
        ('dark"', "#12345g"),
        ("light dark", "#1234567"),
        ('"><script>alert(1)</script>', '#123456"><script>'),
        ("dark\n", "#123456\n"),
        ("dark\0", "#１２３４５６"),
        ("javascript:alert(1)", "url(https://evil.example/)"),
        ("auto;", "#123456;background:url(//evil.example)"),
    ],
)
def test_anything_else_is_left_out(world: World, theme: str, accent: str) -> None:
    page = widget(world, theme=theme, accent=accent)
    assert '<html lang="en">' in page
    assert "evil" not in page
    assert unsafe(page) == []


@given(theme=st.text(max_size=12), accent=st.text(max_size=12), position=st.text(max_size=14))
def test_a_look_holds_nothing_that_could_end_an_attribute(
    theme: str, accent: str, position: str
) -> None:
    look = Look.asked({"theme": theme, "accent": accent, "position": position})
    for value in (look.theme, look.accent, look.position):
        assert value is None or re.fullmatch(r"#?[a-z0-9-]+", value)


def test_the_conversation_asks_every_browser_again_and_sets_no_cookie(world: World) -> None:
    answer = Client().get(f"/widget/{world.agent.uid}/")
    assert answer["Cache-Control"] == "no-cache"
    assert not answer.cookies


def test_every_control_of_the_conversation_has_a_name(world: World) -> None:
    page = widget(world)
    for button in re.findall(r"<button[^>]*>.*?</button>", page, re.DOTALL):
        words = re.sub(r"<[^>]*>", "", button).strip()
        assert words or re.search(r'aria-label="[^"]+"', button), button
    for control in re.findall(r"<(?:input|textarea)[^>]*>", page):
        name = re.search(r'id="([^"]+)"', control)
        assert name is not None
        assert f'<label for="{name[1]}"' in page or f'for="{name[1]}"' in page, control


# --- embed.js ---------------------------------------------------------------------------------


def test_the_script_is_for_everybody_and_any_cache() -> None:
    answer = Client().get("/embed.js")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    assert "public" in answer["Cache-Control"]
    assert "max-age=3600" in answer["Cache-Control"]
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "Cookie" not in answer.get("Vary", "")
    assert not answer.cookies
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    assert Client().post("/embed.js").status_code == 405


def test_an_unchanged_script_is_not_sent_again() -> None:
    tag = Client().get("/embed.js")["ETag"]
    for asked in (tag, f'"other", {tag}'):
        again = Client().get("/embed.js", headers={"If-None-Match": asked})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
        assert "public" in again["Cache-Control"]
    assert Client().get("/embed.js", headers={"If-None-Match": '"other"'}).status_code == 200


def test_the_script_is_small_and_runs_under_a_strict_policy() -> None:
    source = (Path(embed.__file__).parent / "embed.js").read_text()
    assert len(source) < 10_000
    forbidden = r"eval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc"
    assert re.findall(forbidden, source) == []
    assert not re.search(r"""setAttribute\(\s*["']style|createElement\(\s*["']style""", source)


# --- the tab ----------------------------------------------------------------------------------


def test_the_lines_to_paste(world: World) -> None:
    client, path = signed_in(world, "viewer"), at(world, f"{world.agent.slug}/embed/")
    plain = client.get(path).content.decode()
    code = "".join(read(plain.split('<code id="snippet">')[1].split("</code>")[0]).text)
    assert code == (
        f'<script src="http://testserver/embed.js"\n  data-agent-id="{world.agent.uid}"\n'
        "  async></script>"
    )
    asked = {"position": "bottom-left", "theme": "dark", "accent": "#AA0000"}
    page = client.get(path, asked).content.decode()
    code = "".join(read(page.split('<code id="snippet">')[1].split("</code>")[0]).text)
    for line in ('data-position="bottom-left"', 'data-theme="dark"', 'accent-color="#aa0000"'):
        assert line in code
    assert f'src="/widget/{world.agent.uid}/?theme=dark&amp;accent=%23aa0000"' in page
    assert unsafe(page) == ["<iframe>"]
    nasty = client.get(path, dict.fromkeys(asked, '"><script>alert(1)</script>')).content.decode()
    assert unsafe(nasty) == ["<iframe>"]
    assert "alert" not in nasty


def test_the_tab_is_the_members(world: World) -> None:
    path = at(world, f"{world.agent.slug}/embed/")
    assert Client().get(path).status_code == 302
    other = World()
    assert signed_in(world).get(at(world, f"{other.agent.slug}/embed/")).status_code == 404
    assert signed_in(world).get(at(world, f"{uuid.uuid4()}/embed/")).status_code == 404
    page = signed_in(world).get(at(world, f"{world.agent.slug}/")).content.decode()
    assert f'href="{path}"' in page
