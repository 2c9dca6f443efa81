"""A real receiver on loopback: takes what is posted to it and answers as a test tells it."""

import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[["Taken"], object]


@dataclass(frozen=True)
class Taken:
    """One request as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["x-keepsake-delivery"]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def verify(self, secret: str) -> None:
        """Both signatures, over the raw bytes, as a receiver would."""
        whole = hmac.new(secret.encode(), self.body, hashlib.sha256).hexdigest()
        assert self.headers["x-dinomem-signature"] == f"sha256={whole}"
        parts = dict(part.split("=", 1) for part in self.headers["x-keepsake-signature"].split(","))
        stamped = parts["t"].encode() + b"." + self.body
        assert parts["v1"] == hmac.new(secret.encode(), stamped, hashlib.sha256).hexdigest()


@dataclass
class Receiver:
    """`answers` are statuses, headers with them, or acts; over, it answers 200."""

    url: str = ""
    answers: list[int | tuple[int, dict[str, str]] | Act] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)


@contextmanager
def receiving(host: str = "127.0.0.1") -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            taken = Taken(self.path, headers, body)
            receiver.taken.append(taken)
            answer = receiver.answers.pop(0) if receiver.answers else 200
            if callable(answer):
                answer(taken)
                answer = 200
            status, more = answer if isinstance(answer, tuple) else (answer, {})
            try:
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(b"what a receiver says is nobody's business")
            except OSError:
                return  # whoever asked has hung up

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer((host, 0), Handler) as server:
        server.daemon_threads = True
        receiver.url = f"http://{host}:{server.server_address[1]}/hook"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
