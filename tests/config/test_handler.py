"""A request is in one thread from its first middleware to its view and back."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.signals import request_finished, request_started
from django.db import connection, connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import path

from config.handler import InOneThread

seen: list[tuple[str, int]] = []
held: list[Any] = []  # connections of the threads that views were in


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
    connection.ensure_connection()
    held.append(connections["default"])

    async def pieces() -> Any:
        for piece in ("a", "b"):
            yield piece

    return StreamingHttpResponse(pieces())


def _failing(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault of ours")


def _endless(request: HttpRequest) -> StreamingHttpResponse:
    async def pieces() -> Any:
        try:
            while True:
                yield "more"
                await asyncio.sleep(0.01)
        finally:
            _say("hung up")

    return StreamingHttpResponse(pieces())


class _Late(HttpResponse):
    closes_late = True

    def close(self) -> None:
        _say("late work")
        super().close()
        if "fails" in self.headers:
            raise RuntimeError("a fault of ours")


def _late_failing(request: HttpRequest) -> HttpResponse:
    return _Late("late", headers={"fails": "yes"})


def _late(request: HttpRequest) -> HttpResponse:
    connection.ensure_connection()
    held.append(connections["default"])
    return _Late("late")


urlpatterns = [
    path("late", _late),
    path("late-failing", _late_failing),
    path("plain", _plain),
    path("streaming", _streaming),
    path("endless", _endless),
    path("failing", _failing),
]
handler500 = "tenants.answers.server_error"


def _scope(address: str) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": address,
        "query_string": b"",
        "headers": [],
        "server": ("localhost", 80),
    }


def _caller(address: str, application: Any = None) -> Any:
    make: Any = ApplicationCommunicator  # it has no types
    return make(application or InOneThread(), _scope(address))


async def _asked(address: str) -> tuple[int, bytes]:
    caller = _caller(address)
    await caller.send_input({"type": "http.request", "body": b""})
    start, body, more = await caller.receive_output(5), b"", True
    while more:
        part = await caller.receive_output(5)
        body, more = body + part.get("body", b""), part.get("more_body", False)
    await caller.wait(5)
    return start["status"], body


@pytest.fixture
def here(db: None) -> Iterator[None]:
    seen.clear()
    with override_settings(
        ROOT_URLCONF=__name__,
        MIDDLEWARE=[f"{__name__}._middleware", f"{__name__}._middleware"],
        ALLOWED_HOSTS=["*"],
    ):
        yield


@pytest.fixture
def ask(here: None) -> Callable[[str], tuple[int, bytes]]:
    return lambda address: asyncio.run(_asked(address))


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


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("address", ["/streaming", "/late"])
def test_what_ends_elsewhere_holds_no_connection(
    ask: Callable[[str], tuple[int, bytes]], address: str
) -> None:
    ask(address)
    assert held[-1].connection is None


def test_a_fault_after_an_answer_does_not_end_the_connection(
    ask: Callable[[str], tuple[int, bytes]],
) -> None:
    assert ask("/late-failing") == (200, b"late")


def test_a_fault_is_an_answer(ask: Callable[[str], tuple[int, bytes]]) -> None:
    assert ask("/failing")[0] == 500
    assert ask("/nowhere")[0] == 404


@pytest.mark.parametrize("address", ["/plain", "/late", "/streaming", "/failing", "/nowhere"])
def test_a_request_begins_and_ends_once(
    ask: Callable[[str], tuple[int, bytes]], address: str
) -> None:
    """What Django does then, above all with connections, is in the thread that used them."""

    def began(**_: Any) -> None:
        _say("began")

    def ended(**_: Any) -> None:
        _say("ended")

    request_started.connect(began)
    request_finished.connect(ended)
    try:
        ask(address)
    finally:
        request_started.disconnect(began)
        request_finished.disconnect(ended)
    told = [(what, thread) for what, thread in seen if what in ("began", "ended")]
    assert [what for what, _ in told] == ["began", "ended"]
    if address not in ("/late", "/streaming"):
        assert len({thread for _, thread in told}) == 1
        assert seen[-1][0] == "ended"


def test_what_has_more_to_do_does_it_once_it_is_sent(here: None) -> None:
    sent: list[int] = []

    async def asking() -> None:
        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        async def send(message: Any) -> None:
            sent.append([what for what, _ in seen].count("late work"))

        await InOneThread()(_scope("/late"), receive, send)

    asyncio.run(asking())
    assert sent == [0, 0]
    assert seen[-1][0] == "late work"


def test_who_hangs_up_ends_what_streams(here: None) -> None:
    async def listening() -> None:
        caller = _caller("/endless")
        await caller.send_input({"type": "http.request", "body": b""})
        for _ in range(3):
            await caller.receive_output(5)
        assert [what for what, _ in seen].count("hung up") == 0
        await caller.send_input({"type": "http.disconnect"})
        await caller.wait(5)

    asyncio.run(listening())
    assert seen[-1][0] == "hung up"


def test_who_hangs_up_before_the_body_is_there_asks_nothing(here: None) -> None:
    async def leaving() -> None:
        caller = _caller("/plain")
        await caller.send_input({"type": "http.request", "body": b"", "more_body": True})
        await caller.send_input({"type": "http.disconnect"})
        await caller.wait(5)

    asyncio.run(leaving())
    assert seen == []


def test_threads_are_kept_for_the_next_request(here: None) -> None:
    async def several() -> None:
        application = InOneThread()
        for _ in range(5):
            caller = _caller("/plain", application)
            await caller.send_input({"type": "http.request", "body": b""})
            await caller.receive_output(5)
            await caller.receive_output(5)
            await caller.wait(5)

    asyncio.run(several())
    assert len({thread for what, thread in seen if what == "view"}) == 1
