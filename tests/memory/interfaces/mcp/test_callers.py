"""Whose call it is: keys that end, keys that are narrowed, members, people who left, strangers."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from django.db.models.functions import Now

from agents.models import Mode, Visitor
from memory.interfaces.mcp.catalogue import SHARED
from memory.lifecycle.erase import erase_person
from memory.models import Memory, Mutation
from memory.tools import TOOLS
from tenants.actor import SYSTEM
from tenants.models import Role, Token
from tests.memory.interfaces.mcp.conftest import ERAS, Mcp, envelope

pytestmark = pytest.mark.django_db(transaction=True)

SECRET_PLACE = "harbour-lime is my shed code"
FORMS: dict[str, dict[str, Any]] = {  # one good call of each tool
    "remember": {"content": "I drink tea."},
    "list_memories": {},
    "update_memory": {"key": "drink", "content": "I drink mate."},
    "forget": {"key": "drink"},
    "status": {"id": str(uuid4())},
    "memory_write": {"content": "The build is green.", "agentId": "a"},
    "memory_search": {"query": "the build", "agentId": "a"},
    "memory_get": {"id": str(uuid4())},
    "memory_delete": {"id": str(uuid4())},
    "memory_check_conflicts": {"content": "The build is red.", "agentId": "a"},
    "scratch_set": {"workflowId": "w", "key": "k", "value": 1},
    "scratch_get": {"workflowId": "w", "key": "k"},
    "workflow_summarize": {"workflowId": "w"},
}


def all_tools(server: Mcp, key: str, person: str | None = None) -> dict[str, Any]:
    async def each(client: Any) -> dict[str, Any]:
        return {name: await client.call_tool(name, FORMS[name]) for name in FORMS}

    return server.run(each, key, person=person)


def status(server: Mcp, key: str) -> int:
    body, headers = envelope("legacy", "tools/list")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    usual = {"Accept": "application/json", "Authorization": f"Bearer {key}", **named}
    return httpx2.post(server.base + "/mcp", json=body, headers=usual).status_code


def test_every_tool_has_a_form() -> None:
    assert FORMS.keys() == TOOLS.keys() | SHARED.keys()


@pytest.mark.parametrize("field", ["revoked_at", "expires_at"])
def test_a_key_that_has_ended_is_401_at_the_next_call(server: Mcp, field: str) -> None:
    makers: list[Callable[[], str]] = [
        server.key, server.person, partial(server.member, Role.EDITOR),
    ]  # fmt: skip
    for make in makers:
        key = make()
        assert status(server, key) == 200
        with server.inside():
            Token.objects.update(**{field: Now()})
        assert status(server, key) == 401


def test_a_person_has_a_limit_of_their_own(server: Mcp, settings: Any) -> None:
    settings.SHARING_LIMIT = 3
    mira, tom = server.person("mira"), server.person("tom")
    assert [status(server, mira) for _ in range(4)] == [200, 200, 200, 429]
    assert status(server, tom) == 200


@pytest.mark.parametrize(
    ("role", "writes"), [(Role.VIEWER, False), (Role.EDITOR, True), (Role.ADMIN, True)]
)
def test_a_member_has_the_tools_of_their_rank(server: Mcp, role: Role, writes: bool) -> None:
    key = server.member(role)
    listed = server.run(lambda client: client.list_tools(), key).tools
    allowed = {name for name, tool in SHARED.items() if writes or tool.is_read_only}
    assert {tool.name for tool in listed} == allowed
    for name, result in all_tools(server, key, "mira").items():
        assert ("no tool" in result.content[0].text) == (name not in allowed), name
    with server.inside():
        assert not Visitor.objects.filter(host_id="mira").exists()
        assert Memory.objects.exists() == writes


def test_a_key_of_a_chat_agent_speaks_as_its_model(server: Mcp) -> None:
    """What the model of a reviewed agent saves waits; an automatic one's is stored (E3)."""
    with server.inside():
        server.agent.mode = Mode.REVIEWED
        server.agent.save()
    key = server.key(agent_id=server.agent.pk)
    pending = server.call(key, "remember", "mira", content="I drink tea.", key="drink")
    assert pending.structured_content["status"] == "pending"
    told = server.call(key, "status", "mira", id=pending.structured_content["id"])
    assert told.structured_content["status"] == "pending"
    with server.inside():
        assert not Memory.objects.exists()
        assert Mutation.objects.get().agent_id == server.agent.pk
        server.agent.mode = Mode.AUTOMATIC
        server.agent.save()
    saved = server.call(key, "remember", "mira", content="I sail.", key="sport")
    assert saved.structured_content["status"] == "saved"
    for name, result in all_tools(server, key, "mira").items():
        assert ("no tool" in result.content[0].text) == (name in SHARED), name


