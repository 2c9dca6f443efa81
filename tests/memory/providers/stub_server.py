"""A server on the loopback that answers scripted bytes: what the OpenAI client really meets."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Answer:
    """One answer. `parts` are sent one by one; with `length` more is promised than is sent.

    Between parts the server waits `pause` seconds, or until it is closed.
    """

    parts: tuple[bytes, ...] = (b"",)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = JSON
    length: int | None = None
    pause: float = 0


def answer(value: Any, status: int = 200, **headers: str) -> Answer:
    """A JSON answer. Underscores in header names are dashes."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answer((json.dumps(value).encode(),), status, named)


def choice(message: Mapping[str, Any], finish: str | None = "stop") -> Answer:
    """A chat completion with this message."""
    return answer({"choices": [{"index": 0, "message": message, "finish_reason": finish}]})


def error(status: int, message: str = "no", /, **fields: Any) -> dict[str, Any]:
    return {"status": status, "value": {"error": {"message": message, **fields}}}


def stream(
    *deltas: Any, finish: str | None = "stop", done: bool = True, pause: float = 0
) -> Answer:
    """A streamed completion: a text is a piece of content, a dict an event as it is."""
    events = [
        delta
        if isinstance(delta, dict)
        else {"choices": [{"delta": {"content": delta}, "finish_reason": None}]}
        for delta in deltas
    ]
    if finish:
        events.append({"choices": [{"delta": {}, "finish_reason": finish}]})
    parts = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    if done:
        parts.append(b"data: [DONE]\n\n")
    return Answer((b": a comment\n\n", *parts), kind=EVENTS, pause=pause)


@dataclass
class StubServer:
    """`url` is the base address, `requests` the JSON bodies in order, `said` the headers."""

    url: str
    requests: list[dict[str, Any]]
    said: list[Mapping[str, str]]
    paths: list[str]


Script = Iterable[Answer] | Callable[[dict[str, Any]], Answer]


@contextmanager
def serving(script: Script) -> Iterator[StubServer]:
    """Answers in order, or by the function, until the block ends."""
    answers = iter(()) if callable(script) else iter(script)
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            stub.requests.append(body)
            stub.said.append({name.lower(): text for name, text in self.headers.items()})
            stub.paths.append(self.path)
            self._send(script(body) if callable(script) else next(answers))

        def _send(self, reply: Answer) -> None:
            self.send_response_only(reply.status)
            length = sum(map(len, reply.parts)) if reply.length is None else reply.length
            own = {"content-type": reply.kind, "content-length": str(length), "connection": "close"}
            for name, value in {**own, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for place, part in enumerate(reply.parts):
                    if place and reply.pause and closing.wait(reply.pause):
                        break
                    self.wfile.write(part)
                    self.wfile.flush()
            except OSError:
                pass  # the client has had enough, as some tests want
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub = StubServer(f"http://127.0.0.1:{server.server_port}/v1", [], [], [])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stub
    finally:
        closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
