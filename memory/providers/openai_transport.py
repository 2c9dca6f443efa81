"""Chat completions from OpenAI or any compatible server: the real `ChatTransport`.

Structured output and a temperature of nought are asked for where the server has them. A server
that rejects one by name is asked again without it at once, and remembered for the life of the
process; the tolerant parser does the rest.
"""

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
from memory.providers.types import ChatMessage, Made

# What a server may not know, and the words of an error message that mean it.
_OPTIONS = {
    "response_format": ("response_format", "json_schema", "structured output", "guided", "grammar"),
    "temperature": ("temperature",),
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
        deadline = Deadline(timeout)
        said = False
        refusal = ""
        finish = None
        for event in self._server.events("chat", self._body(messages), deadline=deadline):
            if not event.get("choices"):
                continue  # usage, or a server's note
            choice = _choice(event)
            delta = choice.get("delta") or choice.get("message") or {}
            refusal += delta.get("refusal") or ""
            finish = choice.get("finish_reason") or finish
            if piece := content_of(delta):
                said = True
                yield piece
        if refusal or finish == "content_filter":
            raise Refused(refusal or "the server's content filter stopped the answer")
        if finish == "length":
            raise Truncated("the answer was cut at the model's output limit")
        if not said:
            raise Empty("the answer had no content")

    def _body(self, messages: Sequence[ChatMessage]) -> dict[str, Any]:
        return {
            "model": self.made.model,
            "messages": [{"role": one.role, "content": one.content} for one in messages],
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


def _choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Empty("the answer had no choices")
    return choices[0]
