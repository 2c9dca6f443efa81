"""Django behind ASGI, where every view and every middleware is synchronous, as all of ours are."""

from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class InOneThread(ASGIHandler):
    """A request goes into its thread once and comes back once, with the answer.

    Django's own handler resolves the view in the event loop, and so goes from loop to thread and
    back for each middleware that has only a synchronous half, which costs more than they do.
    An answer that streams is still sent by the event loop, piece by piece.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> Any:
        answer: HttpResponseBase = await sync_to_async(self.get_response)(request)
        return answer
