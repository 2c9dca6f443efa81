"""A tool by its name and raw JSON arguments: what the chat loop, REST and MCP call."""

from collections.abc import Callable
from typing import Any

from memory.tools import reading, writing
from memory.tools.arguments import typed
from memory.tools.outcome import Listed, Outcome
from memory.tools.person import Person

_FUNCTIONS: dict[str, Callable[..., Outcome | Listed]] = {
    "remember": writing.remember,
    "list_memories": reading.list_memories,
    "update_memory": writing.update_memory,
    "forget": writing.forget,
    "status": reading.status,
}


def run(person: Person, name: str, arguments: Any) -> Outcome | Listed:
    """Validate and call, outside any block. Raises ToolError; whatever else it raises is a fault
    of ours."""
    return _FUNCTIONS[name](person, **typed(name, arguments))
