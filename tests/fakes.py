"""Providers that do exactly what a test tells them: no network, nothing random.

`ScriptedTransport` replies in order, below the parser, so a test says what the model's text was.
`ScriptedLanguage` is the real prompts and the real parser over such a script. `StubEmbedder`
makes vectors of words: texts with words in common are near.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memory.providers.errors import Empty, Refused, TooLong
from memory.providers.prompted import PromptedLanguage
from memory.providers.types import (
    Call,
    ChatMessage,
    Decision,
    Exchange,
    Extracted,
    Function,
    Made,
    Observed,
    Question,
    Transcript,
    Vector,
)
from memory.providers.vectors import unit_rows

Reply = str | Mapping[str, Any] | BaseException | Sequence[str | BaseException | Call]


@dataclass(frozen=True)
class Request:
    """One call that reached the scripted transport. `schema` is None for a streamed answer."""

    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None
    timeout: float
    functions: tuple[Function, ...] = ()
    may_call: bool = False

    @property
    def text(self) -> str:
        """All messages as one text, to look things up in."""
        return "\n".join(message.content for message in self.messages)


class ScriptedTransport:
    """Replies one after the other, and remembers what was asked in `requests`.

    A reply is a text (the message's content), a message dict (`{"content": None, "refusal": …}`,
    with `finish_reason` beside if it matters), a whole choice (`{"message": …}`), an exception to
    raise, or, for a streamed answer, a list of pieces in which an exception may stand. A callable
    in the place of the list gets each Request and returns the reply. Asked more often than there
    are replies, it fails the test.
    """

    def __init__(
        self, replies: Iterable[Reply] | Callable[[Request], Reply] = (), *, model: str = "scripted"
    ) -> None:
        self.made = Made(provider="scripted", model=model)
        self.requests: list[Request] = []
        self._reply = replies if callable(replies) else None
        self._replies = [] if callable(replies) else list(replies)

    def say(self, *replies: Reply) -> None:
        """More replies for later calls."""
        self._replies.extend(replies)

    @property
    def left(self) -> int:
        """Replies nobody has asked for yet."""
        return len(self._replies)

    def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any], timeout: float
    ) -> Mapping[str, Any]:
        reply = self._next(Request(tuple(messages), schema, timeout))
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, str):
            return _choice({"content": reply})
        if isinstance(reply, Mapping):
            return reply if "message" in reply else _choice(reply)
        raise AssertionError(f"a list of pieces answers a stream, not a completion: {reply!r}")

    def stream(self, messages: Sequence[ChatMessage], *, timeout: float) -> Iterator[str]:
        for piece in self._pieces(Request(tuple(messages), None, timeout)):
            assert isinstance(piece, str), "only a conversation with functions may call one"
            yield piece

    def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        functions: Sequence[Function],
        may_call: bool,
        timeout: float,
    ) -> Iterator[str | Call]:
        """A reply is pieces and calls, as they come."""
        request = Request(tuple(messages), None, timeout, tuple(functions), may_call)
        yield from self._pieces(request)

    def _pieces(self, request: Request) -> Iterator[str | Call]:
        reply = self._next(request)
        if isinstance(reply, Mapping):
            message = reply.get("message", reply)
            if message.get("refusal"):
                raise Refused(str(message["refusal"]))
            reply = message.get("content") or Empty("the reply had no content")
        for piece in [reply] if isinstance(reply, (str, BaseException)) else reply:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    def _next(self, request: Request) -> Reply:
        self.requests.append(request)
        if self._reply is not None:
            return self._reply(request)
        assert self._replies, f"the script is over; it was asked: {request.text[:500]}"
        return self._replies.pop(0)


def _choice(message: Mapping[str, Any]) -> Mapping[str, Any]:
    rest = {"role": "assistant", "content": None, "refusal": None, **message}
    finish = rest.pop("finish_reason", "stop")
    return {"message": rest, "finish_reason": finish}


class StubEmbedder:
    """Deterministic bag of words. `fail` is raised by every call while it is set.

    Each word adds its own fixed direction (a run of unspaced script adds its bigrams), so equal
    texts have equal vectors, shared words bring texts near, and nothing else is near. `vectors`
    gives chosen texts chosen vectors. Over `limit_tokens` (a CJK character is one, three others
    are one) a call raises TooLong. `calls` holds the texts of every call.
    """

    batch_limit = 100

    def __init__(
        self,
        space: str = "stub-64",
        dims: int = 64,
        limit_tokens: int | None = None,
        fail: BaseException | None = None,
        vectors: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.space = space
        self.dimensions = dims
        self.token_limit = limit_tokens
        self.fail = fail
        self.vectors = dict(vectors or {})
        self.calls: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
        self.calls.append(tuple(texts))
        if self.fail is not None:
            raise self.fail
        for text in texts:
            if self.token_limit is not None and stub_tokens(text) > self.token_limit:
                raise TooLong(f"{stub_tokens(text)} tokens, at most {self.token_limit}")
        rows = [self.vectors.get(text) or self._bag(text) for text in texts]
        return unit_rows(rows, count=len(texts), dimensions=self.dimensions)

    def _bag(self, text: str) -> list[float]:
        total = np.zeros(self.dimensions)
        for word in _words(text):
            seed = hashlib.blake2b(f"{self.space} {word}".encode(), digest_size=8).digest()
            total += np.random.default_rng(int.from_bytes(seed)).standard_normal(self.dimensions)
        return [float(value) for value in total]


def stub_tokens(text: str) -> int:
    """What the stub counts: one for a CJK character, one for three others."""
    wide = sum(char >= "\u2e80" for char in text)
    return wide + -(-(len(text) - wide) // 3)


def _words(text: str) -> Iterator[str]:
    for run in re.findall(r"\w+|[^\w\s]", unicodedata.normalize("NFC", text).casefold()):
        if run[0] >= "\u2e80" and len(run) > 1:
            yield from (run[place : place + 2] for place in range(len(run) - 1))
        elif run[0] not in ".,;:!?'\"()":
            yield run


class ScriptedLanguage(PromptedLanguage):
    """The real prompts and parser over a script: `replies` are what the model would say.

    `transport` holds the requests.
    """

    def __init__(self, *replies: Reply, model: str = "scripted") -> None:
        self.transport = ScriptedTransport(replies, model=model)
        super().__init__(self.transport)

    def say(self, *replies: Reply) -> None:
        """More replies for later calls."""
        self.transport.say(*replies)


class Meanwhile(ScriptedLanguage):
    """A slow model: `act` happens between the question and each answer."""

    def __init__(self, act: Callable[[], object], *replies: Reply) -> None:
        super().__init__(*replies)
        self.act = act

    def observe(self, transcript: Transcript, *, timeout: float) -> Observed:
        self.act()
        return super().observe(transcript, timeout=timeout)

    def reconcile(self, question: Question, *, timeout: float) -> Decision:
        self.act()
        return super().reconcile(question, timeout=timeout)

    def extract(self, exchange: Exchange, *, timeout: float) -> Extracted:
        self.act()
        return super().extract(exchange, timeout=timeout)


def observed(*findings: tuple[str, str, int]) -> str:
    """What a model says that observed these (statement, quote, turn)."""
    return json.dumps(
        {"observations": [{"statement": s, "quote": q, "turn": t} for s, q, t in findings]},
        ensure_ascii=False,
    )


def decided(
    action: str, *mutations: Mapping[str, Any], about: int | None = None, reasoning: str = "So."
) -> str:
    """What a model says that decided so. A mutation is `{"operation": "add", "key": …}`."""
    return json.dumps(
        {"reasoning": reasoning, "action": action, "about": about, "mutations": list(mutations)},
        ensure_ascii=False,
    )
