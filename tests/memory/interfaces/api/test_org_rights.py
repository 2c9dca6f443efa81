"""Who may do what under contract 2: the table of rights (E2), tried for every credential."""

import re
from typing import Any

import pytest
from django.test import Client

from memory.interfaces.api.people_urls import ROUTES
from memory.models import Category
from tests.factories import make_member, make_user
from tests.orgs import CREDENTIALS, Org

pytestmark = pytest.mark.django_db

METHODS = ("get", "post", "put", "patch", "delete")
NEW = "The user has been somewhere else"
EVERYONE = set(CREDENTIALS)
WRITERS = EVERYONE - {"viewer"}
EVERY_AGENT = EVERYONE - {"narrowed"}  # what every agent knows lies outside a narrowed key
CURATORS = {"editor", "admin", "owner", "organisation", "narrowed"}
SETTERS = {"admin", "owner", "organisation", "person"}
ISSUERS = SETTERS - {"person"}

# (method, path, body, who may)
TABLE: list[tuple[str, str, Any, set[str]]] = [
    ("GET", "users/user123/global-memories/", None, EVERY_AGENT),
    ("POST", "users/user123/global-memories/", {"content": NEW}, EVERY_AGENT - {"viewer"}),
    ("DELETE", "users/user123/global-memories/{global}/", None, EVERY_AGENT - {"viewer"}),
    ("GET", "users/user123/agent-memories/", None, EVERYONE),
    ("GET", "users/user123/agents/{agent}/agent-memories/", None, EVERYONE),
    ("GET", "users/user123/agents/{agent}/agent-memories-list/", None, EVERYONE),
    (
        "POST",
        "users/user123/agents/{agent}/agent-memories/",
        {"content": NEW, "category_slug": "preferences"},
        WRITERS,
    ),
    (
        "PATCH",
        "users/user123/agents/{agent}/agent-memories/{of_agent}/",
        {"content": NEW},
        WRITERS,
    ),
    ("DELETE", "users/user123/agents/{agent}/agent-memories/{of_agent}/", None, WRITERS),
    ("GET", "users/user123/memsearch-settings/", None, SETTERS),
    ("PUT", "users/user123/memsearch-settings/", {"auto_capture_enabled": False}, SETTERS),
    ("GET", "users/user123/memsearch-status/", None, EVERYONE),
    ("GET", "users/user123/tokens/", None, ISSUERS),
    ("POST", "users/user123/tokens/", {}, ISSUERS),
    ("GET", "users/user123/export/", None, SETTERS),
    ("DELETE", "users/user123/memory/", None, SETTERS),
    ("GET", "agents/{agent}/memory-categories/", None, EVERYONE - {"person"}),
    ("POST", "agents/{agent}/memory-categories/", {"name": "Ideas"}, CURATORS),
    ("PATCH", "agents/{agent}/memory-categories/{category}/", {"name": "Ideas"}, CURATORS),
    ("DELETE", "agents/{agent}/memory-categories/{category}/", None, CURATORS),
    ("GET", "agents/{agent}/agent-memories/", None, EVERYONE - {"person"}),
    ("POST", "agents/{agent}/agent-memories/", {"content": NEW}, CURATORS),
    ("PATCH", "agents/{agent}/agent-memories/{known}/", {"content": NEW}, CURATORS),
    ("DELETE", "agents/{agent}/agent-memories/{known}/", None, CURATORS),
]


@pytest.mark.parametrize("who", CREDENTIALS)
def test_who_may(org: Org, who: str) -> None:
    """The last operations of a person's are at the end of their table: export, then erase."""
    in_order = sorted(TABLE, key=lambda row: row[1] == "users/user123/memory/")
    for number, (method, path, body, may) in enumerate(in_order):
        fresh = {**body, "content": f"{NEW} {number}"} if body and "content" in body else body
        answer = org.call(method, path.format(**rows(org, number)), fresh, who=who)
        where = (method, path, answer.status_code)
        if answer.streaming:
            b"".join(answer.streaming_content)
        if who in may:
            assert answer.status_code in (200, 201, 204), where
        else:
            assert answer.status_code == 403, where
            assert set(answer.json()) == {"error"}, where


def test_the_table_has_every_operation() -> None:
    """A route that is added has to say here who may."""
    tried = {(re.sub(r"{\w+}|user123", "*", path), method.lower()) for method, path, _, _ in TABLE}
    wanted = set()
    for route, view in ROUTES:
        path = re.sub(r"<\w+:\w+>", "*", route.format(agents="agents", memories="agent-memories"))
        wanted |= {(path, m) for m in METHODS if hasattr(view, m) and "//" not in path}
    assert wanted - tried == {("users/*/tokens/*/", "delete")}  # in test_person_settings


def rows(org: Org, number: int) -> dict[str, Any]:
    """A row of each sort, new every time."""
    with org.inside():
        Category.objects.of(org.agent.pk)
        category = Category.objects.create(agent=org.agent, slug=f"c{number}", name="One more")
    return {
        "agent": org.agent.slug,
        "global": org.about(org.visitor, f"Fact number {number}").pk,
        "of_agent": org.about(org.visitor, f"Fact number {number}", agent=org.agent).pk,
        "known": org.knows(f"Known number {number}").pk,
        "category": category.pk,
    }


@pytest.mark.parametrize("scheme", ["Token", "Api-Token", "Bearer", "bearer"])
def test_the_header_is_the_same_in_three_spellings(org: Org, scheme: str) -> None:
    url = f"{org.api}users/user123/global-memories/"
    answer = Client().get(url, headers={"Authorization": f"{scheme} {org.key()}"})
    assert answer.status_code == 200


@pytest.mark.parametrize("header", [None, "Token nonsense", "Basic abc", "Token", "Token  a b"])
def test_without_a_usable_key_nothing_is_told(org: Org, header: str | None) -> None:
    for slug in ("acme", "nobody"):
        url = f"/api/ai-agent/orgs/{slug}/users/user123/global-memories/"
        headers = {} if header is None else {"Authorization": header}
        answer = Client().get(url, headers=headers)
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"] == "Bearer"


def test_a_member_of_several_is_in_the_one_of_the_address(org: Org) -> None:
    other = Org("other")
    user = make_user("both")
    for each in (org, other):
        with each.inside():
            make_member("editor", user=user)
        each.about(each.visitor, f"Of {each.tenant.slug} only")
    client = Client()
    client.force_login(user)
    for each in (org, other):
        for prefix in ("", f"/t/{each.tenant.slug}"):
            answer = client.get(f"{prefix}{each.api}users/user123/global-memories/")
            assert [r["content"] for r in answer.json()["results"]] == [
                f"Of {each.tenant.slug} only"
            ]
    crossed = client.get(f"/t/other{org.api}users/user123/global-memories/")
    assert crossed.status_code == 404
    third = Org("third")
    assert client.get(f"{third.api}users/user123/global-memories/").status_code == 404


def test_a_session_writes_with_the_csrf_token_only(org: Org) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = org.browser.cookies
    answer = client.post(
        f"{org.api}users/user123/global-memories/", {"content": NEW}, "application/json"
    )
    assert answer.status_code == 403
