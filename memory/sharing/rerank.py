"""The best hits judged once more, by the language model: how relevant is each to the question.

A model that fails changes nothing: the order by rank stands, and no hit has a relevance.
"""

import logging
from dataclasses import dataclass, replace

from memory.providers import language_for
from memory.providers.errors import ProviderError
from memory.providers.types import Judged
from memory.sharing.search import RERANKED, Asked, FoundMemory, search

log = logging.getLogger(__name__)

RERANK_SECONDS = 15.0


@dataclass(frozen=True)
class Reranked:
    """`relevance` in 0…1, or None when it could not be judged."""

    found: FoundMemory
    relevance: float | None


def rerank(asked: Asked, *, tenant_id: int) -> list[Reranked]:
    """Search three times as many (30 at most), judge them, and give back as many as asked for."""
    wider = replace(asked, limit=max(asked.limit, min(3 * asked.limit, RERANKED)))
    hits = search(wider, tenant_id=tenant_id)
    judged = hits[:RERANKED]
    if not judged:
        return []
    question = Judged(asked.query.message, [each.text for each in judged])
    try:
        scores = language_for().relevance(question, timeout=RERANK_SECONDS)
    except ProviderError as error:
        log.warning("rerank: the model gave no answer (%s)", error.name)
        return [Reranked(each, None) for each in hits[: asked.limit]]
    ordered = [Reranked(each, score) for each, score in zip(judged, scores.scores, strict=True)]
    ordered.sort(key=lambda each: (-(each.relevance or 0.0), each.found.hit.rank))
    return ordered[: asked.limit]
