"""`manage.py mcp` over stdio: the protocol alone on standard output, whatever is logged."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.db.models.functions import Now
from mcp import StdioServerParameters
from mcp.client.client import Client

from tenants.models import Token
from tests.memory.interfaces.mcp.conftest import ERAS, Mcp
from tests.served import database_addresses

pytestmark = pytest.mark.django_db(transaction=True)


def environment(key: str, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        **database_addresses(),
        "KEEPSAKE_TOKEN": key,
        **more,
    }


@pytest.mark.parametrize("era", ERAS)
def test_the_official_client_calls_tools_over_stdio(world: Mcp, era: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp"],
        cwd=settings.BASE_DIR,
        env=environment(world.key(), KEEPSAKE_PERSON="mira"),
    )

    async def talk() -> list[Any]:
        async with Client(parameters, mode=era) as client:
            saved = await client.call_tool("remember", {"content": "I live in Porto."})
            listed = await client.call_tool("list_memories", {})
            wrote = await client.call_tool(
                "memory_write", {"content": "The build is green.", "agentId": "a"}
            )
        return [saved, listed, wrote]

    saved, listed, wrote = asyncio.run(talk())
    assert saved.structured_content["status"] == "saved"
    (memory,) = listed.structured_content["memories"]
    assert memory["content"] == "I live in Porto."
    assert wrote.structured_content["writeId"]


def test_standard_output_carries_the_protocol_alone(world: Mcp) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }  # fmt: skip
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    call = {
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "list_memories", "arguments": {}},
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "manage.py", "mcp"],
        cwd=settings.BASE_DIR,
        env=environment(
            world.key(), KEEPSAKE_PERSON="mira", LOG_LEVEL="DEBUG", PYTHONWARNINGS="always"
        ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines = []
    for message in (hello, ready, call):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        if "id" in message:
            lines.append(process.stdout.readline())
    rest, _ = process.communicate(timeout=30)
    answers = [json.loads(line) for line in [*lines, *rest.splitlines()]]
    assert [each["id"] for each in answers] == [1, 2]
    assert all(each["jsonrpc"] == "2.0" for each in answers)
    assert process.returncode == 0


@pytest.mark.parametrize("key", ["", "ksk_wrong"])
def test_without_a_good_key_it_says_so_and_ends(world: Mcp, key: str) -> None:
    ended = subprocess.run(
        [sys.executable, "manage.py", "mcp"],
        cwd=settings.BASE_DIR,
        env=environment(key),
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode != 0
    assert ended.stdout == ""
    assert "KEEPSAKE_TOKEN" in ended.stderr
    assert "Traceback" not in ended.stderr


class Talk:
    """A process of the command, line by line."""

    def __init__(self, key: str, **more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "mcp"],
            cwd=settings.BASE_DIR, env=environment(key, **{"KEEPSAKE_PERSON": "mira", **more}),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.number = 0
        self.ask("initialize", **HELLO)

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to this request; whatever came before it is passed over."""
        self.number += 1
        body = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.send(json.dumps(body))
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self.number:
                return answer
        raise AssertionError("the command ended")

    def call(self, name: str, **arguments: Any) -> tuple[bool, str]:
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        return bool(result.get("isError")), result["content"][0]["text"]

    def end(self) -> str:
        """What went to standard error."""
        _, errors = self.process.communicate(timeout=30)
        assert self.process.returncode == 0
        return errors


HELLO: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def test_a_key_is_looked_up_and_counted_at_every_call(world: Mcp) -> None:
    key = world.key()
    talk = Talk(key, SHARING_LIMIT="3")
    assert [talk.call("list_memories")[0] for _ in range(3)] == [False] * 3
    is_error, said = talk.call("list_memories")
    assert is_error
    assert "minute" in said
    with world.inside():
        Token.objects.update(revoked_at=Now())
    is_error, said = talk.call("list_memories")
    assert is_error
    assert "KEEPSAKE_TOKEN" in said
    assert "KEEPSAKE_TOKEN" in talk.ask("tools/list")["error"]["message"]
    assert "Traceback" not in talk.end()


def test_garbage_ends_nothing_and_no_text_is_logged(world: Mcp) -> None:
    talk = Talk(world.key(), LOG_LEVEL="DEBUG")
    for line in ("", "{", "null", "[]", "7", '{"jsonrpc": "2.0"}', '{"id": 1}', "\\u0000", "ÿþ"):
        talk.send(line)
    assert talk.ask("no/such")["error"]
    assert talk.ask("tools/call", name=7)["error"]
    assert not talk.call("remember", content="harbour-lime is my shed code")[0]
    assert talk.call("remember", content="my password is hunter2-Xy9!")[0]
    assert "harbour-lime" in talk.call("list_memories")[1]
    errors = talk.end()
    assert "harbour-lime" not in errors
    assert "hunter2" not in errors


def test_a_persons_token_needs_no_name_and_takes_no_other(world: Mcp) -> None:
    """The process speaks for mira (KEEPSAKE_PERSON); the token is tom's."""
    mine = Talk(world.person("mira"))
    assert not mine.call("remember", content="I live in Porto.")[0]
    mine.end()
    other = Talk(world.person("tom"))
    is_error, said = other.call("list_memories")
    assert is_error
    assert "Porto" not in said
    other.end()


def test_without_a_person_an_organisations_key_is_told_how_to_name_one(world: Mcp) -> None:
    talk = Talk(world.key(), KEEPSAKE_PERSON="")
    is_error, said = talk.call("list_memories")
    assert is_error
    assert "KEEPSAKE_PERSON" in said
    assert not talk.call("memory_write", content="The build is green.", agentId="a")[0]
    talk.end()


def test_a_database_that_does_not_answer_is_said_in_one_line() -> None:
    away = "postgresql://keepsake_app@127.0.0.1:1/keepsake"
    found = subprocess.run(
        [sys.executable, "manage.py", "mcp"],
        cwd=settings.BASE_DIR,
        env=environment("ksk_x") | {"DATABASE_URL": away, "DATABASE_OWNER_URL": away},
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    assert found.stdout == ""
    last = found.stderr.strip().splitlines()[-1]
    assert last.startswith("CommandError: the database does not answer: ")
    assert "Traceback" not in found.stderr
