"""One tool call for one caller: arguments in, an answer or a clean error out. Plain and blocking.

Whatever goes wrong is an error of the tool, in words; a fault of ours is logged by type and place
and answered without a trace of it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.mcp.catalogue import SHARED, tools_of
from memory.interfaces.tool_calls import call_tool_as
from memory.interfaces.wire import fields
from memory.interfaces.wire.base import may_share
from memory.interfaces.wire.operations import SharedMemory, written
from memory.sharing.write import Blocked
from memory.tools import Tool
from tenants import answers
from tenants.answers import Refused
from tenants.caller import Caller


@dataclass(frozen=True)
class Session:
    """Who calls, and the person they name beside the key (`X-Keepsake-Person`), if they do."""

    caller: Caller
    person: str | None = None


@dataclass(frozen=True)
class Answer:
    """`body` is the structured answer; an error without one has its words in `error`."""

    body: dict[str, Any] | None
    error: str | None = None


def call(session: Session, name: str, arguments: Mapping[str, Any]) -> Answer:
    """Run a tool, outside any block. Never raises."""
    try:
        tool = tools_of(session.caller).get(name)
        if tool is None:
            raise Refused(f"there is no tool {name!r} for this key")
        if name in SHARED:
            _only_known(tool, arguments)
            may_share(session.caller, writes=not tool.is_read_only)
            return _SHARED[name](SharedMemory(session.caller), dict(arguments))
        return _of_person(session, name, dict(arguments))
    except Exception as problem:
        return Answer(None, words_of(problem))


def words_of(problem: Exception) -> str:
    """What a caller is told of it: as over REST, in one line."""
    said = json.loads(answers.of(problem).content)
    where = f"{said['field']}: " if said.get("field") else ""
    number = f" ({said['id']})" if "id" in said else ""
    return f"{where}{said['error']}{number}"


def _only_known(tool: Tool, arguments: Mapping[str, Any]) -> None:
    for name in arguments:
        if name not in tool.arguments["properties"]:
            raise Refused("there is no such argument", field=str(name)[:100])


# --- the person's tools ------------------------------------------------------------------------


def _of_person(session: Session, name: str, arguments: dict[str, Any]) -> Answer:
    caller = session.caller
    if caller.sort == "organisation" and session.person is None:
        raise Refused(
            "whose memory? Name the person in the header X-Keepsake-Person (KEEPSAKE_PERSON over "
            "stdio), or use the person's own token"
        )
    outcome = call_tool_as(caller, name, arguments, named=session.person, channel="mcp")
    error = getattr(outcome, "detail", "") if outcome.is_error else None
    return Answer(outcome.as_json(), error)


# --- shared memory's ---------------------------------------------------------------------------


def _write(memory: SharedMemory, arguments: fields.Body) -> Answer:
    done = memory.write(arguments)
    body = written(done, scope=memory.caller.scope)
    return Answer(body, body["error"] if isinstance(done, Blocked) else None)


def _search(memory: SharedMemory, arguments: fields.Body) -> Answer:
    return Answer({"hits": memory.search(arguments)})


def _get(memory: SharedMemory, arguments: fields.Body) -> Answer:
    uid = as_uuid(arguments.get("id"))
    found = memory.get(uid)
    if found is None:
        became = memory.became(uid)
        raise Refused(
            "there is no such memory" if became is None else f"it is not stored: {became}",
            field="id",
        )
    return Answer(found)


def _delete(memory: SharedMemory, arguments: fields.Body) -> Answer:
    if not memory.delete(as_uuid(arguments.get("id"))):
        raise Refused("there is no such memory", field="id")
    return Answer({"deleted": True})


def _check(memory: SharedMemory, arguments: fields.Body) -> Answer:
    return Answer(memory.conflicts(arguments))


def _scratch_set(memory: SharedMemory, arguments: fields.Body) -> Answer:
    return Answer(memory.scratch_set(arguments))


def _scratch_get(memory: SharedMemory, arguments: fields.Body) -> Answer:
    return Answer(memory.scratch_get(arguments))


def _summarize(memory: SharedMemory, arguments: fields.Body) -> Answer:
    return Answer(memory.summarize(fields.named(arguments, "workflowId"), arguments))


_SHARED: dict[str, Callable[[SharedMemory, fields.Body], Answer]] = {
    "memory_write": _write,
    "memory_search": _search,
    "memory_get": _get,
    "memory_delete": _delete,
    "memory_check_conflicts": _check,
    "scratch_set": _scratch_set,
    "scratch_get": _scratch_get,
    "workflow_summarize": _summarize,
}
