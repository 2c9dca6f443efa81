"""No test reaches beyond this machine, whichever way it tries."""

import socket

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
def test_a_stranger_cannot_be_connected_to(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as attempt:
        for connect in (attempt.connect, attempt.connect_ex):
            with pytest.raises(RuntimeError, match="no network"):
                connect(address)
    with pytest.raises(RuntimeError, match="no network"):
        socket.create_connection(address)


def test_a_name_cannot_be_looked_up() -> None:
    with pytest.raises(RuntimeError, match=r"looks up 'api\.example'"):
        socket.getaddrinfo("api.example", 443)


def test_this_machine_can_be_reached() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        assert client.getpeername() == server.getsockname()
