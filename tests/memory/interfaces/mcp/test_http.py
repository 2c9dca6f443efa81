"""`/mcp` over streamable HTTP with the official client: who may, which tools, honest answers."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx2
import jsonschema
import pytest

from agents.models import Visitor
from memory.models import ConflictPolicy, Memory
from tests.memory.interfaces.mcp.conftest import Mcp

pytestmark = pytest.mark.django_db(transaction=True)

PERSONS = {"remember", "list_memories", "update_memory", "forget", "status"}
SHARED = {
    "memory_write", "memory_search", "memory_get", "memory_delete", "memory_check_conflicts",
    "scratch_set", "scratch_get", "workflow_summarize",
}  # fmt: skip


def person(world: Mcp, host_id: str = "mira") -> str:
    """A person's own token."""
    with world.inside():
        visitor = Visitor.objects.meet(host_id=host_id)
    return world.key(kind="person", visitor_id=visitor.pk)


def names(server: Mcp, key: str) -> set[str]:
    listed = server.run(lambda client: client.list_tools(), key)
    return {tool.name for tool in listed.tools}


def test_a_caller_is_told_of_the_tools_that_it_has(server: Mcp) -> None:
    assert names(server, server.key()) == PERSONS | SHARED
    assert names(server, person(server)) == PERSONS
    assert names(server, server.key(agent_id=server.agent.pk)) == PERSONS
    assert names(server, server.key(shared_agent="scout")) == SHARED


def test_every_tool_says_what_it_takes_and_answers(server: Mcp) -> None:
    for tool in server.run(lambda client: client.list_tools(), server.key()).tools:
        assert len(tool.description or "") > 20, tool.name
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.output_schema is not None
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["additionalProperties"] is False


def test_the_standing_prompt_is_a_prompt(server: Mcp) -> None:
    async def read(client: Any) -> str:
        (prompt,) = (await client.list_prompts()).prompts
        return str((await client.get_prompt(prompt.name)).messages[0].content.text)

    assert "remember" in server.run(read, server.key())


def test_what_a_person_saves_is_theirs_alone(server: Mcp) -> None:
    mine, other = person(server, "mira"), person(server, "tom")
    saved = server.call(mine, "remember", content="I live in Porto.", key="home")
    assert saved.structured_content["status"] == "saved"
    again = server.call(mine, "remember", content="I live in Lisbon.", key="home")
    assert again.structured_content["status"] == "updated"
    listed = server.call(mine, "list_memories").structured_content["memories"]
    assert [each["content"] for each in listed] == ["I live in Lisbon."]
    assert server.call(other, "list_memories").structured_content["memories"] == []
    for name, more in (("forget", {}), ("update_memory", {"content": "Mine."})):
        foreign = server.call(other, name, id=saved.structured_content["id"], **more)
        unknown = server.call(other, name, id=str(uuid4()), **more)
        assert foreign.is_error
        assert unknown.is_error
        assert foreign.content[0].text == unknown.content[0].text
    assert server.call(mine, "forget", key="home").structured_content["status"] == "deleted"


def test_an_organisations_key_names_the_person_in_a_header(server: Mcp) -> None:
    key = server.key()
    nobody = server.call(key, "remember", content="I live in Porto.")
    assert nobody.is_error
    assert "X-Keepsake-Person" in nobody.content[0].text
    saved = server.call(key, "remember", "zoë", content="I live in Porto.")
    assert saved.structured_content["status"] == "saved"
    listed = server.call(key, "list_memories", "zoë").structured_content["memories"]
    assert len(listed) == 1
    refused = server.call(person(server, "tom"), "list_memories", "zoë")
    assert refused.is_error


def test_agents_share_over_mcp_what_they_share_on_the_wire(server: Mcp) -> None:
    key = server.key()
    wrote = server.call(
        key, "memory_write", content="The launch deadline is Friday.", agentId="a", scope="team"
    ).structured_content
    hits = server.call(
        key, "memory_search", query="when is the launch deadline?", agentId="b"
    ).structured_content["hits"]
    assert [(hit["id"], hit["agent_id"]) for hit in hits] == [(wrote["writeId"], "a")]
    got = server.call(key, "memory_get", id=wrote["writeId"]).structured_content
    assert got["content"] == "The launch deadline is Friday."
    told = server.call(
        key, "memory_check_conflicts", content="The launch deadline is Monday.", agentId="b"
    ).structured_content
    assert [each["severity"] for each in told["conflicts"]] == ["high"]
    server.call(key, "scratch_set", workflowId="w", key="step", value={"n": 1})
    assert server.call(key, "scratch_get", workflowId="w", key="step").structured_content == {
        "value": {"n": 1}
    }
    assert server.call(key, "workflow_summarize", workflowId="w").structured_content["summary"]
    assert server.call(key, "memory_delete", id=wrote["writeId"]).structured_content == {
        "deleted": True
    }
    assert server.call(key, "memory_get", id=wrote["writeId"]).is_error


