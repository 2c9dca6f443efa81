"""The transport meets real bytes: every way a server can answer has its name, at once, unslept."""

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

import pytest

from memory.providers.errors import (
    Empty,
    Misconfigured,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Refused,
    TooLong,
    Truncated,
    Unavailable,
)
from memory.providers.openai_transport import OpenAITransport
from memory.providers.prompted import OBSERVE_SCHEMA, PromptedLanguage
from memory.providers.types import Call, ChatMessage, Function, Transcript, Turn
from tests.memory.providers.stub_server import (
    Answer,
    Script,
    StubServer,
    answer,
    choice,
    error,
    serving,
    stream,
)

KEY = "sk-local-0123456789abcdef"
HELLO = [ChatMessage("system", "Be brief."), ChatMessage("user", "hi")]
GOOD = choice({"role": "assistant", "content": '{"observations": []}'})


@contextlib.contextmanager
def meeting(script: Script) -> Iterator[tuple[OpenAITransport, StubServer]]:
    with serving(script) as server:
        transport = OpenAITransport(model="some-model", api_key=KEY, base_url=server.url)
        with closing(transport):
            yield transport, server


def complete(script: Script, timeout: float = 10) -> Any:
    with meeting(script) as (transport, _):
        return transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=timeout)


def test_what_is_sent_and_what_comes_back() -> None:
    with meeting([GOOD]) as (transport, server):
        reply = transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        (sent,) = server.requests
        assert server.paths == ["/v1/chat/completions"]
        assert server.said[0]["authorization"] == f"Bearer {KEY}"
    assert reply["message"]["content"] == '{"observations": []}'
    assert sent["model"] == "some-model"
    assert sent["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hi"},
    ]
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert sent["response_format"]["json_schema"]["schema"]["required"] == ["observations"]


# --- field fault 20 ---------------------------------------------------------------------------


def test_a_rate_limit_says_how_long_to_wait_and_nobody_sleeps() -> None:
    later = formatdate(time.time() + 60, usegmt=True)
    limited = error(429, "slow down", code="rate_limit_exceeded")
    script = [
        answer(**limited, retry_after="7"),
        answer(**limited, retry_after=later),
        answer(**limited, retry_after="86400"),
        answer(**limited),
        answer(**error(429, "no", code="insufficient_quota"), retry_after="7"),
        GOOD,
    ]
    waits = []
    with meeting(script) as (transport, server):
        for _ in range(4):
            with pytest.raises(RateLimited) as caught:
                transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
            waits.append(caught.value.retry_after)
        with pytest.raises(QuotaExceeded):
            transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        assert transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)["message"]
        assert len(server.requests) == 6  # one request a call: the SDK does not try again
    assert waits[0] == 7
    assert waits[1] is not None
    assert 50 < waits[1] <= 61
    assert waits[2:] == [86_400, None]


# --- other failures ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (answer(**error(401, f"Incorrect key {KEY}", code="invalid_api_key")), Misconfigured),
        (answer(**error(403)), Misconfigured),
        (answer(**error(404, code="model_not_found")), Misconfigured),
        (answer(**error(400, "too much", code="context_length_exceeded")), TooLong),
        (answer(**error(500)), Unavailable),
        (Answer((b"<html>bad gateway</html>",), 502, kind="text/html"), Unavailable),
        (Answer((b"<html>welcome</html>",), kind="text/html"), Misconfigured),
        (Answer((b'{"choices": [',)), Unavailable),
        (Answer((b'{"choices": [',), length=1_000), Unavailable),
        (Answer((b"[]",)), Unavailable),
        (Answer((b"",)), Unavailable),
        (answer({"error": {"message": "limit", "code": 429}}), RateLimited),
        (answer({"error": {"message": "boom", "code": 502}}), Unavailable),
        (answer({"choices": []}), Empty),
        (answer({"choices": None}), Empty),
        (answer({}), Empty),
        (answer(**error(400, "what?")), ProviderError),
    ],
)
def test_each_failure_has_its_name(script: Answer, expected: type[ProviderError]) -> None:
    with pytest.raises(ProviderError) as caught:
        complete([script])
    assert type(caught.value) is expected
    assert KEY not in str(caught.value)


def test_nobody_there() -> None:
    with socket.socket() as taken:  # bound, not listening: refused
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        transport = OpenAITransport(model="m", api_key=KEY, base_url=address)
        with closing(transport), pytest.raises(Unavailable):
            transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=5)


@pytest.mark.parametrize("base_url", ["nonsense", "ftp://127.0.0.1/v1", ""])
def test_an_impossible_address(base_url: str) -> None:
    transport = OpenAITransport(model="m", api_key=KEY, base_url=base_url)
    with closing(transport), pytest.raises((Misconfigured, Unavailable)):
        transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=5)


