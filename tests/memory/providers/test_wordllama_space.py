"""The offline space: the library's own vectors, without the library and without a network."""

import json
import socket
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from memory.providers.wordllama_space import WordLlamaEmbedder

TEXTS = [
    "I moved to Porto last year.",
    "  spaces   and\nlines\t",
    "花生过敏 🍣 ピーナッツ",
    "أنا أسكن في الرياض",
    "word " * 500,
    "x",
]


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_rows_equal_the_librarys(embedder: WordLlamaEmbedder) -> None:
    # In a process of its own: importing the library sets up logging for everybody.
    script = (
        "import json, sys, pathlib, wordllama\n"
        "folder = pathlib.Path(wordllama.__file__).parent\n"
        "wordllama.WordLlama.get_cache_dir = staticmethod(lambda is_tokenizer_config=False:"
        " folder / ('tokenizers' if is_tokenizer_config else 'weights'))\n"
        "model = wordllama.WordLlama.load(disable_download=True)\n"
        "print(json.dumps(model.embed(json.load(sys.stdin), norm=True).tolist()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(TEXTS), capture_output=True, text=True, check=True,
    )  # fmt: skip
    expected = np.array(json.loads(done.stdout), dtype=np.float32)
    assert np.allclose(embedder.embed(TEXTS, timeout=1), expected, atol=1e-5)


def test_rows_are_unit_float32_and_do_not_depend_on_the_batch(embedder: WordLlamaEmbedder) -> None:
    rows = embedder.embed(TEXTS, timeout=1)
    assert rows.shape == (len(TEXTS), 256)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(TEXTS, rows, strict=True):
        assert np.array_equal(embedder.embed([text], timeout=1)[0], row)


def test_blank_texts_have_no_vector(embedder: WordLlamaEmbedder) -> None:
    rows = embedder.embed(["", " \n\u00a0\u3000", "tea"], timeout=1)
    assert not rows[:2].any()
    assert rows[2].any()
    assert embedder.embed([], timeout=1).shape == (0, 256)


def test_one_form_of_an_accent(embedder: WordLlamaEmbedder) -> None:
    composed = "Favourite caf\u00e9 is Zo\u00eb's"
    rows = embedder.embed([composed, unicodedata.normalize("NFD", composed)], timeout=1)
    assert np.array_equal(rows[0], rows[1])


def test_meaning_is_near(embedder: WordLlamaEmbedder) -> None:
    rows = embedder.embed(
        ["My cat is called Pixel", "What is the name of your cat?", "Stock prices fell"], timeout=1
    )
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_a_lone_surrogate_and_a_very_long_text_get_a_vector(embedder: WordLlamaEmbedder) -> None:
    rows = embedder.embed(["tea \ud800", "花" * 60_000 + "my cat is called Pixel"], timeout=1)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_threads_load_it_once_and_nobody_asks_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    fresh = WordLlamaEmbedder()
    seen: list[object] = []

    def use() -> None:
        fresh.embed(["tea"], timeout=1)
        seen.append(fresh._loaded)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len({id(model) for model in seen}) == 1


def test_the_library_is_not_imported() -> None:
    script = (
        "import sys, django\n"
        "django.setup()\n"
        "from memory.providers.wordllama_space import WordLlamaEmbedder\n"
        "assert 'tokenizers' not in sys.modules\n"
        "WordLlamaEmbedder().embed(['tea'], timeout=1)\n"
        "assert 'wordllama' not in sys.modules\n"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", script], check=True, cwd=root)
