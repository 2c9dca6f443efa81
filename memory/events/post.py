"""One POST to a receiver: five seconds in all, to the address that was checked, no redirects.

httpcore2 speaks HTTP; the connection under it is ours. It goes to a checked address while the Host
header, the certificate and its name stay those of the target, and every read and write is cut
at one deadline, so a receiver that answers a byte at a time holds nobody up. No proxy of the
environment is used. The answer's body is never read.
"""

import socket
import ssl
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpcore2

from memory.events import targets
from memory.events.targets import BadTarget, Target
from memory.providers.openai_errors import retry_after

SECONDS = 5.0


@dataclass(frozen=True)
class Answer:
    """What came back: a status, or why none did. `wait` is what the receiver asked for (s)."""

    status: int | None
    error: str
    milliseconds: int
    wait: float | None = None

    @property
    def is_taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        return self.status == 410

    @property
    def is_of_receiver(self) -> bool:
        """Would another delivery fare the same? A 4xx may be about this one alone."""
        return self.status is None or self.status == 429 or self.status >= 500


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send these bytes. Never raises: whatever goes wrong is the answer."""
    started = time.monotonic()
    status, error, wait = None, "", None
    try:
        target = targets.parse(url)
        found = targets.addresses(target)
        status, answered = _exchange(target, found, body, headers, until=started + SECONDS)
        error = _named(status)
        if status in (429, 503):
            wait = retry_after(answered)
    except BadTarget as refused:
        error = f"not sent: the address {refused}"
    except Exception as problem:
        error = _words(problem)
    took = int((time.monotonic() - started) * 1000)
    return Answer(status, error, took, wait)


def _exchange(
    target: Target,
    found: Sequence[str],
    body: bytes,
    headers: Mapping[str, str],
    *,
    until: float,
) -> tuple[int, dict[str, str]]:
    scheme, host = target.scheme.encode(), target.host.encode()
    url = httpcore2.URL(scheme=scheme, host=host, port=target.port, target=target.path.encode())
    sent = {"Host": target.authority, "Content-Length": str(len(body)), **headers}
    with (
        httpcore2.HTTPConnection(
            httpcore2.Origin(scheme, host, target.port),
            ssl_context=trusted(),
            network_backend=_Pinned(found, until),
        ) as connection,
        connection.stream(
            "POST", url, headers=[(n.encode(), v.encode()) for n, v in sent.items()], content=body
        ) as response,
    ):
        told = {n.decode("latin-1").lower(): v.decode("latin-1") for n, v in response.headers}
        return response.status, told


@lru_cache(maxsize=1)
def trusted() -> ssl.SSLContext:
    """The certificates that the system trusts."""
    return ssl.create_default_context()


class _Pinned(httpcore2.NetworkBackend):
    """Connects to the given addresses, in turn, whatever host is asked for."""

    def __init__(self, found: Sequence[str], until: float) -> None:
        self.found, self.until = found, until

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        problem: OSError | None = None
        for place, address in enumerate(self.found):
            share = _left(self.until) / (len(self.found) - place)
            try:
                return _Stream(socket.create_connection((address, port), share), self.until)
            except OSError as error:
                problem = error
        raise problem or OSError("the name has no address")


class _Stream(httpcore2.NetworkStream):
    """A socket of which every use ends at one instant."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self.sock, self.until = sock, until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self.sock.settimeout(_left(self.until))
        return self.sock.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        rest = memoryview(buffer)
        while rest:
            self.sock.settimeout(_left(self.until))
            rest = rest[self.sock.send(rest) :]

    def close(self) -> None:
        self.sock.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        self.sock.settimeout(_left(self.until))
        try:
            wrapped = ssl_context.wrap_socket(self.sock, server_hostname=server_hostname)
        except BaseException:
            self.sock.close()
            raise
        return _Stream(wrapped, self.until)

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object" and isinstance(self.sock, ssl.SSLSocket):
            return self.sock
        return None


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _named(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"HTTP {status}: redirects are not followed"
    return f"HTTP {status}"


def _words(problem: Exception) -> str:
    """In our own words: a library's may quote what the receiver sent."""
    match problem:
        case TimeoutError():
            return f"no answer within {SECONDS:.0f} seconds"
        case socket.gaierror():
            return "the name was not found"
        case ssl.SSLCertVerificationError():
            return "the certificate is not trusted"
        case ssl.SSLError():
            return "no secure connection"
        case ConnectionRefusedError():
            return "the connection was refused"
        case OSError():
            return "the connection failed"
        case httpcore2.ProtocolError():
            return "what came back is not HTTP"
    return f"could not be sent: {type(problem).__name__}"
