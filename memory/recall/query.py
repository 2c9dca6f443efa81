"""A message as recall asks with it: its terms and, if a provider gave one, its vector."""

import logging
import time
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
    `side` is whom alone the message names, `about` what a memory about them begins with; `time` is
    what the message says of time."""

    message: str
    space: str
    vector: Vector | None = None
    terms: tuple[str, ...] = ()
    failed: str | None = None
    embed_ms: float = 0.0
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
    vector, failed = _embedded(names.without(message), space, timeout)
    side = names.named(message)
    return Query(
        message=message,
        space=space,
        vector=vector,
        terms=tuple(asked(message)),
        failed=failed,
        embed_ms=(time.perf_counter() - started) * 1000,
        side=side,
        about=names.beginnings(side) if side else (),
        time=AskedTime.of(message),
    )


def _embedded(message: str, space: str, timeout: float) -> tuple[Vector | None, str | None]:
    try:
        embedder = providers.embedder_for(space)
        # A longer message asks with its beginning: one vector, one meaning.
        parts = pieces(message, embedder.token_limit)
        if not parts:
            return None, None
        vector = embedder.embed(parts[:1], timeout=timeout)[0]
    except ProviderError as error:
        logger.warning("recall: no vector in %s: %s", space, error.name)
        return None, f"embedding: {error.name}"
    except Exception as error:  # whatever a provider does, the chat goes on
        logger.warning("recall: no vector in %s: %s", space, places(error))
        return None, f"embedding: {type(error).__name__}"
    return (vector if usable(vector) else None), None


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
