"""Contract 2 from outside: every route, every kind of credential, ids of somebody else.

The cases are made from the table of routes, so a route that is added later is tried as well.
"""

import json
import re
from typing import Any

import pytest
from django.db import connection

from agents.models import Agent, Visitor
from memory.interfaces.api.people_urls import ROUTES, SPELLINGS
from memory.models import Category
from tenants.models import Token
from tests.factories import make_agent, make_visitor
from tests.fakes import StubEmbedder
from tests.orgs import CREDENTIALS, Org
from tests.test_schema import tenant_tables

pytestmark = pytest.mark.django_db

SECRET = "harbour-lime"  # in every text of the other side: nobody here may ever see it
METHODS = ("get", "post", "put", "patch", "delete")
BODIES = {
    "global-memories": {"content": "The user has been somewhere else"},
    "agent-memories": {"content": "The user has been elsewhere", "category_slug": "preferences"},
    "memsearch-settings": {"auto_capture_enabled": False},
    "memory-categories": {"name": "Elsewhere", "slug": "elsewhere"},
    "tokens": {"name": "elsewhere"},
}
CALLERS = (*CREDENTIALS, "session")
OPERATIONS = [
    (route, method)
    for route, view in ROUTES
    for method in METHODS
    if hasattr(view, method) and "//" not in route
]


class Side:
    """An organisation with a person, two agents and a row of every sort, all with the secret."""

    def __init__(self, slug: str, person: str, mark: str) -> None:
        self.org = Org(slug, person=person)
        self.person = person
        with self.org.inside():
            Agent.objects.filter(pk=self.org.agent.pk).update(slug=f"{slug}-tutor")
            self.org.agent.refresh_from_db()
            self.other_agent = make_agent(f"{slug}-other")
            self.other = make_visitor(f"{person}-other", name=mark, email=f"{mark}@example.test")
            self.token = Token.objects.issue(
                kind=Token.Kind.PERSON, name=mark, visitor_id=self.other.pk
            )[0]
        org, agent = self.org, self.org.agent
        self.of_other = {
            "global-memories": org.about(self.other, f"Global {mark}").pk,
            "agent-memories": org.about(self.other, f"Of an agent {mark}", agent=agent).pk,
            "tokens": self.token.pk,
        }
        self.of_other_agent = {
            "global-memories": self.of_other["global-memories"],
            "agent-memories": org.about(
                org.visitor, f"Of another agent {mark}", agent=self.other_agent
            ).pk,
            "knowledge": org.knows(f"Known elsewhere {mark}", agent=self.other_agent).pk,
            "tokens": self.token.pk,
        }
        with org.inside():
            category = Category.objects.create(
                agent=self.other_agent, slug="theirs", name=f"Theirs {mark}"
            )
        self.of_other_agent["memory-categories"] = category.pk


@pytest.fixture
def here(embedder: StubEmbedder) -> Side:
    return Side("here", "user_1", SECRET)


@pytest.fixture
def there(embedder: StubEmbedder) -> Side:
    return Side("there", "userA1", SECRET)


def sort_of(route: str) -> str:
    """Which sort of row the `<int:number>` of a route numbers."""
    noun = re.findall(r"(?:\{memories\}|[a-z-]+)(?=/|$)", route.replace("<int:number>/", ""))[-1]
    if noun == "{memories}" and "users/" not in route:
        return "knowledge"
    return "agent-memories" if noun.startswith("{memories}") else str(noun)


def address(route: str, org: str, user: str, agent: str, number: int, spelling: int = 0) -> str:
    base, words = SPELLINGS[spelling]
    route = route.format(**words)
    filled = re.sub(r"<str:user_id>", user, route)
    filled = re.sub(r"<str:agent>", agent, filled)
    return f"/{base}orgs/{org}/" + filled.replace("<int:number>", str(number))


def ask(org: Org, who: str, method: str, url: str, route: str) -> Any:
    body = BODIES.get(sort_of(route).replace("knowledge", "agent-memories"))
    if who != "session":
        return org.call(method.upper(), url, body if method != "get" else None, who=who)
    return org.browser.generic(method.upper(), url, json.dumps(body), "application/json")


def picture(org: Org) -> dict[str, str]:
    """Every row of a tenant; of tokens all but when they were used."""
    found = {}
    with org.inside(), connection.cursor() as cursor:
        for table in tenant_tables():
            if table == "tenants_auditentry":
                continue
            row = "to_jsonb(t) - 'last_used_at'"
            cursor.execute(
                f"SELECT coalesce(md5(string_agg(({row})::text, ',' ORDER BY id)), '') "
                f'FROM "{table}" t'
            )
            found[table] = str(cursor.fetchone()[0])
    return found


def said(answer: Any) -> str:
    """All of an answer; reading a download to its end closes its file."""
    parts = answer.streaming_content if answer.streaming else [answer.content]
    return b"".join(parts).decode("utf-8", "replace")


def refused(answer: Any, where: Any, allowed: tuple[int, ...] = (403, 404)) -> None:
    text = said(answer)
    assert answer.status_code in allowed, (where, answer.status_code, text)
    assert SECRET not in text, where
    if answer.status_code == 404:
        assert answer.json() == {"error": "not found"}, where


@pytest.mark.parametrize("who", CALLERS)
def test_another_organisation_is_not_there(here: Side, there: Side, who: str) -> None:
    """Its slug in the address, its rows: 404, by whatever credential of ours."""
    here.org.key("person" if who == "session" else who)
    before = picture(there.org), picture(here.org)
    for route, method in OPERATIONS:
        for spelling in (0, 1) if who == "organisation" else (0,):
            number = {**there.of_other_agent, **there.of_other}.get(sort_of(route), 1)
            url = address(route, "there", there.person, "there-tutor", number, spelling)
            refused(ask(here.org, who, method, url, route), (route, method), (404,))
    assert (picture(there.org), picture(here.org)) == before


