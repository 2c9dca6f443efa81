"""What `/mcp` answers before and around the protocol: methods, kinds of bodies, garbage, hosts."""

import json
from typing import Any

import httpx2
import pytest

from memory.interfaces.mcp.http import BODY_LIMIT
from tests.memory.interfaces.mcp.conftest import ERAS, Mcp, envelope

pytestmark = pytest.mark.django_db(transaction=True)

USUAL = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def send(
    server: Mcp, body: Any = None, *, method: str = "POST", path: str = "/mcp", **headers: str
) -> httpx2.Response:
    """A body as JSON, or bytes as they are; under a key of the tenant."""
    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    usual = {**USUAL, "Authorization": f"Bearer {server.key()}"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.request(
        method, server.base + path, content=content, headers={**usual, **named}, timeout=30
    )


def is_clean(answer: httpx2.Response) -> bool:
    """JSON of one of the two shapes, and no trace of the inside."""
    body = answer.json()
    assert "Traceback" not in answer.text
    assert "site-packages" not in answer.text
    return set(body) <= {"error", "field"} or {"jsonrpc", "error"} <= set(body)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
def test_there_is_no_session_to_read_or_to_end(server: Mcp, method: str) -> None:
    answer = send(server, method=method, Accept="text/event-stream")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize("era", ERAS)
def test_both_eras_are_served_on_both_paths(server: Mcp, path: str, era: str) -> None:
    body, headers = envelope(era, "tools/list")
    answer = send(server, body, path=path, **headers)
    assert answer.status_code == 200
    assert answer.json()["result"]["tools"]


@pytest.mark.parametrize("path", ["/mcpx", "/mcp/tools", "/api/mcp"])
def test_other_paths_are_djangos(server: Mcp, path: str) -> None:
    assert send(server, {}, path=path).status_code in (403, 404)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "json"])
def test_another_kind_of_body_is_415(server: Mcp, kind: str) -> None:
    answer = send(server, b"{}", Content_Type=kind)
    assert answer.status_code == 415
    assert answer.json()["field"] == "Content-Type"


def test_a_kind_with_a_charset_is_json(server: Mcp) -> None:
    body, headers = envelope("legacy", "tools/list")
    answer = send(server, body, Content_Type="application/json; charset=utf-8", **headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("era", ERAS)
def test_a_body_over_the_limit_is_413(server: Mcp, era: str) -> None:
    _, headers = envelope(era, "tools/list")
    assert send(server, b" " * (BODY_LIMIT + 1), **headers).status_code == 413

    def unannounced() -> Any:
        for _ in range(5):
            yield b" " * (1024 * 1024)

    usual = {**USUAL, "Authorization": f"Bearer {server.key()}", **headers}
    answer = httpx2.post(server.base + "/mcp", content=unannounced(), headers=usual, timeout=30)
    assert answer.status_code == 413


GARBAGE: list[Any] = [
    b"", b"{", b"\xff\xfe", b"null", b"[]", b"7", b'"text"', b"{}", b"[" * 50_000,
    {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": {}, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 1, "method": 7},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "x"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "remember"}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7, "arguments": {}}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": []}},
    {"jsonrpc": "2.0", "id": 1, "method": "no/such"},
    {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc"}},
    {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "other"}},
    [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}] * 2,
]  # fmt: skip


@pytest.mark.parametrize("era", ERAS)
def test_garbage_is_a_clean_error(server: Mcp, era: str) -> None:
    _, headers = envelope(era, "tools/list")
    for body in GARBAGE:
        answer = send(server, body, **headers)
        assert answer.status_code < 500, body
        if answer.status_code == 202:  # the older protocol takes what has no sound id as a notice
            assert (era, answer.content) == ("legacy", b"")
            continue
        is_error = answer.json().get("error") or answer.json()["result"]["isError"]
        assert is_error, body
        assert is_clean(answer) or answer.status_code == 200, body


@pytest.mark.parametrize("era", ERAS)
def test_notifications_are_taken_and_change_nothing(server: Mcp, era: str) -> None:
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/other"):
        body, headers = envelope(era, method, requestId=1)
        body.pop("id")
        answer = send(server, body, **headers)
        assert (answer.status_code, answer.content) == (202, b"")


def test_a_version_that_nobody_speaks_is_named(server: Mcp) -> None:
    body, headers = envelope("auto", "tools/list")
    answer = send(server, body, **{**headers, "MCP_Protocol_Version": "2031-01-01"})
    assert answer.status_code == 400
    assert is_clean(answer)


def test_a_proxy_cannot_name_another_host(server: Mcp, settings: Any) -> None:
    """What a proxy forwards is not believed about the host, whoever it is."""
    settings.TRUSTED_PROXIES = ["127.0.0.0/8"]
    body, headers = envelope("legacy", "tools/list")
    forwarded = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Proto": "https", **headers}
    assert send(server, body, X_Forwarded_Host="localhost", **forwarded).status_code == 200
    refused = send(server, body, Host="evil.example", X_Forwarded_Host="localhost", **forwarded)
    assert refused.status_code == 421
    assert "ALLOWED_HOSTS" in refused.json()["error"]


@pytest.mark.parametrize("host", ["memory.example", "memory.example:8443"])
def test_the_hosts_that_are_served_are_a_setting(server: Mcp, settings: Any, host: str) -> None:
    settings.ALLOWED_HOSTS = [".memory.example", "memory.example"]
    body, headers = envelope("legacy", "tools/list")
    assert send(server, body, Host=host, Origin=f"https://{host}", **headers).status_code == 200
    assert send(server, body, Host="127.0.0.1", **headers).status_code == 421


@pytest.mark.parametrize("origin", ["null", "https://evil.example", "nonsense", "https://"])
def test_no_page_of_others_calls_it(server: Mcp, origin: str) -> None:
    body, headers = envelope("legacy", "tools/list")
    assert send(server, body, Origin=origin, **headers).status_code == 403


@pytest.mark.parametrize("name", [b"\xff\xfe", b"", b"x" * 300, b"a\x01b"])
def test_a_person_who_cannot_be_is_a_clean_error(server: Mcp, name: bytes) -> None:
    body, headers = envelope(
        "legacy", "tools/call", name="remember", arguments={"content": "I like tea."}
    )
    usual = {**USUAL, "Authorization": f"Bearer {server.key()}", **headers}
    answer = httpx2.post(
        server.base + "/mcp",
        json=body,
        headers=[*((k, v.encode()) for k, v in usual.items()), ("X-Keepsake-Person", name)],  # type: ignore[arg-type]
    )
    assert answer.status_code in (200, 400)
    if answer.status_code == 200:
        assert answer.json()["result"]["isError"]
    assert "X-Keepsake-Person" in answer.text
