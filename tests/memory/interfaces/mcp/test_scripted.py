"""A model of few wits finds its way by what `tools/list` says, and the schemas say no less or more.

It knows what it wants in plain words, and of the server only names, descriptions and schemas: the
tool is the one whose description fits the wish best, an argument the one whose description fits.
"""

import json
import re
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import jsonschema
import pytest

from tests.memory.interfaces.mcp.conftest import ERAS, Mcp

pytestmark = pytest.mark.django_db(transaction=True)

Schema = dict[str, Any]
_EMPTY = set("a an and as at be been by for from in is it its may of on one or that the them they "
             "this to was what when who with you your".split())  # fmt: skip


def words(text: str) -> set[str]:
    found = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower())
    return {re.sub(r"(ies|es|s|ed)$", "", word) for word in found} - _EMPTY


def fit(wish: str, text: str) -> float:
    """How much of the wish the text says, and then how little else it says."""
    asked, said = words(wish), words(text)
    return len(asked & said) / len(asked) + len(asked & said) / len(said) / 10


def made_up(schema: Schema) -> Any:
    """A value that the schema allows, from nothing but the schema."""
    for name in ("default", "const"):
        if name in schema:
            return schema[name]
    for name in ("examples", "enum"):
        if name in schema:
            return schema[name][0]
    if schema.get("format") == "uuid":
        return str(uuid4())
    kind = schema.get("type", "string")
    return {"string": "some-text", "integer": schema.get("minimum", 1), "boolean": False}[kind]


@dataclass
class Scripted:
    client: Any
    tools: list[Any]

    async def do(self, wish: str, **facts: Any) -> tuple[str, Any]:
        """The tool it chose and the structured answer. `facts` are by what they are, in words."""
        tool = max(self.tools, key=lambda each: fit(wish, each.description))
        properties: dict[str, Schema] = tool.input_schema["properties"]
        arguments: dict[str, Any] = {}
        for about, value in facts.items():
            wanted = about.replace("_", " ")
            free = [name for name in properties if name not in arguments]
            best = max(free, key=lambda n: fit(wanted, f"{n} {properties[n].get('description')}"))
            arguments[best] = value
        for name in tool.input_schema["required"]:
            if name not in arguments:
                arguments[name] = made_up(properties[name])
        jsonschema.validate(arguments, tool.input_schema)
        result = await self.client.call_tool(tool.name, arguments)
        assert not result.is_error, (tool.name, arguments, result.content)
        jsonschema.validate(result.structured_content, tool.output_schema)
        assert json.loads(result.content[0].text) == result.structured_content
        return tool.name, result.structured_content


@pytest.mark.parametrize("era", ERAS)
def test_descriptions_are_enough_to_keep_a_persons_memory(server: Mcp, era: str) -> None:
    async def live(client: Any) -> None:
        model = Scripted(client, (await client.list_tools()).tools)

        used, saved = await model.do(
            "save a durable fact about the user for later conversations",
            one_full_sentence="I live in Porto.", stable_name_for_this_fact="home-city",
        )  # fmt: skip
        assert (used, saved["status"]) == ("remember", "saved")
        used, again = await model.do(
            "save a durable fact about the user; the key exists, update it in place",
            one_full_sentence="I live in Lisbon.", stable_name_for_this_fact="home-city",
        )  # fmt: skip
        assert (used, again["status"], again["id"]) == ("remember", "updated", saved["id"])
        used, listed = await model.do("list what is remembered about the user")
        (memory,) = listed["memories"]
        assert (used, memory["content"]) == ("list_memories", "I live in Lisbon.")
        used, changed = await model.do(
            "change the text of one memory of the user, named by its key",
            key_of_the_memory_instead_of_its_id=memory["key"], one_full_sentence="I live in Faro.",
        )  # fmt: skip
        assert (used, changed["status"]) == ("update_memory", "updated")
        used, told = await model.do(
            "what became of a write that was pending", id_of_that_answer=changed["id"]
        )
        assert (used, told["status"]) == ("status", "saved")
        used, found = await model.do(
            "list what is remembered, narrow by a part of the text", part_of_the_text="FARO"
        )
        assert [each["key"] for each in found["memories"]] == ["home-city"]
        used, gone = await model.do(
            "delete one memory of the user because they ask for it",
            id_that_list_memories_gave=memory["id"],
        )
        assert (used, gone["status"]) == ("forget", "deleted")
        used, listed = await model.do("list what is remembered about the user")
        assert listed["memories"] == []

    server.run(live, server.person(), mode=era)
    server.run(live, server.key(), person="tom", mode=era)  # among all thirteen tools


