"""Who may read and do what (E2): every page and every form, by every role; and other tenants."""

from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern

from memory.interfaces.pages.people import agent_urls, urls
from tenants.models import Token
from tests.markup import unsafe
from tests.memory.interfaces.pages.people.conftest import Peopled

TEXT = {"content": "Likes tea in the morning."}
PAGES = ("{tab}people/", "{tab}shared/", "{tab}categories/", "{all}settings/", "{person}")
# address, what is sent, the least role that may
FORMS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("{tab}add/", {**TEXT, "person": "new", "category_slug": "preferences"}, "editor"),
    ("{tab}{of_agent}/change/", TEXT, "editor"),
    ("{tab}{of_agent}/delete/", {}, "editor"),
    ("{tab}shared/add/", TEXT, "editor"),
    ("{tab}shared/{entry}/change/", TEXT, "editor"),
    ("{tab}shared/{entry}/delete/", {}, "editor"),
    ("{tab}categories/add/", {"name": "Tastes"}, "editor"),
    ("{tab}categories/{category}/change/", {"name": "Tastes"}, "editor"),
    ("{tab}categories/{category}/switch/", {}, "editor"),
    ("{person}add/", TEXT, "editor"),
    ("{person}memories/{everywhere}/delete/", {}, "editor"),
    ("{person}settings/", {}, "admin"),
    ("{person}account/", {"username": ""}, "admin"),
    ("{person}links/", {"days": "7"}, "admin"),
    ("{person}links/{token}/revoke/", {}, "admin"),
    ("{person}erase/", {"sure": "on"}, "admin"),
    ("{all}settings/switch/", {"memory_enabled": "on"}, "admin"),
)
READS = (
    ("{person}download/", "admin"),
    ("{person}erase/", "admin"),
    ("{all}settings/state/", "viewer"),
)
ROLES = ("viewer", "editor", "admin", "owner")


def filled(org: Peopled) -> dict[str, Any]:
    """A tenant with one of everything, and what stands in the addresses."""
    everywhere = org.about(org.visitor, "Lives by the sea.")
    of_agent = org.about(org.visitor, "Prefers short answers.", agent=org.agent)
    entry = org.knows("Our refund window is 30 days.")
    org.person_key()
    with org.inside():
        token = Token.objects.filter(kind="person").latest("pk")
    return {
        "tab": org.tab,
        "person": org.theirs,
        "all": org.on("memory/"),
        "everywhere": everywhere.pk,
        "of_agent": of_agent.pk,
        "entry": entry.pk,
        "category": org.category().pk,
        "token": token.pk,
    }


def is_allowed(role: str, least: str) -> bool:
    return ROLES.index(role) >= ROLES.index(least)


@pytest.mark.parametrize("role", ROLES)
def test_every_role_reads_every_page_and_sees_only_its_own_buttons(org: Peopled, role: str) -> None:
    names, client = filled(org), org.client(role)
    for page in PAGES:
        answer = client.get(page.format(**names))
        assert answer.status_code == 200, page
        html = answer.content.decode()
        assert unsafe(html) == []
        for address, _, least in FORMS:
            path = address.format(**names)
            if not path.startswith(page.format(**names)) or "links/" in path:
                continue
            if not is_allowed(role, least):
                assert f'action="{path}' not in html or "disabled" in html, (page, path)
        own = html[html.index('id="region"') :]
        if role == "viewer":
            assert "button--main" not in own
            assert "button--danger" not in own
            assert 'type="submit">Save' not in own


@pytest.mark.parametrize("role", ROLES)
def test_every_form_asks_for_its_role(org: Peopled, role: str) -> None:
    for address, sent, least in FORMS:
        names = filled(org.again())
        client = org.client(role)
        status = client.post(address.format(**names), sent).status_code
        assert status in ((200, 302) if is_allowed(role, least) else (403,)), (address, status)


@pytest.mark.parametrize("role", ROLES)
def test_download_and_the_question_before_an_erase_are_for_admins(org: Peopled, role: str) -> None:
    names, client = filled(org), org.client(role)
    for address, least in READS:
        answer: Any = client.get(address.format(**names))
        if answer.streaming:
            assert b"".join(answer.streaming_content)  # read to its end, the file closes
        assert answer.status_code == (200 if is_allowed(role, least) else 403), address


def test_nothing_of_another_tenant_answers(org: Peopled, other: Peopled) -> None:
    """Its ids under the own prefix, and its own prefix: 404 everywhere, and nothing changed."""
    foreign = filled(other)
    client = org.client("owner")
    own = {**foreign, "tab": org.tab, "all": org.on("memory/")}
    own["person"] = org.on(f"memory/people/{other.visitor.pk}/")
    before = other.texts()
    for address, sent, _ in FORMS:
        if "{" not in address.removeprefix("{tab}").removeprefix("{all}"):
            continue  # names nothing of anybody's
        path = address.format(**own)
        assert client.post(path, sent).status_code == 404, path
    for address in [*PAGES, *(address for address, _ in READS)]:
        assert client.get(address.format(**foreign)).status_code == 404, address
    assert client.get(own["person"]).status_code == 404
    assert other.texts() == before


def test_the_lists_here_have_every_address(org: Peopled) -> None:
    """A page or form that is added has to say here who may."""
    whole = [*PAGES, *(form[0] for form in FORMS), *(read[0] for read in READS)]
    known = {address.split("}", 1)[1] for address in whole}
    patterns = [*agent_urls.urlpatterns, *urls.urlpatterns]
    others = ("mine", "link")  # a person's own page: test_own
    missing = []
    for pattern in patterns:
        assert isinstance(pattern, URLPattern)
        if str(pattern.name).startswith(others):
            continue
        route = str(pattern.pattern)
        for name in ("memory_id", "category_id", "token_id"):
            route = route.replace(f"<int:{name}>", "N")
        route = route.removeprefix("people/<int:visitor_id>/")
        forms = {_numbered(each) for each in known}
        if route not in forms:
            missing.append(route)
    assert missing == []


def _numbered(address: str) -> str:
    for name in ("of_agent", "entry", "category", "everywhere", "token"):
        address = address.replace("{" + name + "}", "N")
    return address


def test_strangers_are_sent_to_the_sign_in(org: Peopled) -> None:
    for page in PAGES:
        answer = Client().get(page.format(**filled(org.again())))
        assert answer.status_code == 302
        assert "/sign-in/" in answer["Location"]


def test_reading_a_person_is_written_down_but_not_ones_own(org: Peopled) -> None:
    org.about(org.visitor, "Prefers short answers.", agent=org.agent)
    client = org.client("admin")
    client.get(org.theirs)
    client.get(org.people)
    entries = org.verbs("person.memories_read")
    assert [(e.subject, e.subject_id) for e in entries] == [("visitor", org.visitor.pk)] * 2
    assert [e.detail["agent"] for e in entries] == [None, org.agent.pk]
    assert entries[0].user_id is not None
    theirs = org.client("viewer", is_person=True)
    theirs.get(org.theirs)
    theirs.get(org.on("memory/"))
    assert len(org.verbs("person.memories_read")) == 2
