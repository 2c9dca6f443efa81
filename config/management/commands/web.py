"""Serve the web pages and interfaces with uvicorn, in two processes."""

import os
import socket
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from config.processes import end_with_parent
from config.roles_check import refuse_unsafe_role


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workers", type=int, default=2)

    def handle(self, *args: Any, **options: Any) -> None:
        end_with_parent()
        refuse_unsafe_role()  # here too: a server process that refuses is started again for ever
        os.environ["KEEPSAKE_PROCESS"] = "web"  # read by the processes uvicorn makes
        import uvicorn
        from uvicorn.supervisors import Multiprocess

        config = uvicorn.Config(
            "config.asgi:application",
            host=settings.HOST,
            port=settings.PORT,
            workers=options["workers"],
            lifespan="on",
            access_log=False,  # a path may hold what nobody should log
            log_config=None,
            proxy_headers=False,  # TRUSTED_PROXIES decides, in one place
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        # One worker is a process of its own, too: only there KEEPSAKE_PROCESS is read anew, and
        # connections are pooled. Workers share a socket that asyncio does not take for TCP, so it
        # leaves Nagle's algorithm on, and the body of an answer waits 40 ms for its headers to be
        # acknowledged. Accepted sockets inherit the option.
        listening = config.bind_socket()
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Multiprocess(config, sockets=[listening]).run()