@pytest.mark.parametrize("era", ERAS)
def test_descriptions_are_enough_to_share_among_agents(server: Mcp, era: str) -> None:
    async def live(client: Any) -> None:
        model = Scripted(client, (await client.list_tools()).tools)

        used, wrote = await model.do(
            "write a memory that other agents of the organisation may find",
            content_text="The launch deadline is Friday.", who_sees_it="global",
            your_own_name_among_agents="planner-1", job_workflow_it_belongs_to="launch",
        )  # fmt: skip
        assert used == "memory_write"
        used, found = await model.do(
            "search the memories by meaning and words",
            question="when is the launch deadline?", your_own_name_among_agents="executor-1",
        )  # fmt: skip
        assert used == "memory_search"
        assert [hit["id"] for hit in found["hits"]] == [wrote["writeId"]]
        used, read = await model.do("read one memory by its id", id=wrote["writeId"])
        assert (used, read["agent_id"]) == ("memory_get", "planner-1")
        used, told = await model.do(
            "which memories would a text contradict, without writing it",
            content_text="The launch deadline is Monday.", job_workflow_it_belongs_to="launch",
            your_own_name_among_agents="executor-1",
        )  # fmt: skip
        assert used == "memory_check_conflicts"
        assert [each["memoryId"] for each in told["conflicts"]] == [wrote["writeId"]]
        used, kept = await model.do(
            "keep a value under a key of a workflow's scratchpad, working memory",
            job_workflow_it_belongs_to="launch", key_its_name="step", any_JSON_value={"n": 1},
        )  # fmt: skip
        assert (used, kept) == ("scratch_set", {"ok": True})
        used, got = await model.do(
            "read a key of a workflow's scratchpad",
            job_workflow_it_belongs_to="launch", key_its_name="step",
        )  # fmt: skip
        assert (used, got) == ("scratch_get", {"value": {"n": 1}})
        used, brief = await model.do(
            "sum up a workflow's memories as a brief", job_workflow_it_belongs_to="launch"
        )
        assert used == "workflow_summarize"
        assert "Friday" in brief["summary"]
        used, gone = await model.do(
            "delete a memory by its id, gone from every search at once", id=wrote["writeId"]
        )
        assert (used, gone) == ("memory_delete", {"deleted": True})
        _, found = await model.do(
            "search the memories by meaning and words", question="when is the launch deadline?"
        )  # of an agent whose name it makes up
        assert found["hits"] == []

    server.run(live, server.key(tier="enterprise"), mode=era)


def edges(schema: Schema) -> list[Any]:
    """The outermost values that a schema allows."""
    found = [*schema.get("examples", ()), *schema.get("enum", ())]
    if "enum" in schema or "examples" in schema or schema.get("format") == "uuid":
        pass
    elif schema.get("type") == "string":
        found += ["a" * schema["minLength"]] if "minLength" in schema else []
        found += ["a" * schema["maxLength"]] if "maxLength" in schema else []
    elif schema.get("type") == "integer":
        found += [schema[name] for name in ("minimum", "maximum") if name in schema]
    elif schema.get("type") == "boolean":
        found += [True, False]
    return found


def beyond(schema: Schema) -> list[Any]:
    """Values just outside of it."""
    found: list[Any] = []
    match schema.get("type"):
        case "string":
            found += [7, True, ["a"], {"a": 1}]
            found += ["a" * (schema["maxLength"] + 1)] if "maxLength" in schema else []
            found += [""] if schema.get("minLength") or "pattern" in schema else []
            found += ["two words"] if "pattern" in schema else []
            found += [schema["enum"][0].upper(), "other"] if "enum" in schema else []
        case "integer":
            found += ["1", 1.5, True]
            found += [schema["minimum"] - 1] if "minimum" in schema else []
            found += [schema["maximum"] + 1] if "maximum" in schema else []
        case "boolean":
            found += ["true", 1, 0]
    return found


def test_a_schema_allows_what_is_taken_and_nothing_else(server: Mcp) -> None:
    """At every edge of every argument: inside it no argument is at fault, outside one is."""
    key = server.key(tier="enterprise")

    async def try_all(client: Any) -> int:
        count = 0
        for tool in (await client.list_tools()).tools:
            properties = tool.input_schema["properties"]
            least = {name: made_up(properties[name]) for name in tool.input_schema["required"]}
            if tool.name in ("update_memory", "forget"):
                least = {"key": "some-key"}
            if tool.name == "update_memory":
                least["content"] = "some text"
            for name, schema in properties.items():
                for value in edges(schema):
                    if "enum" not in schema or name != "id":
                        jsonschema.validate(value, schema)
                    result = await client.call_tool(tool.name, {**least, name: value})
                    said = result.content[0].text
                    is_fine = not result.is_error or "there is no memory" in said
                    assert is_fine or "refused" in said, (tool.name, name, value, said)
                    count += 1
                for value in beyond(schema):
                    if name == "id" and isinstance(value, str):
                        continue
                    assert list(
                        jsonschema.Draft202012Validator(schema).iter_errors(value)
                    ), (tool.name, name, value)  # fmt: skip
                    result = await client.call_tool(tool.name, {**least, name: value})
                    assert result.is_error, (tool.name, name, value)
                    assert name in result.content[0].text or name == "id", (tool.name, name)
                    count += 1
        return count

    assert server.run(try_all, key, person="mira") > 150


def test_a_key_that_is_for_one_agent_need_not_say_who_speaks(server: Mcp) -> None:
    async def live(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert not [tool.name for tool in tools if "agentId" in tool.input_schema["required"]]
        model = Scripted(client, tools)
        _, wrote = await model.do(
            "write a memory that other agents may find", content_text="The launch is on Friday."
        )
        _, read = await model.do("read one memory by its id", id=wrote["writeId"])
        assert read["agent_id"] == "scout"

    server.run(live, server.key(shared_agent="scout"))
