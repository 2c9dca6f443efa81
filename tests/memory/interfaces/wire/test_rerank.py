"""`rerank`: the model's judgement orders, and its failure changes nothing."""

import json

import pytest

from memory.providers import using
from memory.providers.errors import Unavailable
from tests.fakes import ScriptedLanguage
from tests.memory.interfaces.wire.conftest import Wire

TEXTS = [f"The deadline of project {name} is Friday." for name in ("alpha", "beta", "gamma")]


@pytest.fixture
def filled(wire: Wire) -> Wire:
    for text in TEXTS:
        wire.write(text, scope="team")
    return wire


def scored(*scores: float) -> str:
    return json.dumps(
        {"relevances": [{"number": n, "relevance": s} for n, s in enumerate(scores, start=1)]}
    )


def test_the_models_order_is_the_answers(filled: Wire) -> None:
    plain = filled.search("project deadline", topK=3)
    with using(language=ScriptedLanguage(scored(0.1, 0.2, 0.9))):
        hits = filled.search("project deadline", topK=2, rerank=True)
    assert [hit["id"] for hit in hits] == [plain[2]["id"], plain[1]["id"]]
    assert [hit["relevance_score"] for hit in hits] == [0.9, 0.2]
    assert {hit["score"] for hit in hits} <= {hit["score"] for hit in plain}


@pytest.mark.parametrize("reply", [Unavailable("down"), "no idea", scored(0.5)])
def test_without_the_models_word_the_order_stands(filled: Wire, reply: object) -> None:
    plain = filled.search("project deadline", topK=2)
    with using(language=ScriptedLanguage(reply)):  # type: ignore[arg-type]
        hits = filled.search("project deadline", topK=2, rerank=True)
    assert [hit["id"] for hit in hits] == [hit["id"] for hit in plain]
    assert [hit["relevance_score"] for hit in hits] == [None, None]


def test_offline_a_number_too(filled: Wire) -> None:
    hits = filled.search("project alpha deadline", topK=3, rerank=True)
    assert hits[0]["content"] == TEXTS[0]
    assert all(0 <= hit["relevance_score"] <= 1 for hit in hits)


def test_nothing_found_is_nothing_judged(filled: Wire) -> None:
    with using(language=ScriptedLanguage()):
        assert filled.search("velvet submarine parking lottery", rerank=True) == []
