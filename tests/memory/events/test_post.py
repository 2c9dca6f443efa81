"""One POST over a real socket: pinned, bounded, never redirected, and nothing read back."""

import datetime
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from memory.events import post as module
from memory.events import targets
from memory.events.post import post
from tests.receivers import Receiver, receiving

NAME = "hooks.example.com"


@pytest.fixture(autouse=True)
def private(settings: Any) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name leads here; each look-up is noted."""
    asked: list[str] = []

    def look_up(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    monkeypatch.setattr(targets, "look_up", look_up)
    return asked


@contextmanager
def speaking(act: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that says whatever `act` says to the first who connects."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            peer, _ = server.accept()
            with peer:
                try:
                    act(peer)
                except OSError:
                    return  # the other side hung up

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        thread.join(timeout=10)
        assert not thread.is_alive()


def test_the_bytes_and_headers_arrive_as_they_are(receiver: Receiver) -> None:
    body = "Zoë – 花生 1.0 </script>\r\n\0".encode()
    answer = post(receiver.url + "?a=%20b", body, {"X-Some": "thing"})
    assert (answer.status, answer.error, answer.is_taken) == (200, "", True)
    (taken,) = receiver.taken
    assert (taken.path, taken.body, taken.headers["x-some"]) == ("/hook?a=%20b", body, "thing")
    assert taken.headers["host"] == receiver.url.split("/")[2]


def test_the_name_is_looked_up_once_and_stays_in_the_host_header(
    receiver: Receiver, looked_up: list[str]
) -> None:
    url = receiver.url.replace("127.0.0.1", NAME)
    assert post(url, b"{}", {}).is_taken
    assert looked_up == [NAME]
    assert receiver.taken[0].headers["host"] == url.split("/")[2]


def test_a_second_address_is_tried_when_the_first_refuses(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "look_up", lambda *_: ["127.0.0.2", "127.0.0.1"])
    assert post(receiver.url.replace("127.0.0.1", NAME), b"{}", {}).is_taken


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(receiver: Receiver, status: int) -> None:
    with receiving() as inside:
        receiver.answers = [(status, {"Location": inside.url})]
        answer = post(receiver.url, b"{}", {})
        assert (answer.status, answer.is_taken) == (status, False)
        assert "not followed" in answer.error
        assert inside.taken == []


def test_a_proxy_of_the_environment_is_not_asked(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert post(receiver.url, b"{}", {}).is_taken
        assert (len(receiver.taken), proxy.taken) == (1, [])


def test_a_receiver_that_does_not_answer_in_time(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.3)
    over = threading.Event()
    receiver.answers = [lambda _: over.wait(timeout=10)]
    answer = post(receiver.url, b"{}", {})
    over.set()
    assert (answer.status, "no answer within" in answer.error) == (None, True)
    assert len(receiver.taken) == 1


def drips(peer: socket.socket) -> None:
    """A header for ever, one byte at a time: each is in time, the whole never is."""
    peer.sendall(b"HTTP/1.1 200 OK\r\nX-A: ")
    while True:
        peer.sendall(b"a")
        threading.Event().wait(0.05)


def hear(peer: socket.socket) -> None:
    """All of the request: whoever closes before that resets the connection."""
    got = b""
    while not got.endswith(b"{}") and (more := peer.recv(1_000)):
        got += more


def endless(peer: socket.socket) -> None:
    hear(peer)
    peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        peer.sendall(b"5\r\nhello\r\n")


def garbage(peer: socket.socket) -> None:
    hear(peer)
    peer.sendall(b"+OK redis\r\n-secret-in-the-reply\r\n")


def silent(peer: socket.socket) -> None:
    hear(peer)


@pytest.mark.parametrize(
    ("act", "status", "error"),
    [
        (drips, None, "no answer within"),
        (endless, 200, ""),  # nobody reads the body
        (garbage, None, "is not HTTP"),
        (silent, None, "is not HTTP"),
    ],
)
def test_what_a_strange_server_does(
    act: Callable[[socket.socket], None],
    status: int | None,
    error: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if act is drips:  # the only one that is waited for
        monkeypatch.setattr(module, "SECONDS", 0.5)
    with speaking(act) as url:
        answer = post(url, b"{}", {})
    assert answer.status == status
    assert error in answer.error
    assert "secret-in-the-reply" not in answer.error


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert post(f"http://127.0.0.1:{port}/", b"{}", {}).error == "the connection was refused"


@pytest.mark.parametrize(
    ("status", "asked", "wait"),
    [(429, "7", 7.0), (503, "86400", 86_400.0), (429, "soon", None), (500, "7", None)],
)
def test_how_long_it_asks_to_wait(
    receiver: Receiver, status: int, asked: str, wait: float | None
) -> None:
    receiver.answers = [(status, {"Retry-After": asked})]
    answer = post(receiver.url, b"{}", {})
    assert (answer.status, answer.wait, answer.is_of_receiver) == (status, wait, True)


def test_a_name_that_changed_its_address_after_saving_is_not_called(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = False
    port = receiver.url.split(":")[2].split("/")[0]
    url = f"http://{NAME}:{port}/hook"
    monkeypatch.setattr(targets, "look_up", lambda *_: ["93.184.216.34"])
    targets.check(url)
    monkeypatch.setattr(targets, "look_up", lambda *_: ["127.0.0.1"])
    answer = post(url, b"{}", {})
    assert answer.error == "not sent: the address leads to a private or reserved address"
    assert receiver.taken == []


# --- TLS -------------------------------------------------------------------------------------


def certificate(folder: Path, name: str) -> Path:
    """A certificate and its key, signed by itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    file = folder / f"{name}.pem"
    file.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + made.public_bytes(pem)
    )
    return file


@pytest.mark.parametrize("certified", [NAME, "other.example.com"])
def test_the_certificate_and_its_name_are_those_of_the_target(
    certified: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looked_up: list[str]
) -> None:
    file = certificate(tmp_path, certified)
    trusting = ssl.create_default_context(cafile=str(file))
    monkeypatch.setattr(module, "trusted", lambda: trusting)
    named: list[str | None] = []
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file)
    serving.sni_callback = lambda _, name, __: named.append(name)

    def serve(peer: socket.socket) -> None:
        with serving.wrap_socket(peer, server_side=True) as secure:
            hear(secure)
            secure.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    with speaking(serve) as url:
        port = url.split(":")[2].rstrip("/")
        answer = post(f"https://{NAME}:{port}/", b"{}", {})
    assert named == [NAME]
    if certified == NAME:
        assert (answer.status, answer.is_taken) == (204, True)
    else:
        assert (answer.status, answer.error) == (None, "the certificate is not trusted")