def test_a_key_narrowed_to_an_agent_and_a_scope_stays_there(server: Mcp) -> None:
    wide = server.key()
    kept = {}
    for agent, scope in (("scout", "private"), ("scout", "team"), ("other", "private")):
        text = f"The {scope} plan of {agent} is blue."
        wrote = server.call(wide, "memory_write", content=text, agentId=agent, scope=scope)
        kept[agent, scope] = wrote.structured_content["writeId"]
    for fields, seen in (
        ({"shared_agent": "scout"}, {("scout", "private"), ("scout", "team")}),
        ({"shared_agent": "scout", "scope": "team"}, {("scout", "team")}),
    ):
        key = server.key(**fields)
        hits = server.call(key, "memory_search", query="the blue plan").structured_content["hits"]
        assert {hit["id"] for hit in hits} == {kept[each] for each in seen}
        for each, uid in kept.items():
            assert server.call(key, "memory_get", id=uid).is_error == (each not in seen)
        foreign = server.call(key, "memory_search", query="plan", agentId="other")
        assert foreign.is_error
        assert "agentId" in foreign.content[0].text
        theirs = server.call(key, "memory_delete", id=kept["other", "private"])
        nobodys = server.call(key, "memory_delete", id=str(uuid4()))
        assert theirs.content[0].text == nobodys.content[0].text
    narrow = server.key(shared_agent="scout", scope="team")
    assert server.call(narrow, "memory_write", content="x is y.", scope="private").is_error
    named = server.call(narrow, "memory_write", content="The launch is on Friday.")
    got = server.call(wide, "memory_get", id=named.structured_content["writeId"])
    assert (got.structured_content["agent_id"], got.structured_content["scope"]) == (
        "scout",
        "team",
    )


def test_a_person_who_switched_memory_off(server: Mcp) -> None:
    """By their own token they still may; a model learns nothing and is told nothing (E12)."""
    own = server.person("mira")
    saved = server.call(own, "remember", content="I drink tea.").structured_content
    with server.inside():
        server.agent.mode = Mode.AUTOMATIC
        server.agent.save()
        Visitor.objects.update(auto_capture_enabled=False, use_memory_in_responses=False)
    model = server.key(agent_id=server.agent.pk)
    for name, arguments in (("remember", {"content": "I sail."}), ("list_memories", {})):
        result = server.call(model, name, "mira", **arguments)
        assert result.is_error
        assert "tea" not in result.content[0].text
    assert server.call(own, "remember", content="I sail.").structured_content["status"] == "saved"
    listed = server.call(own, "list_memories").structured_content["memories"]
    assert saved["id"] in {each["id"] for each in listed}


def test_of_a_person_who_was_erased_there_is_nothing(server: Mcp) -> None:
    own, key = server.person("mira"), server.key()
    server.call(own, "remember", content=SECRET_PLACE, key="drink")
    with server.inside():
        visitor = Visitor.objects.get(host_id="mira")
        saved = Memory.objects.get().uid
    erase_person(tenant_id=server.tenant.pk, visitor_id=visitor.pk, by=SYSTEM)
    assert status(server, own) == 401
    assert server.call(key, "list_memories", "mira").structured_content["memories"] == []
    assert server.call(key, "status", "mira", id=str(saved)).is_error
    for name, result in all_tools(server, key, "mira").items():
        assert "harbour" not in str(result), name


def test_a_call_that_cannot_be_served_makes_nobody(server: Mcp) -> None:
    key = server.key()
    for name, arguments in (
        ("remember", {"content": ""}), ("remember", {"content": "x", "key": "a b"}),
        ("list_memories", {}), ("forget", {"key": "x"}), ("status", {"id": str(uuid4())}),
        ("update_memory", {"key": "x", "content": "y"}),
    ):  # fmt: skip
        server.call(key, name, "stranger", **arguments)
    with server.inside():
        assert not Visitor.objects.filter(host_id="stranger").exists()


