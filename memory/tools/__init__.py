"""What an assistant may do itself with what it remembers of one person (contract 3).

Plain functions over a `Person`, with arguments that are typed already: `remember`,
`list_memories`, `update_memory`, `forget`, and `status` of a proposal that waits. `run` is the
same by name and raw JSON arguments, for the chat loop, REST and MCP; `specs` describes the tools
to a model. What a write becomes follows E3: by the model of a reviewed agent it is a proposal that
a person decides about, else it is stored. Each opens its own block; call them outside any.
"""

from memory.tools.calls import run
from memory.tools.outcome import Listed, Outcome, Remembered, ToolError
from memory.tools.person import Person
from memory.tools.reading import list_memories, status
from memory.tools.specs import STANDING_PROMPT, TOOLS, Tool
from memory.tools.writing import forget, remember, update_memory

__all__ = [
    "STANDING_PROMPT",
    "TOOLS",
    "Listed",
    "Outcome",
    "Person",
    "Remembered",
    "Tool",
    "ToolError",
    "forget",
    "list_memories",
    "remember",
    "run",
    "status",
    "update_memory",
]
