"""`manage.py mcp` over stdio: the protocol alone on standard output, whatever is logged."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from mcp import StdioServerParameters
from mcp.client.client import Client

from tests.memory.interfaces.mcp.conftest import Mcp

pytestmark = pytest.mark.django_db(transaction=True)


def environment(key: str, **more: str) -> dict[str, str]:
    database = connection.settings_dict
    host = str(database["HOST"]).replace("/", "%2F")
    address = "postgresql://{}@" + host + f":{database['PORT'] or 5432}/{database['NAME']}"
    return {
        **os.environ,
        "DATABASE_URL": os.environ.get("DATABASE_URL") or address.format("keepsake_app"),
        "DATABASE_OWNER_URL": os.environ.get("DATABASE_OWNER_URL")
        or address.format("keepsake_owner"),
        "KEEPSAKE_TOKEN": key,
        **more,
    }


def test_the_official_client_calls_tools_over_stdio(world: Mcp) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp"],
        cwd=settings.BASE_DIR,
        env=environment(world.key(), KEEPSAKE_PERSON="mira"),
    )

    async def talk() -> list[Any]:
        async with Client(parameters) as client:
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