@pytest.mark.parametrize("text", ["12345", '{"a": 1}', "null", "true", "[1, 2]"])
def test_a_text_that_looks_like_a_value_stays_a_text(server: Mcp, text: str) -> None:
    key = server.key()
    wrote = server.call(key, "memory_write", content=text, agentId="a").structured_content
    assert server.call(key, "memory_get", id=wrote["writeId"]).structured_content["content"] == text


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("memory_search", {"query": "tea", "agentId": "a", "topK": "10"}, "topK"),
    ("memory_search", {"query": "tea", "agentId": "a", "topK": -1}, "topK"),
    ("memory_search", {"query": "tea", "agentId": "a", "topK": 100_000}, "topK"),
    ("memory_search", {"query": 7, "agentId": "a"}, "query"),
    ("memory_search", {"query": "tea", "agentId": "a", "user": "b"}, "user"),
    ("memory_write", {"content": "x"}, "agentId"),
    ("memory_write", {"content": "x", "agentId": "a", "scope": "everyone"}, "scope"),
    ("memory_write", {"content": "x" * 70_000, "agentId": "a"}, "content"),
    ("memory_get", {"id": "not-a-uuid"}, "id"),
    ("memory_delete", {"id": "' OR 1=1 --"}, "id"),
    ("memory_delete", {}, "id"),
    ("scratch_set", {"workflowId": "w", "key": "k", "value": 1, "ttl": "5"}, "ttl"),
    ("remember", {"content": "x" * 2_001}, "content"),
    ("remember", {"content": "fine", "key": "with spaces"}, "key"),
    ("remember", {"content": "my password is hunter2-Xy9!"}, "content"),
    ("list_memories", {"limit": 0}, "limit"),
    ("list_memories", {"limit": 201}, "limit"),
    ("list_memories", {"limit": "10"}, "limit"),
    ("update_memory", {"id": "x", "key": "y", "content": "z"}, ""),
    ("forget", {}, ""),
]


def test_a_bad_argument_is_a_clean_error_of_the_tool(server: Mcp) -> None:
    key = server.key()

    async def all_of_them(client: Any) -> list[Any]:
        return [await client.call_tool(name, arguments) for name, arguments, _ in BAD]

    for (name, arguments, field), result in zip(
        BAD, server.run(all_of_them, key, person="mira"), strict=True
    ):
        said = result.content[0].text
        assert result.is_error, (name, arguments)
        assert field in said, (name, arguments, said)
        assert "Traceback" not in said
        assert "went wrong" not in said
    with server.inside():
        assert not Memory.objects.exists()


def test_an_unknown_tool_and_a_tool_of_others_are_errors_alike(server: Mcp) -> None:
    for name in ("drop_tables", "memory_write"):
        result = server.call(person(server), name, content="x", agentId="a")
        assert result.is_error
        assert "no tool" in result.content[0].text


def post(server: Mcp, **headers: str) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    return httpx2.post(server.base + "/mcp", json=body, headers={**usual, **headers})


def test_no_key_and_a_wrong_key_are_401(server: Mcp) -> None:
    for headers in ({}, {"Authorization": "Bearer ksk_wrong"}):
        answer = post(server, **headers)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert set(answer.json()) == {"error"}


def test_a_foreign_host_or_page_is_turned_away(server: Mcp) -> None:
    key = f"Bearer {server.key()}"
    assert post(server, Authorization=key, Host="evil.example").status_code == 421
    assert post(server, Authorization=key, Origin="https://evil.example").status_code == 403


def test_a_key_over_its_limit_is_429(server: Mcp, settings: Any) -> None:
    settings.SHARING_LIMIT = 2
    key = f"Bearer {server.key()}"
    statuses = [post(server, Authorization=key).status_code for _ in range(4)]
    assert statuses[-1] == 429


def test_a_tenants_ids_are_nobodys_in_another(server: Mcp) -> None:
    other = Mcp()
    other.base = server.base
    wrote = server.call(
        server.key(), "memory_write", content="The code is blue.", agentId="a", scope="global"
    ).structured_content
    key = other.key()
    assert other.call(key, "memory_get", id=wrote["writeId"]).is_error
    assert other.call(key, "memory_delete", id=wrote["writeId"]).is_error
    found = other.call(key, "memory_search", query="code blue", agentId="a").structured_content
    assert found == {"hits": []}


def test_fifty_clients_at_once_meet_no_error(server: Mcp) -> None:
    key = server.key(tier="enterprise")

    async def one(number: int) -> bool:
        async with server.client(key, person=f"p{number}") as client:
            saved = await client.call_tool("remember", {"content": f"I like number {number}."})
            listed = await client.call_tool("list_memories", {})
        (memory,) = listed.structured_content["memories"]
        return not saved.is_error and memory["content"] == f"I like number {number}."

    async def all_of_them() -> list[bool]:
        return await asyncio.gather(*(one(number) for number in range(50)))

    assert all(asyncio.run(all_of_them()))


def test_what_a_blocked_write_says(server: Mcp) -> None:
    with server.inside():
        ConflictPolicy.objects.create(policy="human_in_loop")
    key = server.key()
    server.call(key, "memory_write", content="The deadline is Friday.", agentId="a", scope="team")
    blocked = server.call(
        key, "memory_write", content="The deadline is Monday.", agentId="b", scope="team"
    )
    assert blocked.is_error
    body = blocked.structured_content
    assert [each["severity"] for each in body["conflicts"]] == ["high"]
    waiting = server.call(key, "memory_get", id=body["writeId"])
    assert waiting.is_error
    assert "pending" in waiting.content[0].text