@pytest.mark.parametrize("key", ["", "schlüssel-é", "line\nbreak"])
def test_an_impossible_key(key: str) -> None:
    with serving([GOOD]) as server:
        transport = OpenAITransport(model="m", api_key=key, base_url=server.url)
        with closing(transport), pytest.raises((Misconfigured, Unavailable)) as caught:
            transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=5)
        assert not key or key not in str(caught.value)
        assert server.requests == []


def test_a_server_that_drips_does_not_hold_the_call() -> None:
    """A blank every 50 ms would satisfy a timeout between bytes for ever."""
    with pytest.raises(Unavailable, match="in time"):
        complete([Answer((b" ",) * 2_000, pause=0.05)], timeout=0.4)


def test_a_silent_server_is_not_waited_for() -> None:
    with pytest.raises(Unavailable, match="in time"):
        complete([Answer((b" ", b" "), pause=60)], timeout=0.3)


def test_no_time_left_no_request() -> None:
    with meeting([GOOD]) as (transport, server):
        with pytest.raises(Unavailable):
            transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=0)
        assert server.requests == []


# --- structured output ------------------------------------------------------------------------


def test_a_server_without_structured_output_is_asked_plainly_and_remembered() -> None:
    def server_of_old(body: dict[str, Any]) -> Answer:
        if "response_format" in body:
            return answer(**error(400, "unknown field", param="response_format"))
        if "temperature" in body:
            return answer(**error(400, "no 'temperature'", code="unsupported_value"))
        return GOOD

    with meeting(server_of_old) as (transport, server):
        transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        assert len(server.requests) == 3
        transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        assert len(server.requests) == 4
        again = OpenAITransport(model="some-model", api_key=KEY, base_url=server.url)
        with closing(again):
            again.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        assert len(server.requests) == 5
        other = OpenAITransport(model="other-model", api_key=KEY, base_url=server.url)
        with closing(other):
            other.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        assert "response_format" in server.requests[5]


def test_a_server_that_rejects_everything_is_not_asked_for_ever() -> None:
    with meeting(lambda _: answer(**error(400, "response_format temperature"))) as (
        transport,
        server,
    ):
        with pytest.raises(ProviderError):
            transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        assert len(server.requests) == 3


def test_a_rate_limit_that_names_an_option_teaches_nothing() -> None:
    script = [answer(**error(429, "too many response_format requests")), GOOD]
    with meeting(script) as (transport, server):
        with pytest.raises(RateLimited):
            transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        transport.complete(HELLO, schema=OBSERVE_SCHEMA, timeout=10)
        assert "response_format" in server.requests[1]


# --- streams ----------------------------------------------------------------------------------


def spoken(script: Answer, timeout: float = 10) -> tuple[list[str], Exception | None]:
    """The pieces, and what ended them."""
    pieces: list[str] = []
    with meeting([script]) as (transport, _):
        try:
            for piece in transport.stream(HELLO, timeout=timeout):
                pieces.append(piece)
        except ProviderError as ended:
            return pieces, ended
    return pieces, None


def test_an_answer_comes_in_pieces() -> None:
    assert spoken(stream("He", "llo", {"choices": [], "usage": {}})) == (["He", "llo"], None)
    assert spoken(stream("He", "llo", done=False)) == (["He", "llo"], None)
    assert spoken(stream("He", finish=None)) == (["He"], None)


def test_a_server_that_cannot_stream_says_it_in_one() -> None:
    assert spoken(choice({"content": "Hello"})) == (["Hello"], None)


@pytest.mark.parametrize(
    ("script", "pieces", "expected"),
    [
        (stream("He", finish="length"), ["He"], Truncated),
        (stream("He", finish="content_filter"), ["He"], Refused),
        (stream({"choices": [{"delta": {"refusal": "No."}}]}), [], Refused),
        (stream(), [], Empty),
        (stream("", ""), [], Empty),
        (stream("He", finish=None, done=False), ["He"], Unavailable),
        (stream("He", {"error": {"message": "overloaded", "code": 503}}), ["He"], Unavailable),
        (
            stream("He", {"error": {"message": "x", "code": "insufficient_quota"}}),
            ["He"],
            QuotaExceeded,
        ),
        (Answer((b"data: {broken\n\n",), kind="text/event-stream"), [], Unavailable),
        (
            Answer((b'data: {"choices": [', b""), kind="text/event-stream", length=900),
            [],
            Unavailable,
        ),
        (answer(**error(429), retry_after="7"), [], RateLimited),
        (answer(**error(401)), [], Misconfigured),
    ],
)
def test_a_stream_fails_by_name_between_pieces_too(
    script: Answer, pieces: list[str], expected: type[ProviderError]
) -> None:
    heard, ended = spoken(script)
    assert heard == pieces
    assert type(ended) is expected


