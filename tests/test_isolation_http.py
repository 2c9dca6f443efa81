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

from memory import store
from memory.models import AccessGrant, ConflictPolicy, Draft, Memory, Scope, Team, Webhook
from memory.providers import using
from memory.providers.offline import OfflineLanguage
from memory.sharing import replicas, scratch, usage
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
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
from tests.fakes import StubEmbedder

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
    share(world)
    return world


def share(world: World) -> None:
    """Of all that agents of theirs share."""
    workflow, agent = f"workflow-{MARK}", f"agent-{MARK}"
    with world.inside():
        writer = agent_called(agent)
        for scope in Scope:
            draft = Draft(content=f"{MARK} is {scope}.", scope=scope, workflow=workflow)
            store.share(draft, writer=writer, by=SYSTEM)
        Team.objects.create(name=f"team {MARK}")
        ConflictPolicy.objects.create(workflow=workflow, policy="human_in_loop")
        AccessGrant.objects.create(grantor_role="planner", resource_scope="team", grantee=writer)
        Token.objects.issue(kind=Token.Kind.ORGANISATION, name=f"key {MARK}")
        url = f"https://93.184.216.34/{MARK}"
        Webhook.objects.create(url=url, events=["memory.written"], secret=b"x")
        scratch.put(workflow, "key", MARK)
        usage.count(workflow, writes=1)
        replicas.write(f"replica-{MARK}", key="key", value=MARK, agent=agent, evidence="")


def numbers(world: World) -> list[int]:
    """Ids of rows of theirs; those of one kind are tried as ids of every kind."""
    with world.inside():
        memory = Memory.objects.exclude(kind=Memory.Kind.SHARED).get()
        return sorted({memory.pk, memory.mutations.get().pk, world.agent.pk})


def uids(world: World) -> list[str]:
    """Of a row of theirs of each kind that has an address under `/v1`."""
    kinds: list[Any] = [Memory, Team, ConflictPolicy, AccessGrant, Token, Webhook]
    with world.inside():
        return [
            str(kind.objects.order_by("-pk").values_list("uid", flat=True)[0]) for kind in kinds
        ]


def addresses(route: str, world: World) -> Iterator[str]:
    ids: list[Any] = [0]
    if route.startswith("v1/"):
        ids = uids(world) if "<str:uid>" in route or "<str:number>" in route else ids
    elif "<int:" in route or "path:" in route:
        ids = numbers(world)
    for number in ids:
        address, values = route, {
            "org": world.tenant.slug, "agent": world.agent.slug, "name": str(world.agent.uid),
            "slug": world.agent.slug, "user_id": world.visitor.host_id, "kind": "conversation",
            "app_label": "memory", "workflow": f"workflow-{MARK}", "replica": f"replica-{MARK}",
        }  # fmt: skip
        for found in list(PARAMETER.finditer(route)):
            place = str(values.get(found[2], number))
            address = address.replace(found[0], place)
        yield address


def bodies(route: str) -> list[dict[str, Any]]:
    return [{}, SHARED if route.startswith("v1/") else NAMING]


NAMING: dict[str, Any] = {
    "visitor": f"person-{MARK}", "conversation": "c", "message": "hello there",
    "messages": [{"role": "user", "content": "hello there"}],
    "content": "hello there, you", "version": 1, "name": "x",
}  # fmt: skip
SHARED: dict[str, Any] = {
    "content": "It is ours.", "query": MARK, "agentId": f"agent-{MARK}", "name": "x",
    "workflowId": f"workflow-{MARK}", "scope": "team", "key": "key", "value": "ours",
    "from": f"replica-{MARK}", "agents": [f"agent-{MARK}"], "policy": "timestamp_wins",
    "grantorRole": "planner", "granteeAgent": f"agent-{MARK}", "resourceScope": "private",
    "active": False, "memoriesDays": 1,
    "writes": [{"content": "hello", "agentId": f"agent-{MARK}"}],
    "searches": [{"query": MARK, "agentId": f"agent-{MARK}"}],
}  # fmt: skip


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
    with using(language=OfflineLanguage(), embedder=StubEmbedder()):
        for route in routes():
            is_api = route.startswith(("api/", "v1/"))
            if is_api != ("Authorization" in headers) or route.startswith("api/cron/"):
                continue
            for address in addresses(route, theirs):
                path = f"/{address}" if is_api else f"/t/ours/{address}"
                for method in METHODS if is_api else METHODS[:2]:
                    for body in bodies(route)[not is_api or method == "GET" :]:
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
    for kind in ("person", "agent", "of", "workflow", "replica"):
        text = text.replace(f"{kind}-{MARK}", "")  # as it was asked for
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
