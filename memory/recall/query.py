"""A message as recall asks with it: its terms and, if a provider gave one, its vector."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from memory import providers
from memory.providers.errors import ProviderError
from memory.providers.pieces import pieces
from memory.providers.types import Vector
from memory.recall.asked_time import NO_TIME, AskedTime
from memory.recall.names import Names, Side
from memory.recall.terms import asked, is_pleasantry
from tenants.answers import places

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Query:
    """`vector` is None when there is none; `failed` then says why, or is None for a text that
    has no vector. The keyword leg works without it. A greeting has neither: it asks nothing.
    `embedded` is the text that the vector is of: the message, without the names of both sides.
    `side` is whom alone the message names, `about` what a memory about them begins with; `time` is
    what the message says of time."""

    message: str
    space: str
    vector: Vector | None = None
    terms: tuple[str, ...] = ()
    failed: str | None = None
    embed_ms: float = 0.0
    embedded: str = ""
    side: Side | None = None
    about: tuple[str, ...] = ()
    time: AskedTime = NO_TIME

    @property
    def asks(self) -> bool:
        """Is there anything to search with?"""
        return self.vector is not None or bool(self.terms)


def prepare(
    message: str,
    *,
    space: str,
    timeout: float,
    names: Names = Names(),  # noqa: B008 (frozen)
) -> Query:
    """Embed a message, outside any block: no transaction is open during a provider's call.

    A provider's fault is kept as `failed` and never raised. `timeout` is in seconds.
    """
    if is_pleasantry(message):
        return Query(message=message, space=space)
    started = time.perf_counter()
    embedded = names.without(message)
    vector, failed = _embedded(embedded, space, timeout)
    side = names.named(message)
    return Query(
        message=message,
        space=space,
        vector=vector,
        terms=tuple(asked(message)),
        failed=failed,
        embed_ms=(time.perf_counter() - started) * 1000,
        embedded=embedded,
        side=side,
        about=names.beginnings(side) if side else (),
        time=AskedTime.of(message),
    )


def prepare_many(messages: Sequence[str], *, space: str, timeout: float) -> list[Query]:
    """`prepare` of several, embedded together, in their order."""
    started = time.perf_counter()
    asking = [message for message in messages if not is_pleasantry(message)]
    vectors, failed = _all_embedded(asking, space, timeout)
    took, found = (time.perf_counter() - started) * 1000, iter(vectors)
    return [
        Query(message=message, space=space)
        if is_pleasantry(message)
        else Query(message, space, next(found), tuple(asked(message)), failed, took, message)
        for message in messages
    ]


def _embedded(message: str, space: str, timeout: float) -> tuple[Vector | None, str | None]:
    (vector,), failed = _all_embedded([message], space, timeout)
    return vector, failed


def _all_embedded(
    messages: Sequence[str], space: str, timeout: float
) -> tuple[list[Vector | None], str | None]:
    """A vector for each, None where it has none; and why all of them are without one."""
    vectors: list[Vector | None] = [None] * len(messages)
    try:
        embedder = providers.embedder_for(space)
        # A longer message asks with its beginning: one vector, one meaning.
        parts = [pieces(message, embedder.token_limit)[:1] for message in messages]
        places_of = [place for place, part in enumerate(parts) if part]
        for start in range(0, len(places_of), embedder.batch_limit):
            some = places_of[start : start + embedder.batch_limit]
            made = embedder.embed([parts[place][0] for place in some], timeout=timeout)
            for place, vector in zip(some, made, strict=True):
                vectors[place] = vector if usable(vector) else None
    except ProviderError as error:
        logger.warning("recall: no vector in %s: %s", space, error.name)
        return [None] * len(messages), f"embedding: {error.name}"
    except Exception as error:  # whatever a provider does, the chat goes on
        logger.warning("recall: no vector in %s: %s", space, places(error))
        return [None] * len(messages), f"embedding: {type(error).__name__}"
    return vectors, None


def usable(vector: Vector | None) -> bool:
    """A zero or non-finite vector is near to nothing and must not be compared."""
    return vector is not None and bool(np.isfinite(vector).all()) and bool(np.any(vector))


def as_literal(vector: Vector) -> str:
    """The vector as pgvector reads it. Nine digits give back the very same 32-bit number."""
    numbers = np.asarray(vector, dtype=np.float32).tolist()
    return _form(len(numbers)) % tuple(numbers)


@lru_cache(maxsize=16)
def _form(dimensions: int) -> str:
    return "[" + ",".join(["%.9g"] * dimensions) + "]"
