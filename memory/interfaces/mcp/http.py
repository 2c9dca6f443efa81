"""`/mcp`: streamable HTTP without sessions, so any web process answers any request (D12).

None of Django's middleware stands before it. The door asks what it would: is the host ours, whose
key is it, how often does it ask. Then the official package speaks the protocol.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.http.request import split_domain_port, validate_host
from mcp.server.streamable_http_manager import (
    StreamableHTTPASGIApp,
    StreamableHTTPSessionManager,
)

from memory.interfaces.mcp.calls import Session
from memory.interfaces.mcp.server import Context, make_server
from memory.interfaces.mcp.threads import admit
from memory.interfaces.wire.base import count
from tenants import answers
from tenants.answers import Refused
from tenants.auth import authenticate

PATH = "/mcp"
BODY_LIMIT = 4 * 1024 * 1024  # bytes of one request
PERSON = "x-keepsake-person"
_SESSION = "keepsake.session"


class Door:
    """The ASGI application of `/mcp`. `run()` is its lifespan: one a process, before requests."""

    def __init__(self) -> None:
        self.manager = StreamableHTTPSessionManager(
            make_server(_session),
            json_response=True,
            stateless=True,
            max_request_body_size=BODY_LIMIT,
        )
        self.protocol = StreamableHTTPASGIApp(self.manager)

    def run(self) -> Any:
        return self.manager.run()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        texts = {name: value.decode("latin-1") for name, value in headers.items()}
        try:
            _check_host(texts)
            _check_kind(scope["method"], texts)
            session = await admit(_admitted, texts, _person(headers))
        except Exception as problem:
            await _send(answers.of(problem), send)
            return
        await self.protocol({**scope, _SESSION: session}, receive, send)


async def _session(context: Context) -> Session:
    session: Session = context.request.scope[_SESSION]  # type: ignore[union-attr]
    return session


def _admitted(headers: Mapping[str, str], person: str | None) -> Session:
    caller = authenticate(headers)
    count(caller)
    return Session(caller, person)


def _person(headers: Mapping[str, bytes]) -> str | None:
    """A name may be in any script: UTF-8, as clients send it."""
    given = headers.get(PERSON)
    if given is None:
        return None
    try:
        return given.decode()
    except UnicodeDecodeError:
        raise Refused("expected UTF-8", field="X-Keepsake-Person") from None


def _check_host(headers: Mapping[str, str]) -> None:
    """A page of somebody else's must not reach it through a browser's name look-up."""
    domain, _ = split_domain_port(headers.get("host", ""))
    if not domain or not validate_host(domain, _hosts()):
        raise Refused("this host is not served: name it in ALLOWED_HOSTS", status=421)
    origin = headers.get("origin")
    if origin is not None:
        domain, _ = split_domain_port(origin.partition("://")[2])
        if not domain or not validate_host(domain, _hosts()):
            raise Refused("pages of this origin may not call it", status=403)


def _check_kind(method: str, headers: Mapping[str, str]) -> None:
    """A request with a JSON body. Without sessions there is no stream to GET, nothing to DELETE."""
    if method != "POST":
        raise Refused("expected POST: there are no sessions to read from or to end", status=405)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused("expected application/json", field="Content-Type", status=415)
    size = headers.get("content-length", "")
    if size.isdecimal() and int(size[:20]) > BODY_LIMIT:
        raise Refused(f"at most {BODY_LIMIT} bytes are taken", status=413)


def _hosts() -> list[str]:
    """As Django takes ALLOWED_HOSTS: nothing set and DEBUG on is the loopback."""
    hosts = list(settings.ALLOWED_HOSTS)
    return hosts or [".localhost", "127.0.0.1", "[::1]"]


async def _send(answer: HttpResponse, send: Any) -> None:
    body = json.dumps(json.loads(answer.content)).encode()
    if answer.status_code == 405:
        answer["Allow"] = "POST"
    headers = [(name.lower().encode(), value.encode()) for name, value in answer.items()]
    headers = [each for each in headers if each[0] != b"content-length"]
    await send(
        {
            "type": "http.response.start",
            "status": answer.status_code,
            "headers": [*headers, (b"content-length", str(len(body)).encode())],
        }
    )
    await send({"type": "http.response.body", "body": body})
