"""The offline embedding space: the wordllama model that its wheel brings, read without its code.

The package is neither imported nor asked for its files: its own look-up misses the bundled
tokenizer and goes to the network, and importing it sets up logging. The vector of a text is the
mean of its tokens' vectors, as the library computes it (a test compares the two).
"""

import importlib.util
import os
import threading
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from memory.providers.errors import Misconfigured
from memory.providers.types import Vector
from memory.providers.vectors import unit_rows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SPACE = "wordllama-256"
_DIMENSIONS = 256
_ROWS_AT_ONCE = 8_192  # token vectors gathered at once: 8 MB
_LOADING = threading.Lock()


class WordLlamaEmbedder:
    """256 dimensions, no network. Loads at first use, in any thread (50 ms, 50 MB).

    Any length is taken; `token_limit` is where a mean over the words begins to say nothing.
    """

    space = SPACE
    dimensions = _DIMENSIONS
    token_limit: int | None = 1_024
    batch_limit = 1_024

    def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
        """See `types.Embedder`. The timeout is of no use here: nothing waits."""
        tokenizer, table = self._model
        sums = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        # A blank text has tokens, too, but they say nothing.
        known = [place for place, text in enumerate(texts) if text.strip()]
        batch = tokenizer.encode_batch_fast(
            [_composed(texts[place]) for place in known], add_special_tokens=False
        )
        for place, encoding in zip(known, batch, strict=True):
            ids = np.asarray(encoding.ids, dtype=np.intp)
            for start in range(0, len(ids), _ROWS_AT_ONCE):
                part = table[ids[start : start + _ROWS_AT_ONCE]]
                sums[place] += part.sum(axis=0, dtype=np.float32)
            sums[place] /= max(len(ids), 1)
        return unit_rows(sums, count=len(texts), dimensions=_DIMENSIONS)

    @property
    def _model(self) -> "tuple[Tokenizer, npt.NDArray[np.float16]]":
        with _LOADING:  # cached_property is not locked: two threads would both load
            return self._loaded

    @cached_property
    def _loaded(self) -> "tuple[Tokenizer, npt.NDArray[np.float16]]":
        # A worker forks; the tokenizer's own threads do not survive that and would warn.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from safetensors import safe_open
        from tokenizers import Tokenizer

        folder = _folder()
        tokenizer = Tokenizer.from_file(
            str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
        )
        tokenizer.no_padding()
        tokenizer.no_truncation()
        weights = folder / "weights" / f"l2_supercat_{_DIMENSIONS}.safetensors"
        with safe_open(str(weights), framework="np") as file:
            table = file.get_tensor("embedding.weight")
        return tokenizer, table


def _composed(text: str) -> str:
    """One form for the tokenizer, which gives other tokens to `e` + accent than to the letter."""
    return unicodedata.normalize("NFC", text.encode(errors="replace").decode())


def _folder() -> Path:
    spec = importlib.util.find_spec("wordllama")  # finds, does not import
    if spec is None or spec.origin is None:
        raise Misconfigured("EMBEDDING_MODEL wordllama-256 needs the package wordllama")
    return Path(spec.origin).parent