@pytest.mark.parametrize("who", CALLERS)
def test_ids_of_another_organisation_are_unknown_in_ours(here: Side, there: Side, who: str) -> None:
    """Our slug, their person, their agent by slug and by UUID, their rows."""
    before = picture(there.org)
    numbers = {**there.of_other_agent, **there.of_other}
    for route, method in OPERATIONS:
        for agent in ("there-tutor", str(there.org.agent.uid)):
            url = address(route, "here", there.person, agent, numbers.get(sort_of(route), 1))
            answer = ask(here.org, who, method, url, route)
            if "<str:agent>" in route or "<int:number>" in route or who == "person":
                refused(answer, url)
            else:  # their person's id is a name like any other here: nobody, or somebody new
                assert answer.status_code in (200, 201, 403, 404, 409), url
                assert SECRET not in said(answer), url
            if "<str:agent>" not in route:
                break
    assert picture(there.org) == before


def test_a_person_token_reaches_no_other_person(here: Side) -> None:
    here.org.key("person")
    before = picture(here.org)
    for route, method in OPERATIONS:
        number = {**here.of_other_agent, **here.of_other}.get(sort_of(route), 1)
        for user in ("user_1-other", "nobody", "%25"):
            url = address(route, "here", user, "here-tutor", number)
            refused(ask(here.org, "person", method, url, route), (route, method, user))
    assert picture(here.org) == before


@pytest.mark.parametrize("who", CALLERS)
def test_a_row_of_another_person_is_not_under_this_one(here: Side, who: str) -> None:
    here.org.key("person" if who == "session" else who)
    before = picture(here.org)
    for route, method in OPERATIONS:
        sort = sort_of(route)
        if "users/" in route and "<int:number>" in route:
            for number in {here.of_other[sort], here.of_other_agent[sort], 10**30}:
                url = address(route, "here", "user_1", "here-tutor", number)
                refused(ask(here.org, who, method, url, route), (method, url))
    assert picture(here.org) == before


@pytest.mark.parametrize("who", CALLERS)
def test_a_row_of_another_agent_is_not_under_this_one(here: Side, who: str) -> None:
    with here.org.inside():
        Category.objects.of(here.org.agent.pk)
    here.org.key("person" if who == "session" else who)
    before = picture(here.org)
    for route, method in OPERATIONS:
        if "<str:agent>" in route and "<int:number>" in route:
            for number in (here.of_other_agent[sort_of(route)], 10**30):
                url = address(route, "here", "user_1", "here-tutor", number)
                refused(ask(here.org, who, method, url, route), (route, method, number))
    assert picture(here.org) == before


def test_a_narrowed_key_reaches_its_agent_only(here: Side) -> None:
    here.org.key("narrowed")
    before = picture(here.org)
    for route, method in OPERATIONS:
        number = {**here.of_other, **here.of_other_agent}.get(sort_of(route), 1)
        url = address(route, "here", "user_1", "here-other", number)
        answer = ask(here.org, "narrowed", method, url, route)
        if "memsearch-status" in route:
            assert answer.json() == {"memory_enabled": True}
        elif route.endswith("<str:user_id>/{memories}/"):
            assert answer.json()["count"] == 0  # of its own agent: nothing
        else:
            refused(answer, (route, method))
    every = address("users/<str:user_id>/{memories}/", "here", "user_1", "", 0)
    refused(here.org.get(every, who="narrowed", agent="here-other"), "?agent=")
    assert picture(here.org) == before


@pytest.mark.parametrize(
    "asked",
    [
        {"user_id": "userA1"},
        {"user_id": "%"},
        {"filters": '{"user_id": "%"}'},
        {"filters": '{"OR": [{"user_id": "userA1"}]}'},
        {"content": "%"},
        {"content": "_______"},
        {"email": "%"},
        {"my_memory": "true"},
    ],
    ids=str,
)
def test_no_filter_widens_what_the_credential_reaches(
    embedder: StubEmbedder, asked: dict[str, str]
) -> None:
    org = Org("one", person="user_1")
    with org.inside():
        other = make_visitor("userA1", email="userA1@example.test")
    for visitor in (org.visitor, other):
        mark = "own" if visitor == org.visitor else SECRET
        org.about(visitor, f"Global {mark}")
        org.about(visitor, f"Of the agent {mark}", agent=org.agent)
    for route, method in OPERATIONS:
        if method == "get" and "users/" in route:
            url = address(route, "one", "user_1", org.agent.slug, 1)
            answer = org.get(url, who="person", **asked)
            text = said(answer)
            assert SECRET not in text, route
            assert "userA1@" not in text, route


def test_the_matrix_can_tell(here: Side) -> None:
    """Were the door open, the matrix would see it: the same calls by who may are answered."""
    reached = set()
    for route, method in OPERATIONS:
        number = {**here.of_other_agent, **here.of_other}.get(sort_of(route), 1)
        agent = "here-tutor" if "users/" in route else "here-other"
        url = address(route, "here", "user_1-other", agent, number)
        answer = ask(here.org, "organisation", method, url, route)
        assert answer.status_code in (200, 201, 204, 404, 409), (route, method)
        said(answer)
        if answer.status_code != 404:
            reached.add((route, method))
        with here.org.inside():
            if not Visitor.objects.filter(pk=here.other.pk).exists():
                break
    assert len(reached) > len(OPERATIONS) / 2