def test_a_stream_that_drips_ends_in_time() -> None:
    heard, ended = spoken(stream(*["x"] * 2_000, pause=0.05), timeout=0.5)
    assert 0 < len(heard) < 100
    assert isinstance(ended, Unavailable)


def test_a_visitor_who_hangs_up_closes_the_request() -> None:
    with meeting([stream(*["x"] * 50)]) as (transport, _):
        answer_ = transport.stream(HELLO, timeout=10)
        assert next(answer_) == "x"
        answer_.close()  # type: ignore[attr-defined]
    # an unclosed connection would warn, and warnings are errors


# --- with the parser above --------------------------------------------------------------------


def test_field_fault_1_over_the_wire() -> None:
    said = Transcript([Turn(1, "user", "I like tea", datetime(2026, 3, 3, tzinfo=UTC))])
    script = [
        choice({"role": "assistant", "content": None, "refusal": "I can't help with that."}),
        choice({"content": ""}),
        choice({"content": [{"type": "text", "text": '{"observations":[]}'}]}),
        choice({"content": '{"observ'}, finish="length"),
        choice(
            {"content": "```json\n" + json.dumps([{"fact": "Likes tea.", "turn": 1}]) + "\n```"}
        ),
    ]
    with meeting(script) as (transport, _):
        language = PromptedLanguage(transport)
        with pytest.raises(Refused):
            language.observe(said, timeout=10)
        with pytest.raises(Empty):
            language.observe(said, timeout=10)
        assert language.observe(said, timeout=10).findings == []
        with pytest.raises(Truncated):
            language.observe(said, timeout=10)
        result = language.observe(said, timeout=10)
        assert [finding.statement for finding in result.findings] == ["Likes tea."]
        assert (result.made.provider, result.made.model) == ("openai", "some-model")


# --- functions ---------------------------------------------------------------------------------

NOTE = Function("note", "Write it down.", {"type": "object", "properties": {}})


def piece(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"delta": {"tool_calls": list(calls)}, "finish_reason": None}]}


def converse(
    transport: OpenAITransport, messages: Any = HELLO, *, may_call: bool = True
) -> list[str | Call]:
    return list(transport.converse(messages, functions=[NOTE], may_call=may_call, timeout=10))


def test_calls_are_put_together_from_their_pieces() -> None:
    script = stream(
        "Let me ",
        piece({"index": 0, "id": "a", "function": {"name": "note", "arguments": '{"x"'}}),
        piece({"index": 1, "id": "b", "function": {"name": "note", "arguments": ""}}),
        "see.",
        piece({"index": 0, "function": {"arguments": ": 1}"}}),
        finish="tool_calls",
    )
    with meeting([script]) as (transport, server):
        said = converse(transport)
    assert said == ["Let me ", "see.", Call("a", "note", '{"x": 1}'), Call("b", "note", "")]
    (sent,) = server.requests
    assert sent["tools"][0]["function"]["name"] == "note"
    assert "tool_choice" not in sent


def test_calls_and_their_answers_are_sent_back_as_the_server_knows_them() -> None:
    messages = [
        *HELLO,
        ChatMessage("assistant", "", calls=(Call("a", "note", "{}"),)),
        ChatMessage("tool", '{"status": "saved"}', answers="a"),
    ]
    with meeting([stream("Done.")]) as (transport, server):
        assert converse(transport, messages, may_call=False) == ["Done."]
    sent = server.requests[0]
    assert sent["tool_choice"] == "none"
    assert sent["messages"][2:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "note", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "content": '{"status": "saved"}', "tool_call_id": "a"},
    ]


def test_a_server_that_answers_in_one_piece_or_sends_objects_is_understood() -> None:
    whole = choice(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"type": "function", "function": {"name": "note", "arguments": {}}}],
        },
        "tool_calls",
    )
    with meeting([whole]) as (transport, _):
        assert converse(transport) == [Call("call_0", "note", "{}")]


def test_a_server_that_knows_no_functions_is_asked_without_once_and_for_all() -> None:
    refused = answer(**error(400, "this model does not support tools"))
    with meeting([refused, stream("Hello."), stream("Again.")]) as (transport, server):
        assert converse(transport) == ["Hello."]
        assert converse(transport) == ["Again."]
    assert ["tools" in body for body in server.requests] == [True, False, False]


def test_a_call_alone_is_an_answer_and_nothing_at_all_is_none() -> None:
    call = piece({"index": 0, "id": "a", "function": {"name": "note", "arguments": "{}"}})
    with meeting([stream(call, finish="tool_calls"), stream()]) as (transport, _):
        assert converse(transport) == [Call("a", "note", "{}")]
        with pytest.raises(Empty):
            converse(transport)
