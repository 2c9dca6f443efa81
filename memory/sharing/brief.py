"""A brief without a model: the sentences that say most of what the notes are about, in order.

A word weighs by how many notes have it; a sentence by its words. What a chosen sentence has said
weighs half from then on, so that the brief moves on. A sentence whose words are all in another one
is left out, unless it contradicts it. Nothing is rewritten.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p, sqrt

from memory.conflicts import Candidate, check_offline
from memory.providers.types import Note
from memory.recall.terms import terms

SENTENCES = 12
LONGEST = 600  # characters of a sentence that is shown; the rest is cut
_END = re.compile(r"(?<=[.!?…])[\"'”)\]]*\s+|(?<=[。！？])|[\r\n]+")
_MARKUP = re.compile(r"^[\s#>*+\-–—•]+|\s+")
_TITLES = {
    "planner": "Goals and decisions",
    "executor": "Work done",
    "observer": "Observations",
    "": "Notes",
}


@dataclass(frozen=True)
class _Said:
    place: int
    note: Note
    text: str
    words: frozenset[str]


def brief(notes: Sequence[Note], *, most: int = SENTENCES) -> str:
    """Markdown, the chosen sentences under their writers' roles; "" when the notes say nothing."""
    chosen = sorted(_chosen(_sentences(notes), most), key=lambda each: each.place)
    parts = []
    for role, title in _TITLES.items():
        lines = [f"- {each.text} ({each.note.writer})" for each in chosen if each.note.role == role]
        if lines:
            parts.append("\n".join([f"## {title}", "", *lines]))
    return "\n\n".join(parts)


def _sentences(notes: Sequence[Note]) -> list[_Said]:
    found: list[_Said] = []
    for note in notes:
        for part in _END.split(note.text):
            line = _MARKUP.sub(" ", part).strip()
            words = frozenset(terms(line))
            if words:
                line = line if len(line) <= LONGEST else line[:LONGEST].rstrip() + "…"
                found.append(_Said(len(found), note, line, words))
    return found


def _chosen(said: Sequence[_Said], most: int) -> list[_Said]:
    weights = {word: log1p(count) for word, count in _spread(said).items()}
    left = list(said)
    chosen: list[_Said] = []
    while left and len(chosen) < most:
        best = max(left, key=lambda each: (_worth(each, weights), each.place))
        left.remove(best)
        if any(_says(other, best) for other in chosen):
            continue
        chosen = [other for other in chosen if not _says(best, other)] + [best]
        for word in best.words:
            weights[word] /= 2
    return chosen


def _spread(said: Sequence[_Said]) -> Counter[str]:
    """In how many notes each word stands."""
    notes: dict[int, set[str]] = {}
    for each in said:
        notes.setdefault(id(each.note), set()).update(each.words)
    return Counter(word for words in notes.values() for word in words)


def _worth(said: _Said, weights: dict[str, float]) -> float:
    """Of two sentences about the same the later one counts: `place` decides among equals."""
    return sum(weights[word] for word in said.words) / sqrt(len(said.words))


def _says(one: _Said, other: _Said) -> bool:
    """Does `one` say all that `other` says?"""
    if not other.words <= one.words:
        return False
    return not check_offline(one.text, [Candidate(other.place, other.text)])
