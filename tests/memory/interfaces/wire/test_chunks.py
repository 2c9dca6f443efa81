"""Bodies that come in chunks, without a length, as proxies and streaming clients send them."""

import http.client
import json
from collections.abc import Iterator

import pytest

from tests.served import served
from tests.wires import Wire

pytestmark = pytest.mark.django_db(transaction=True)
MIB = 1024 * 1024


def sent(address: str, key: str, path: str, *chunks: bytes) -> tuple[int, dict[str, object]]:
    host = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    said: Iterator[bytes] = iter(chunks)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    host.request("POST", f"/v1/{path}", said, headers, encode_chunked=True)
    answer = host.getresponse()
    body = json.loads(answer.read())
    host.close()
    return answer.status, body


def test_a_body_in_chunks_is_read_and_bounded() -> None:
    wire = Wire()
    body = json.dumps({"content": "It came in pieces.", "agentId": "a"}).encode()
    with served() as address:
        status, written = sent(address, wire.key, "memory/write", body[:9], body[9:])
        assert status == 201
        assert wire.call("GET", f"memory/{written['writeId']}").json()["agent_id"] == "a"
        assert sent(address, wire.key, "memory/write", b"[1", b"]")[0] == 400
        assert sent(address, wire.key, "workflows/w/summarize")[0] == 200
        status, refused = sent(address, wire.key, "memory/write", *[b" " * MIB] * 9)
        assert (status, list(refused)) == (413, ["error"])
