"""A request is in one thread from its first middleware to its view and back."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import path

from config.handler import InOneThread

seen: list[tuple[str, int]] = []


def _say(what: str) -> None:
    seen.append((what, threading.get_ident()))


def _middleware(get_response: Callable[[HttpRequest], HttpResponse]) -> Any:
    def middleware(request: HttpRequest) -> HttpResponse:
        _say("before")
        response = get_response(request)
        _say("after")
        return response

    return middleware


def _plain(request: HttpRequest) -> HttpResponse:
    _say("view")
    return HttpResponse("plain")


def _streaming(request: HttpRequest) -> StreamingHttpResponse:
    async def pieces() -> Any:
        for piece in ("a", "b"):
            yield piece

    return StreamingHttpResponse(pieces())


def _failing(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault of ours")


urlpatterns = [path("plain", _plain), path("streaming", _streaming), path("failing", _failing)]
handler500 = "tenants.answers.server_error"


async def _asked(address: str) -> tuple[int, bytes]:
    scope = {
        "type": "http",
        "method": "GET",
        "path": address,
        "query_string": b"",
        "headers": [],
        "server": ("localhost", 80),
    }
    make: Any = ApplicationCommunicator  # it has no types
    caller = make(InOneThread(), scope)
    await caller.send_input({"type": "http.request", "body": b""})
    start, body, more = await caller.receive_output(5), b"", True
    while more:
        part = await caller.receive_output(5)
        body, more = body + part.get("body", b""), part.get("more_body", False)
    await caller.wait(5)
    return start["status"], body


@pytest.fixture
def ask(db: None) -> Callable[[str], tuple[int, bytes]]:
    def asking(address: str) -> tuple[int, bytes]:
        seen.clear()
        with override_settings(
            ROOT_URLCONF=__name__,
            MIDDLEWARE=[f"{__name__}._middleware", f"{__name__}._middleware"],
            ALLOWED_HOSTS=["*"],
        ):
            return asyncio.run(_asked(address))

    return asking


def test_middleware_and_view_share_a_thread_that_is_not_the_loops(
    ask: Callable[[str], tuple[int, bytes]],
) -> None:
    assert ask("/plain") == (200, b"plain")
    assert [what for what, _ in seen] == ["before", "before", "view", "after", "after"]
    assert len({thread for _, thread in seen}) == 1
    assert seen[0][1] != threading.get_ident()


def test_an_answer_that_streams_is_sent_piece_by_piece(
    ask: Callable[[str], tuple[int, bytes]],
) -> None:
    assert ask("/streaming") == (200, b"ab")


def test_a_fault_is_an_answer(ask: Callable[[str], tuple[int, bytes]]) -> None:
    assert ask("/failing")[0] == 500
    assert ask("/nowhere")[0] == 404