# --- faults 8 and 16 ---------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_what_one_deleted_is_found_by_no_tool_and_the_others_stays(server: Mcp, era: str) -> None:
    server.era = era
    key, mira, tom = server.key(), server.person("mira"), server.person("tom")
    for own in (mira, tom):
        assert not server.call(own, "remember", content=SECRET_PLACE, key="shed").is_error
    shared = [
        server.call(
            key, "memory_write", content=SECRET_PLACE, agentId=agent, workflowId="w"
        ).structured_content["writeId"]
        for agent in ("a", "b")
    ]
    for scope in ({}, {"key": ""}, {"id": ""}, {"id": None, "key": None}, {"user_id": ""}):
        assert server.call(mira, "forget", **scope).is_error
        assert server.call(key, "memory_delete", **scope).is_error
    assert server.call(mira, "forget", key="shed").structured_content["status"] == "deleted"
    assert server.call(key, "memory_delete", id=shared[0]).structured_content == {"deleted": True}

    found = [
        server.call(mira, "list_memories"),
        server.call(mira, "list_memories", query="harbour"),
        server.call(key, "list_memories", "mira", query="lime"),
        server.call(key, "memory_search", query="harbour-lime", agentId="a"),
        server.call(key, "memory_search", query="the code of the shed", agentId="a"),
        server.call(key, "memory_search", query="harbour-lime", agentId="a", scope="private"),
        server.call(key, "memory_get", id=shared[0]),
        server.call(key, "memory_check_conflicts", content="not " + SECRET_PLACE, agentId="a"),
    ]
    for result in found:
        assert "harbour" not in str(result.structured_content), result
    assert server.call(tom, "list_memories").structured_content["total"] == 1
    got = server.call(key, "memory_get", id=shared[1]).structured_content
    assert got["content"] == SECRET_PLACE
    brief = server.call(key, "workflow_summarize", workflowId="w", agentId="a")
    assert "harbour" not in brief.structured_content["summary"]


def test_no_argument_widens_whose_memory_it_is(server: Mcp) -> None:
    """Fault 16: the client's own user, filters and wildcards are no arguments of any tool."""
    mine, theirs = server.person("user_1"), server.person("userA1")
    other = server.call(theirs, "remember", content=SECRET_PLACE, key="shed").structured_content
    for more in (
        {"user_id": "userA1"}, {"user": "userA1"}, {"filters": {"user_id": "%"}},
        {"filters": {"OR": [{"user_id": "userA1"}]}}, {"person": "userA1"}, {"tenant": 1},
    ):  # fmt: skip
        for name, form in FORMS.items():
            if name in TOOLS:
                result = server.call(mine, name, **form, **more)
                assert result.is_error
                assert "harbour" not in str(result)
    for query in ("%", "_", "harbour%", "\\"):
        listed = server.call(mine, "list_memories", query=query).structured_content
        assert listed == {"memories": [], "total": 0}
    for name, more in (("forget", {}), ("update_memory", {"content": "Mine."}), ("status", {})):
        said = {
            server.call(mine, name, id=uid, **more).content[0].text
            for uid in (other["id"], str(uuid4()), "not-a-uuid", "' OR 1=1 --", "%")
        }
        assert len(said) == 1
    assert server.call(mine, "list_memories", "userA1").is_error
    assert server.call(mine, "list_memories", "user_1").structured_content["total"] == 0
    listed = server.call(theirs, "list_memories").structured_content["memories"]
    assert [each["content"] for each in listed] == [SECRET_PLACE]


