"""The language provider that needs no network and no model: rules, closed word lists, a score.

It reads English. See docs/observing.md for what it finds, what it misses and how it is measured.
"""

from collections.abc import Iterator, Sequence

from memory.providers.named import Entities
from memory.providers.offline import (
    answer,
    contradiction,
    extract,
    linking,
    observe,
    reconcile,
    tooling,
)
from memory.providers.offline.text import plain, stem, words
from memory.providers.types import (
    Call,
    ChatMessage,
    Compared,
    Comparison,
    Conflict,
    Decision,
    Exchange,
    Extracted,
    Function,
    Judged,
    Made,
    Notes,
    Observed,
    Question,
    Relevances,
    Transcript,
)

__all__ = ["OfflineLanguage"]


class OfflineLanguage:
    """Implements `Language`. Deterministic, stateless, and fast enough to ignore `timeout`."""

    made = Made(provider="offline", model="rules-1")

    def observe(self, transcript: Transcript, *, timeout: float) -> Observed:
        return Observed(observe.findings(transcript), self.made)

    def reconcile(self, question: Question, *, timeout: float) -> Decision:
        return reconcile.decide(question, self.made)

    def extract(self, exchange: Exchange, *, timeout: float) -> Extracted:
        return Extracted(extract.facts(exchange), self.made)

    def contradictions(self, comparison: Comparison, *, timeout: float) -> Compared:
        found = []
        for number, stored in enumerate(comparison.stored, start=1):
            relation = contradiction.compare(stored, comparison.text)
            if relation.severity:
                description = contradiction.described(relation, stored, comparison.text)
                found.append(Conflict(number, relation.severity, description))
        return Compared(found, self.made)

    def relevance(self, judged: Judged, *, timeout: float) -> Relevances:
        """The share of the question's words that a note has: an honest guess, no more."""
        wanted = _stems(judged.question)
        found = [len(wanted & _stems(text)) / max(len(wanted), 1) for text in judged.texts]
        return Relevances(found, self.made)

    def summary(self, notes: Notes, *, timeout: float) -> str:
        """The notes themselves: whoever wants less picks sentences (`memory.sharing.brief`)."""
        return "\n".join(f"- {note.text}" for note in notes.notes)

    def entities(self, texts: Sequence[str], *, timeout: float) -> Entities:
        return Entities([linking.named(text) for text in texts], self.made)

    def answer(self, messages: Sequence[ChatMessage], *, timeout: float) -> Iterator[str]:
        return answer.pieces(answer.reply(messages))

    def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        functions: Sequence[Function],
        may_call: bool,
        timeout: float,
    ) -> Iterator[str | Call]:
        """Calls `remember` by rule, when it is plainly asked to."""
        return tooling.converse(messages, functions=functions, may_call=may_call)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(plain(text))}
