"""Django behind ASGI, where every view and every middleware is synchronous, as all of ours are."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any

from asgiref.sync import sync_to_async
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from tenants.answers import places

log = logging.getLogger("keepsake.handler")
THREADS = 64  # requests that are worked on at once, in each process; more wait their turn


class InOneThread(ASGIHandler):
    """A request goes into a thread once and comes back once, with the answer.

    Django's own handler starts a thread for every request and goes there for the signal that it
    began, for each middleware that has only a synchronous half, for the view, and for the signal
    that it ended, which costs more than they do. Here threads are kept, each with its connection's
    wrapper. An answer that streams is sent by the event loop, piece by piece, until it ends or
    whoever asked hangs up.
    """

    def __init__(self) -> None:
        super().__init__()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        context = copy_context()
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(self._threads, context.run, self._answer, scope, body)
        if answer.streaming:
            await self._stream(answer, receive, send, context)
        else:
            await self.send_response(answer, send)
            if not answer.closed:
                await loop.run_in_executor(self._threads, context.run, _close, answer)

    def _answer(self, scope: Any, body: Any) -> HttpResponseBase:
        """All that Django does of a request. Still open after are an answer that streams, and one
        that says it has something to do once it is sent (`closes_late`)."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        if request is None:
            body.close()
        answer: Any = refused if request is None else self.get_response(request)
        answer._handler_class = self.__class__
        if isinstance(answer, FileResponse):
            answer.block_size = self.chunk_size
        if answer.streaming or getattr(answer, "closes_late", False):
            close_old_connections()  # what is left, and the end, are in another thread
        else:
            answer.close()
        return answer  # type: ignore[no-any-return]

    async def _stream(self, answer: Any, receive: Any, send: Any, context: Context) -> None:
        """What the request set (its prefix, its language) holds for the pieces, too."""
        sending = asyncio.create_task(self.send_response(answer, send), context=context)
        gone = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await asyncio.wait((sending, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (gone, sending):
                task.cancel()
            try:
                with suppress(asyncio.CancelledError, RequestAborted):
                    await gone
                with suppress(asyncio.CancelledError):
                    await sending
            finally:
                await sync_to_async(_close)(answer)


def _close(answer: HttpResponseBase) -> None:
    """The end of an answer that has been sent: a fault of it is for the log alone."""
    try:
        answer.close()
    except Exception as problem:
        log.error("after an answer: %s", places(problem))
