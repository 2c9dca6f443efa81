"""A reply in which the model may keep the person's memory itself: it calls, we run, it goes on.

Rounds are bounded. What a call returns, and what was wrong with it, goes back to the model as data
of the call; nothing of it reaches the visitor but through the model's words. No transaction and no
connection is held while the model speaks.
"""

import json
import logging
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, cast

from django.conf import settings

from memory.interfaces.tool_calls import call_tool
from memory.providers.errors import Unavailable
from memory.providers.types import Call, ChatMessage, Function, Language
from memory.tools import TOOLS, Person, ToolError
from tenants.answers import places
from tenants.context import let_go

log = logging.getLogger(__name__)

CALLS = 8  # of one round; more is a model that runs away
ARGUMENTS = 20_000  # characters of one call's arguments

FUNCTIONS = tuple(Function(each.name, each.description, each.arguments) for each in TOOLS.values())


def converse(
    language: Language, prompt: Sequence[ChatMessage], person: Person, *, timeout: float
) -> Generator[str, None, None]:
    """The reply in pieces. `timeout` is seconds for all rounds; raises ProviderErrors."""
    end = time.monotonic() + timeout
    messages = [*prompt]
    said_before = False
    for number in range(settings.TOOL_ROUNDS + 1):
        left = end - time.monotonic()
        if left <= 0:
            raise Unavailable("no answer in time")
        may_call = number < settings.TOOL_ROUNDS
        reply = language.converse(messages, functions=FUNCTIONS, may_call=may_call, timeout=left)
        said: list[str] = []
        calls: list[Call] = []
        with closing(cast(Generator[str | Call, None, None], reply)):
            for each in reply:
                if isinstance(each, Call):
                    calls.append(each)
                    continue
                if said_before and not said and each.strip():
                    yield "\n\n"  # the words before a call and those after it are two paragraphs
                said.append(each)
                yield each
        if not calls or not may_call:
            return
        said_before = said_before or bool("".join(said).strip())
        messages.append(ChatMessage("assistant", "".join(said), calls=tuple(calls)))
        messages.extend(_answers(calls, person))
        let_go()


def _answers(calls: Sequence[Call], person: Person) -> Iterator[ChatMessage]:
    """One message for each call, in their order: a server expects an answer to every one."""
    for number, call in enumerate(calls):
        if number < CALLS:
            told = _answer(call, person)
        else:
            told = {"error": f"too many calls at once: at most {CALLS} are run"}
        yield ChatMessage("tool", json.dumps(told, ensure_ascii=False), answers=call.id)


def _answer(call: Call, person: Person) -> dict[str, Any]:
    try:
        if len(call.arguments) > ARGUMENTS:
            raise ToolError("the arguments are too long")
        return call_tool(person, call.name, _arguments(call)).as_json()
    except ToolError as refused:
        told = {"error": refused.error}
        return told if refused.field is None else {**told, "field": refused.field}
    except Exception as error:
        log.warning(
            "tool failed: tenant=%s agent=%s %s", person.tenant_id, person.agent_id, places(error)
        )
        return {"error": "memory does not answer just now; go on without it"}


def _arguments(call: Call) -> Any:
    """Their JSON. A model that has none to give sends an empty text."""
    if not call.arguments.strip():
        return {}
    try:
        return json.loads(call.arguments)
    except (ValueError, RecursionError):
        raise ToolError("the arguments are not valid JSON") from None
