"""Every route there is, with one tenant's credentials and another one's ids and names.

Nothing of the other tenant is shown, and its rows are exactly what they were. Routes are read
from the URL table, so a new one is tried as soon as it is there.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLResolver, get_resolver

from memory.models import Memory
from memory.providers import using
from tenants.models import Role, Token
from tests.dying import state
from tests.factories import (
    World,
    make_conversation,
    make_key,
    make_member,
    make_memory,
    make_mutation,
    make_observation,
)
from tests.fakes import ScriptedLanguage, StubEmbedder

pytestmark = pytest.mark.django_db
PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
MARK = "quillfeather"  # in every text of the other tenant, and nowhere else
# Whoever has a public agent's address may talk to it: that is what it is for.
OPEN = ("api/public/", "widget/", "sign-in/", "sign-out/")


def routes(patterns: Any = None, prefix: str = "") -> Iterator[str]:
    for each in get_resolver().url_patterns if patterns is None else patterns:
        here = prefix + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, here)
        elif "(?P" not in here and not here.startswith(OPEN):
            yield here


@pytest.fixture
def theirs() -> World:
    world = World(f"of-{MARK}")
    with world.inside():
        world.agent.slug, world.agent.name = f"agent-{MARK}", f"Agent {MARK}"
        world.agent.save()
        world.visitor.host_id = f"person-{MARK}"
        world.visitor.save()
        make_conversation(world.agent, world.visitor, f"user: I like {MARK}")
        make_observation(world.agent, world.visitor, f"The user likes {MARK}.")
        memory = make_memory(world.agent, world.visitor, f"The user likes {MARK}.")
        make_mutation(
            world.agent, world.visitor, operation="delete", target=memory,
            reasoning=f"Because of {MARK}",
        )  # fmt: skip
    return world


def numbers(world: World) -> list[int]:
    """Ids of rows of theirs; those of one kind are tried as ids of every kind."""
    with world.inside():
        memory = Memory.objects.get()
        return sorted({memory.pk, memory.mutations.get().pk, world.agent.pk})


def addresses(route: str, world: World) -> Iterator[str]:
    for number in numbers(world) if "<int:" in route or "path:" in route else [0]:
        address, values = route, {
            "org": world.tenant.slug, "agent": world.agent.slug, "name": str(world.agent.uid),
            "slug": world.agent.slug, "user_id": world.visitor.host_id, "kind": "conversation",
            "app_label": "memory",
        }  # fmt: skip
        for found in list(PARAMETER.finditer(route)):
            place = str(values.get(found[2], number))
            address = address.replace(found[0], place)
        yield address


def bodies() -> list[dict[str, Any]]:
    return [
        {},
        {
            "visitor": f"person-{MARK}", "conversation": "c", "message": "hello there",
            "messages": [{"role": "user", "content": "hello there"}],
            "content": "hello there, you", "version": 1, "name": "x",
        },
    ]  # fmt: skip


@pytest.mark.parametrize("who", ["owner", "operator", "organisation", "member"])
def test_no_route_shows_or_changes_anything_of_another_tenant(theirs: World, who: str) -> None:
    ours = World("ours")
    client, headers = Client(), {}
    with ours.inside():
        if who == "organisation":
            headers["Authorization"] = f"Bearer {make_key()}"
        else:
            member = make_member(Role.OWNER)
            user = User.objects.get(pk=member.user_id or 0)
        if who == "member":
            key = make_key(
                kind=Token.Kind.MEMBER, user_id=user.pk, expires_at="2999-01-01T00:00:00+00:00"
            )
            headers["Authorization"] = f"Bearer {key}"
    if who in ("owner", "operator"):
        user.is_superuser = who == "operator"  # an operator works in one tenant at a time, too
        user.save()
        client.force_login(user)
    before, asked = state(theirs), 0
    with using(language=ScriptedLanguage(), embedder=StubEmbedder()):
        for route in routes():
            is_api = route.startswith("api/")
            if is_api != ("Authorization" in headers) or route.startswith("api/cron/"):
                continue
            for address in addresses(route, theirs):
                path = f"/{address}" if is_api else f"/t/ours/{address}"
                for method in METHODS if is_api else METHODS[:2]:
                    for body in bodies() if is_api and method != "GET" else bodies()[1:]:
                        asked += 1
                        answer = client.generic(
                            method, path, json.dumps(body), "application/json", headers=headers
                        )
                        assert answer.status_code < 500, (method, path)
                        told = _told(answer).replace(address, "")
                        assert MARK not in told, (method, path, told[:500])
    assert asked > 50
    assert state(theirs) == before


def _told(answer: Any) -> str:
    if getattr(answer, "streaming", False):
        return ""
    text: str = answer.content.decode()
    for echoed in (f"person-{MARK}", f"agent-{MARK}", f"of-{MARK}"):  # as they were asked for
        text = text.replace(echoed, "")
    return text


@pytest.mark.parametrize("page", ["review/", "agents/", "admin/", "api/mutations/"])
@pytest.mark.parametrize(
    "prefix",
    [
        "/t/{0}/", "/t/{1}/", "/t//{0}/", "//t/{0}/", "/t/{0}//", "/t/ours/../{0}/",
        "/t/ours/%2e%2e/{0}/", "/t/ours/t/{0}/", "/t/{0}%2F", "/t/{0}%00/", "/t/ours;{0}/",
        "/t/{0}/./", "/T/{0}/",
    ],
)  # fmt: skip
def test_no_spelling_of_a_prefix_opens_another_tenant(
    theirs: World, prefix: str, page: str
) -> None:
    ours = World("ours")
    with ours.inside():
        member = make_member(Role.OWNER)
    client = Client()
    client.force_login(User.objects.get(pk=member.user_id or 0))
    slug = theirs.tenant.slug
    answer = client.get(prefix.format(slug, slug.upper()) + page)
    assert answer.status_code in (302, 404), answer.status_code
    if answer.status_code == 302:
        assert answer.headers["Location"].startswith(("/t/ours/", "/sign-in/"))
