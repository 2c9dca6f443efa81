"""Chat completions from OpenAI or any compatible server: the real `ChatTransport`.

Structured output and a temperature of nought are asked for where the server has them. A server
that rejects one by name is asked again without it at once, and remembered for the life of the
process; the tolerant parser does the rest.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memory.providers.errors import (
    Empty,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Refused,
    TooLong,
    Truncated,
)
from memory.providers.openai_client import Deadline, Server
from memory.providers.parsing import content_of
from memory.providers.types import Call, ChatMessage, Function, Made

# What a server may not know, and the words of an error message that mean it.
_OPTIONS = {
    "response_format": ("response_format", "json_schema", "structured output", "guided", "grammar"),
    "temperature": ("temperature",),
    "tools": ("tool", "function call", "functions"),
}
# (address, model) → options it has rejected. A set only grows: no lock needed.
_rejected: dict[tuple[str | None, str], set[str]] = {}


class OpenAITransport:
    """One model at one server."""

    def __init__(self, *, model: str, api_key: str, base_url: str | None = None) -> None:
        self.made = Made(provider="openai", model=model)
        self._server = Server(api_key=api_key, base_url=base_url)
        self._without = _rejected.setdefault((base_url, model), set())

    def close(self) -> None:
        self._server.close()

    def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any], timeout: float
    ) -> Mapping[str, Any]:
        """See `types.ChatTransport`. `schema` is {"name", "schema"}, strict."""
        deadline = Deadline(timeout)
        options = {
            "response_format": {"type": "json_schema", "json_schema": {**schema, "strict": True}},
            "temperature": 0,
        }
        while True:
            sent = {name: value for name, value in options.items() if name not in self._without}
            body = {**self._body(messages), **sent}
            try:
                answer = self._server.post("chat", body, deadline=deadline)
            except ProviderError as error:
                if not self._learn(error, sent):
                    raise
            else:
                return _choice(answer)

    def stream(self, messages: Sequence[ChatMessage], *, timeout: float) -> Iterator[str]:
        """Pieces of the answer. Raises by name before, between and after them."""
        for each in self._said(self._body(messages), timeout):
            if isinstance(each, str):
                yield each

    def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        functions: Sequence[Function],
        may_call: bool,
        timeout: float,
    ) -> Iterator[str | Call]:
        """See `types.Language.converse`. A server that knows no functions is asked without."""
        options: dict[str, Any] = {
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": each.name,
                        "description": each.description,
                        "parameters": dict(each.parameters),
                    },
                }
                for each in functions
            ],
        }
        if not may_call:
            options["tool_choice"] = "none"
        deadline = Deadline(timeout)
        while True:
            known = "tools" not in self._without
            body = self._body(messages if known else _spoken_of(messages))
            began = False
            try:
                for each in self._said({**body, **(options if known else {})}, deadline.left()):
                    began = True
                    yield each
            except ProviderError as error:
                if began or not known or not self._learn(error, {"tools": True}):
                    raise
            else:
                return

    def _said(self, body: dict[str, Any], timeout: float) -> Iterator[str | Call]:
        """The text of a streamed answer in pieces, then its calls."""
        deadline = Deadline(timeout)
        said = False
        refusal = ""
        finish = None
        calls = _Calls()
        for event in self._server.events("chat", body, deadline=deadline):
            if not event.get("choices"):
                continue  # usage, or a server's note
            choice = _choice(event)
            delta = choice.get("delta") or choice.get("message") or {}
            refusal += delta.get("refusal") or ""
            finish = choice.get("finish_reason") or finish
            calls.add(delta.get("tool_calls"))
            if piece := content_of(delta):
                said = True
                yield piece
        if refusal or finish == "content_filter":
            raise Refused(refusal or "the server's content filter stopped the answer")
        if finish == "length":
            raise Truncated("the answer was cut at the model's output limit")
        made = calls.made()
        if not said and not made:
            raise Empty("the answer had no content")
        yield from made

    def _body(self, messages: Sequence[ChatMessage]) -> dict[str, Any]:
        return {
            "model": self.made.model,
            "messages": [_message(one) for one in messages],
        }

    def _learn(self, error: ProviderError, sent: Mapping[str, Any]) -> bool:
        """Whether the server rejected an option that was sent, which is then left out for good."""
        if isinstance(error, (TooLong, Refused, RateLimited, QuotaExceeded)):
            return False
        said = str(error).lower()
        for name in sent:
            if any(sign in said for sign in _OPTIONS[name]):
                self._without.add(name)
                return True
        return False


class _Calls:
    """Calls of a streamed answer, put together from their pieces."""

    def __init__(self) -> None:
        self._parts: dict[int, dict[str, str]] = {}

    def add(self, pieces: Any) -> None:
        for number, piece in enumerate(pieces if isinstance(pieces, list) else ()):
            if not isinstance(piece, Mapping):
                continue
            index = piece.get("index")
            place = index if isinstance(index, int) else len(self._parts) + number
            part = self._parts.setdefault(place, {"id": "", "name": "", "arguments": ""})
            function = piece.get("function")
            part["id"] = part["id"] or str(piece.get("id") or "")
            if isinstance(function, Mapping):
                part["name"] += str(function.get("name") or "")
                arguments = function.get("arguments")
                # Some servers send the object instead of its text.
                is_text = arguments is None or isinstance(arguments, str)
                part["arguments"] += (arguments or "") if is_text else json.dumps(arguments)

    def made(self) -> list[Call]:
        """In their order. A call without an id gets one: its answer has to name it."""
        return [
            Call(part["id"] or f"call_{place}", part["name"], part["arguments"])
            for place, part in sorted(self._parts.items())
            if part["name"]
        ]


def _message(one: ChatMessage) -> dict[str, Any]:
    message: dict[str, Any] = {"role": one.role, "content": one.content}
    if one.calls:
        message["content"] = one.content or None
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in one.calls
        ]
    if one.role == "tool":
        message["tool_call_id"] = one.answers
    return message


def _spoken_of(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """For a server that knows no functions: what was said, without calls and their answers."""
    return [one for one in messages if one.role != "tool" and not one.calls]


def _choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Empty("the answer had no choices")
    return choices[0]
