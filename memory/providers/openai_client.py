"""Calls to one OpenAI-compatible server that end when their time is over, in plain JSON values.

The official SDK does the addressing, the headers and the errors. Bodies are read here, piece by
piece: its timeouts count the silence between two bytes, so a server that drips (some send blank
lines while they think) could hold a call for ever.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memory.providers.errors import Misconfigured, ProviderError, Unavailable
from memory.providers.openai_errors import failure, translated

if TYPE_CHECKING:
    from openai import OpenAI

_CONNECT = 5.0  # seconds; a server that is there answers sooner
_BODY_LIMIT = 64 * 1024 * 1024  # bytes: no answer that we ask for comes near


class Deadline:
    """What is left of a call's seconds; raises Unavailable when nothing is."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise Unavailable("no answer in time")
        return left


class Server:
    """One address and key. The client is made at first use, then shared by all threads."""

    def __init__(self, *, api_key: str, base_url: str | None = None) -> None:
        self.base_url = base_url
        self._api_key = api_key
        self._client: OpenAI | None = None
        self._making = threading.Lock()

    def close(self) -> None:
        """Let go of kept connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def post(self, path: str, body: dict[str, Any], *, deadline: Deadline) -> dict[str, Any]:
        """The JSON object that the server answers. Raises ProviderErrors only."""
        with self._open(path, body, deadline) as response:
            return self._json(response, deadline)

    def events(
        self, path: str, body: dict[str, Any], *, deadline: Deadline
    ) -> Iterator[dict[str, Any]]:
        """The JSON events of a streamed answer; raises Unavailable if it ends before its end.

        A server that cannot stream answers one object, which is then the only event.
        """
        with self._open(path, {**body, "stream": True}, deadline) as response:
            if "event-stream" not in response.headers.get("content-type", "event-stream"):
                yield self._json(response, deadline)
                return
            ended = False
            for line in response.iter_lines():
                deadline.left()
                if not line.startswith("data:"):
                    continue  # a comment, an event's name, a blank line
                data = line[5:].strip()
                if data == "[DONE]":
                    return
                event = self._object(data)
                ended = ended or any(
                    isinstance(choice, dict) and choice.get("finish_reason")
                    for choice in event.get("choices") or ()
                )
                yield event
            if not ended:
                raise Unavailable("the answer broke off")

    @contextmanager
    def _open(self, path: str, body: dict[str, Any], deadline: Deadline) -> Iterator[Any]:
        from openai import Timeout

        left = deadline.left()
        resource: Callable[..., Any]
        client = self._connected()
        try:
            if path == "embeddings":
                resource = client.embeddings.with_streaming_response.create
            else:
                resource = client.chat.completions.with_streaming_response.create
            with resource(**body, timeout=Timeout(left, connect=min(left, _CONNECT))) as response:
                yield response
        except Exception as error:
            named = translated(error, secret=self._api_key)
            if named is error:
                raise
            raise named from error

    def _connected(self) -> "OpenAI":
        with self._making:
            if self._client is None:
                import openai

                if not self._api_key:
                    raise Misconfigured("OPENAI_API_KEY is not set")
                try:
                    self._client = openai.OpenAI(
                        api_key=self._api_key, base_url=self.base_url, max_retries=0
                    )
                except Exception as error:  # a malformed address
                    raise Misconfigured(f"OPENAI_BASE_URL: {error}") from error
            return self._client

    def _json(self, response: Any, deadline: Deadline) -> dict[str, Any]:
        parts = []
        size = 0
        for part in response.iter_bytes():
            deadline.left()
            size += len(part)
            if size > _BODY_LIMIT:
                raise ProviderError("the answer is larger than any answer should be")
            parts.append(part)
        if "html" in response.headers.get("content-type", ""):
            raise Misconfigured("OPENAI_BASE_URL answers with a web page, not with an API")
        return self._object(b"".join(parts))

    def _object(self, data: str | bytes) -> dict[str, Any]:
        try:
            value = json.loads(data)
        except ValueError as error:
            raise Unavailable("the answer is not JSON, or not all of it") from error
        if not isinstance(value, dict):
            raise Unavailable("the answer is not a JSON object")
        if value.get("error"):  # some servers say 200 and put the error into the body
            raise failure(_status(value["error"]), value, {}, secret=self._api_key)
        return value


def _status(error: object) -> int:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 0
