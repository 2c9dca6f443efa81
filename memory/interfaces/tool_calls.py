"""One tool call from outside, whole: validated, run, and the embed stage woken if it is needed.

What the chat loop, REST, MCP and listeners call.
"""

from typing import Any

from memory import tools
from memory.interfaces.tasks import wake
from memory.tools import Listed, Outcome, Person


def call_tool(person: Person, name: str, arguments: Any) -> Outcome | Listed:
    """Outside any block. Raises `memory.tools.ToolError` for what cannot be served."""
    answer = tools.run(person, name, arguments)
    if isinstance(answer, Outcome) and answer.needs_vector:
        wake("embed", person.tenant_id)
    return answer
