"""Ports for the servers that tests start."""

import contextlib
import random
import socket


def free_port() -> int:
    """A port nobody listens on, from below the range that outgoing connections are given theirs.

    A server binds it a moment later; a port of that range may be somebody's by then.
    """
    while True:
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("", random.randint(20_000, 32_000)))
            return int(probe.getsockname()[1])
