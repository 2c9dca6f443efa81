"""Signing in: under the prefix or not, back to where one wanted to go, and no guessing."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import World, make_member, make_user
from tests.markup import unsafe

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    world = World()
    with world.inside():
        make_member(user=make_user("mira", password="long-enough-1"))
    return world


def sign_in(client: Client, path: str, password: str = "long-enough-1", **more: str) -> str:
    answer = client.post(path, {"username": "mira", "password": password, **more})
    return answer.headers.get("Location", answer.content.decode())


def told(page: str) -> str:
    return page.split('role="alert">')[1].split("</p>")[0]


def test_a_member_lands_in_their_queue(world: World) -> None:
    at = f"/t/{world.tenant.slug}"
    assert sign_in(Client(), f"{at}/sign-in/") == f"{at}/review/"
    client = Client()
    assert sign_in(client, "/sign-in/") == "/review/"
    assert client.get("/review/")["Location"] == f"{at}/review/"
    assert client.get("/", follow=True).redirect_chain[-1][0] == f"{at}/review/"


def test_the_wanted_page_comes_next_but_no_other_host(world: World) -> None:
    wanted = f"/t/{world.tenant.slug}/agents/?x=1"
    assert sign_in(Client(), "/sign-in/", next=wanted) == wanted
    for elsewhere in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        assert sign_in(Client(), "/sign-in/", next=elsewhere) == "/review/"


def test_a_wrong_password_and_an_unknown_name_read_the_same(world: World) -> None:
    wrong = sign_in(Client(), "/sign-in/", "wrong")
    unknown = Client().post("/sign-in/", {"username": "nobody<b>", "password": "wrong"})
    assert told(wrong) == told(unknown.content.decode())
    assert unsafe(unknown.content.decode()) == []


def test_guessing_ends_for_the_name_even_with_the_right_password(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenants.signing.TRIES_OF_A_NAME", 3)
    for _ in range(3):
        assert "Too many tries" not in sign_in(Client(), "/sign-in/", "wrong")
    assert "Too many tries" in sign_in(Client(), "/sign-in/")
    other = Client().post("/sign-in/", {"username": "other", "password": "x"})
    assert "Too many tries" not in other.content.decode()


def test_signing_out_is_a_post_and_ends_the_session(world: World) -> None:
    at = f"/t/{world.tenant.slug}"
    client = Client()
    sign_in(client, f"{at}/sign-in/")
    assert client.get(f"{at}/sign-out/").status_code == 405
    assert client.get(f"{at}/review/").status_code == 200
    assert client.post(f"{at}/sign-out/")["Location"] == f"{at}/sign-in/"
    assert "/sign-in/" in client.get(f"{at}/review/")["Location"]


def test_the_switcher_names_ones_own_tenants_only(world: World) -> None:
    other, foreign = World(), World()
    client = Client()
    sign_in(client, "/sign-in/")
    with other.inside():
        make_member("viewer", user=User.objects.get(username="mira"))
    page = client.get(f"/t/{world.tenant.slug}/agents/").content.decode()
    assert f'href="/t/{other.tenant.slug}/review/"' in page
    assert foreign.tenant.slug not in page
