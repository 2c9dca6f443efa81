"""Embeddings from OpenAI or a compatible server, and the names of embedding spaces.

A space is a model and its dimensions, `text-embedding-3-small-1536`: two vectors may be compared
only if their space is the same. EMBEDDING_MODEL may say the dimensions (`nomic-embed-text@768`);
for the models that everybody knows it need not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memory.providers.errors import Misconfigured, TooLong, Unparseable
from memory.providers.openai_client import Deadline, Server
from memory.providers.pieces import tokens
from memory.providers.types import Vector
from memory.providers.vectors import unit_rows

KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1_536,
    "text-embedding-3-large": 3_072,
    "text-embedding-ada-002": 1_536,
}
LEAST, MOST = 64, 4_000  # the most that an HNSW index over halfvec takes
_SPACE = re.compile(r"(?P<model>.+)-(?P<dimensions>\d{2,5})")

TOKEN_LIMIT = 8_192  # of one text; OpenAI's, and no smaller model is refused by its own limit here
_REQUEST_TOKENS = 250_000  # the server's limit is 300,000 by its own count
_REQUEST_TEXTS = 512  # the server's limit is 2,048; smaller answers come in time


@dataclass(frozen=True)
class Space:
    """A model and its dimensions. Raises Misconfigured outside 64 to 4,000 dimensions."""

    model: str
    dimensions: int

    def __post_init__(self) -> None:
        if not LEAST <= self.dimensions <= MOST:
            raise Misconfigured(
                f"EMBEDDING_MODEL {self.model}: {self.dimensions} dimensions, {LEAST} to {MOST} "
                "are possible"
            )

    @property
    def name(self) -> str:
        return f"{self.model}-{self.dimensions}"


def space_of_setting(setting: str) -> Space:
    """The space that EMBEDDING_MODEL asks for: a known model's name, or `model@dimensions`."""
    model, at, dimensions = setting.rpartition("@")
    if at and dimensions.isascii() and dimensions.isdecimal() and model:
        return Space(model, int(dimensions))
    if setting in KNOWN_DIMENSIONS:
        return Space(setting, KNOWN_DIMENSIONS[setting])
    raise Misconfigured(
        f"EMBEDDING_MODEL {setting}: expected model@dimensions, such as {setting or 'model'}@768"
    )


def space_of_name(name: str) -> Space:
    """The space with this name, as it stands beside a stored vector."""
    match = _SPACE.fullmatch(name)
    if match is None:
        raise Misconfigured(f"no embedding space is called {name!r}")
    return Space(match["model"], int(match["dimensions"]))


class OpenAIEmbedder:
    """One embedding space at one server. Splits a call into requests that the server takes."""

    token_limit: int | None = TOKEN_LIMIT
    batch_limit = 2_048

    def __init__(self, space: Space, *, api_key: str, base_url: str | None = None) -> None:
        self.space = space.name
        self.dimensions = space.dimensions
        self._model = space.model
        self._server = Server(api_key=api_key, base_url=base_url)

    def close(self) -> None:
        self._server.close()

    def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
        """See `types.Embedder`. All requests of the call share the timeout.

        Raises TooLong before anything is sent if a text is over `token_limit`; Unparseable for
        vectors of a wrong size, zero or not finite.
        """
        deadline = Deadline(timeout)
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for places in _requests(texts):
            body: dict[str, Any] = {
                "model": self._model,
                "input": [texts[place] for place in places],
                "encoding_format": "float",
            }
            if self.dimensions != KNOWN_DIMENSIONS.get(self._model, self.dimensions):
                body["dimensions"] = self.dimensions
            answer = self._server.post("embeddings", body, deadline=deadline)
            vectors = unit_rows(
                _in_order(answer, len(places)), count=len(places), dimensions=self.dimensions
            )
            if not vectors.any(axis=1).all():
                raise Unparseable("a vector of zeros for a text that is not blank")
            rows[places] = vectors
        return rows


def _requests(texts: Sequence[str]) -> Iterator[list[int]]:
    """Places of the texts that are not blank, in groups that one request may hold."""
    group: list[int] = []
    size = 0
    groups: list[list[int]] = []
    for place, text in enumerate(texts):
        if not text.strip():
            continue
        count = tokens(text)
        if count > TOKEN_LIMIT:
            raise TooLong(
                f"text {place + 1} of {len(texts)}: {count} tokens, at most {TOKEN_LIMIT}"
            )
        if group and (size + count > _REQUEST_TOKENS or len(group) == _REQUEST_TEXTS):
            groups.append(group)
            group, size = [], 0
        group.append(place)
        size += count
    yield from (*groups, group) if group else groups


def _in_order(answer: dict[str, Any], count: int) -> list[Any]:
    data = answer.get("data")
    if not isinstance(data, list) or len(data) != count:
        raise Unparseable(f"{count} vectors expected")
    rows: list[Any] = [None] * count
    for position, item in enumerate(data):
        if not isinstance(item, dict):
            raise Unparseable("a vector without its frame")
        index = item.get("index", position)
        if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
            raise Unparseable("vectors with wrong numbers")
        rows[index] = item.get("embedding")
    return rows
