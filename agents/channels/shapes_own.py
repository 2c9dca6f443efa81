"""A visitor's own routes in the schema. They belong to our widget's page, in its own frame."""

from typing import Any

from tenants.described import moment, record, switch, text

_ID = "5f0c6b1e-3c0e-4f0a-9a51-6f0f2f1f7a11"
_SWITCHES = {
    "auto_capture_enabled": switch("what they say is kept and learned from"),
    "use_memory_in_responses": switch("memories reach the prompts of their answers"),
}
_ON = {"auto_capture_enabled": True, "use_memory_in_responses": True}
_HEADER = {
    "name": "x-keepsake-widget",
    "in": "header",
    "required": True,
    "description": "any value: no other site can send it",
    "schema": {"type": "string", "enum": ["1"]},
    "example": "1",
}
OWN: dict[str, Any] = {
    "tag": "A visitor's own memory",
    "usual": (400, 403, 404),
    "refuses": (413, 429),
    "security": [{}],
    "queries": [_HEADER],
    "notes": "For the widget's own page. The visitor is known by their cookie alone.",
}


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": "as asked", "content": {"application/json": {"schema": schema}}}


NOTHING = record({}, closed=False, example={})
PLACE = record(
    {"after": text("the id of the last one seen", format="uuid")},
    required=(),
    closed=False,
    example={},
)
ONE = record({"id": text("of the memory", format="uuid")}, closed=False, example={"id": _ID})
WANTED = record(
    {**_SWITCHES, "embed": switch("the page stands in a frame of another site")},
    required=(),
    example={"auto_capture_enabled": False},
)
SETTINGS = _answer(record(_SWITCHES, example=_ON))
FORGOTTEN = _answer(
    record({"forgotten": text("the id it had", format="uuid")}, example={"forgotten": _ID})
)
_MEMORY = {
    "id": text("of the memory", format="uuid"),
    "text": text("what it says"),
    "about": text("its path, category or label"),
    "everywhere": switch("every agent of the organisation knows it"),
    "since": moment("when it was stored"),
}
_EXAMPLE = {
    "id": _ID,
    "text": "Prefers short answers.",
    "about": "/preferences/style",
    "everywhere": False,
    "since": "2026-03-03T12:00:00+00:00",
}
LISTED = _answer(
    record(
        {
            "memories": {"type": "array", "items": record(_MEMORY, example=_EXAMPLE)},
            "more": switch("there are older ones"),
            "settings": record(_SWITCHES, example=_ON),
            "remembers": switch("the agent's memory is on"),
        },
        example={"memories": [_EXAMPLE], "more": False, "settings": _ON, "remembers": True},
    )
)
FILE = {
    "description": "a file in JSON",
    "content": {"application/json": {"schema": {"type": "object"}}},
}