def test_another_tenants_ids_and_people_are_nobodys(server: Mcp) -> None:
    other = Mcp()
    other.base = server.base
    key, foreign = server.key(), other.key()
    saved = server.call(key, "remember", "mira", content=SECRET_PLACE, key="shed")
    uid = saved.structured_content["id"]
    shared = server.call(
        key, "memory_write", content=SECRET_PLACE, agentId="a", scope="global", workflowId="w"
    ).structured_content["writeId"]
    server.call(key, "scratch_set", workflowId="w", key="k", value=SECRET_PLACE)
    for name, arguments in (
        ("list_memories", {}), ("forget", {"id": uid}), ("forget", {"key": "shed"}),
        ("update_memory", {"id": uid, "content": "Mine."}), ("status", {"id": uid}),
        ("memory_get", {"id": shared}), ("memory_delete", {"id": shared}),
        ("memory_search", {"query": "harbour-lime", "agentId": "a"}),
        ("memory_check_conflicts", {"content": "not " + SECRET_PLACE, "agentId": "a"}),
        ("scratch_get", {"workflowId": "w", "key": "k"}),
        ("workflow_summarize", {"workflowId": "w"}),
    ):  # fmt: skip
        result = other.call(foreign, name, "mira", **arguments)
        assert "harbour" not in str(result.structured_content), name
    assert server.call(key, "list_memories", "mira").structured_content["total"] == 1
    assert not server.call(key, "memory_get", id=shared).is_error


# --- fault 26 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_texts_are_kept_as_they_were_sent(server: Mcp, era: str) -> None:
    server.era = era
    key, own = server.key(), server.person()
    texts = ["12345", '{"a": 1}', "null", "true", "[1, 2]", "1e5", '"quoted"', "<b>&amp;</b>", "🫖"]

    async def each(client: Any) -> list[str]:
        return [
            (await client.call_tool("memory_write", {"content": text, "agentId": "a"}))
            .structured_content["writeId"]
            for text in texts
        ]  # fmt: skip

    ids = server.run(each, key, mode=era)
    got = [server.call(key, "memory_get", id=uid).structured_content for uid in ids]
    assert [each["content"] for each in got] == texts
    for text in texts:
        assert not server.call(own, "remember", content=text).is_error
    listed = server.call(own, "list_memories").structured_content["memories"]
    assert {each["content"] for each in listed} == set(texts)
    assert all(each["id"] for each in listed)
    hits = server.call(key, "memory_search", query="12345", agentId="a").structured_content["hits"]
    assert all(hit["content"] and hit["id"] for hit in hits)
    assert "12345" in {hit["content"] for hit in hits}
    values: list[Any] = ["12345", 12345, 10**30, 0.1, None, True, [], {"a": [None]}, "null"]
    for value in values:
        server.call(key, "scratch_set", workflowId="w", key="k", value=value)
        found = server.call(key, "scratch_get", workflowId="w", key="k").structured_content["value"]
        assert (type(found), found) == (type(value), value)


WRONG: list[Any] = [7, 7.5, True, [], {}, ["a"], {"a": 1}, "\0", "\ud800"]


@pytest.mark.parametrize("era", ERAS)
def test_no_kind_of_value_breaks_an_argument(server: Mcp, era: str) -> None:
    """Every argument of every tool with values of every wrong kind, and names nobody has."""
    key = server.key(tier="enterprise")
    tools = TOOLS | SHARED
    post = _poster(server, key, era)

    async def each() -> None:
        async with httpx2.AsyncClient(timeout=30) as http:
            for name, tool in tools.items():
                for argument in [*tool.arguments["properties"], "\ud800", "no such"]:
                    for value in WRONG:
                        answer = await post(http, name, {**FORMS[name], argument: value})
                        assert answer.status_code in (200, 400), (name, argument, value)
                        assert "went wrong" not in answer.text, (name, argument, value)
                        body = answer.json()
                        assert "error" in body or "content" in body["result"]

    asyncio.run(each())


def _poster(server: Mcp, key: str, era: str) -> Any:
    def post(http: httpx2.AsyncClient, name: str, arguments: dict[str, Any]) -> Any:
        body, headers = envelope(era, "tools/call", name=name, arguments=arguments)
        named = {each.replace("_", "-"): value for each, value in headers.items()}
        usual = {
            "Accept": "application/json, text/event-stream", "Authorization": f"Bearer {key}",
            "X-Keepsake-Person": "mira", "Content-Type": "application/json", **named,
        }  # fmt: skip
        # ASCII, so that half a character goes as an escape and is the server's to judge.
        return http.post(server.base + "/mcp", content=json.dumps(body).encode(), headers=usual)

    return post
