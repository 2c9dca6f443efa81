"""What the official package's 1.x client sees; run by its own Python, one line of JSON for each.

KEEPSAKE_URL is the server's address, KEEPSAKE_TOKEN the key; what is left is the environment of
`manage.py mcp`, which the Python of the first argument runs in the folder of the second.
"""

import asyncio
import importlib.metadata
import json
import os
import sys
from typing import Any

import mcp
from mcp.client import stdio, streamable_http

client: Any = mcp  # of 1.x: what is installed beside the server has other names
http: Any = streamable_http


async def talk(streams: Any, key: str) -> None:
    async with client.ClientSession(streams[0], streams[1]) as session:
        hello = await session.initialize()
        tools = (await session.list_tools()).tools
        prompts = (await session.list_prompts()).prompts
        prompt = await session.get_prompt(prompts[0].name)
        saved = await session.call_tool("remember", {"content": "12345", "key": key})
        listed = await session.call_tool("list_memories", {})
        wrote = await session.call_tool(
            "memory_write", {"content": "The build is green.", "agentId": "a", "scope": "team"}
        )
        found = await session.call_tool("memory_search", {"query": "the build", "agentId": "b"})
        wrong = await session.call_tool("memory_get", {"id": "not-a-uuid"})
        gone = await session.call_tool("forget", {"key": key})
    told_of = {
        "version": importlib.metadata.version("mcp"),
        "server": hello.serverInfo.name,
        "tools": sorted(tool.name for tool in tools),
        "schemas": all(tool.inputSchema and tool.outputSchema for tool in tools),
        "prompt": prompt.messages[0].content.text,
        "saved": saved.structuredContent,
        "listed": listed.structuredContent["memories"],
        "wrote": wrote.structuredContent,
        "found": found.structuredContent["hits"],
        "wrong": [wrong.isError, wrong.content[0].text],
        "gone": gone.structuredContent,
    }
    sys.stdout.write(json.dumps(told_of) + "\n")


async def over_http() -> None:
    headers = {
        "Authorization": f"Bearer {os.environ['KEEPSAKE_TOKEN']}",
        "X-Keepsake-Person": "mira",
    }
    address = os.environ["KEEPSAKE_URL"] + "/mcp"
    async with http.streamablehttp_client(address, headers=headers) as streams:
        await talk(streams, key="over-http")


async def over_stdio() -> None:
    parameters = client.StdioServerParameters(
        command=sys.argv[1], args=["manage.py", "mcp"], cwd=sys.argv[2], env=dict(os.environ)
    )
    async with stdio.stdio_client(parameters) as streams:
        await talk(streams, key="over-stdio")


asyncio.run(over_http())
asyncio.run(over_stdio())
