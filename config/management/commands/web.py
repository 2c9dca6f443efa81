"""Serve the web pages and interfaces with uvicorn, in two processes."""

import os
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

        uvicorn.run(
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
