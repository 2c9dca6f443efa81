"""Contract 3 in the schema: the tools, as they describe their arguments and answers themselves."""

from typing import Any

from memory.interfaces.tool_calls import HEADER
from memory.tools import TOOLS
from memory.tools.specs import Tool
from tenants.described import ref

TOOLS_TAG = "Memory tools of a person"
_ID = "6f1c7a52-3f83-4a43-9f6e-7d2f3c0a9b11"
_PLACE = "The user lives in Porto."

WHOSE: dict[str, Any] = {
    "name": HEADER,
    "in": "header",
    "description": "the person, by the host application's id; an organisation's key needs it",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    "example": "user123",
}


def _shape(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if value != []} | {"examples": [example]}


def _with_null(tool: Tool) -> dict[str, Any]:
    """Optional arguments may be null."""
    fields = {
        name: each
        if name in tool.arguments["required"]
        else {**each, "type": [each["type"], "null"]}
        for name, each in tool.arguments["properties"].items()
    }
    return {**tool.arguments, "properties": fields}


SHAPES: dict[str, dict[str, Any]] = {
    "Remember": _shape(
        _with_null(TOOLS["remember"]),
        {"content": _PLACE, "key": "home-city", "category": "fact", "pinned": False},
    ),
    "ListMemories": _shape(_with_null(TOOLS["list_memories"]), {"query": "porto", "limit": 10}),
    "UpdateMemory": _shape(
        _with_null(TOOLS["update_memory"]), {"key": "home-city", "content": _PLACE}
    ),
    "Forget": _shape(_with_null(TOOLS["forget"]), {"id": _ID}),
    "ToolStatus": _shape(_with_null(TOOLS["status"]), {"id": _ID}),
    "ToolOutcome": _shape(
        TOOLS["remember"].answer, {"status": "saved", "id": _ID, "detail": "saved"}
    ),
    "Remembered": _shape(
        TOOLS["list_memories"].answer["properties"]["memories"]["items"],
        {
            "id": _ID,
            "content": _PLACE,
            "key": "home-city",
            "category": "fact",
            "pinned": False,
            "source": {"origin": "chat", "conversation_id": "c-1"},
            "created_at": "2026-03-03T12:00:00+00:00",
            "updated_at": "2026-03-03T12:00:00+00:00",
        },
    ),
}
SHAPES["ListedMemories"] = _shape(
    {
        **TOOLS["list_memories"].answer,
        "properties": {
            **TOOLS["list_memories"].answer["properties"],
            "memories": {"type": "array", "items": ref("Remembered")},
        },
    },
    {"memories": [SHAPES["Remembered"]["examples"][0]], "total": 1},
)
REFUSED = {
    "description": "refused: not kept, `detail` says why",
    "content": {"application/json": {"schema": ref("ToolOutcome")}},
}
