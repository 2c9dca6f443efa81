"""Whether two statements contradict, restate or refine each other, in plain Python.

It is asked before anything is skipped as similar (duplicates, tombstones, confirmations), since
in a small embedding space "allergic" and "not allergic" are near twins. When it cannot tell it
says `unrelated`: a false alarm costs a person's time, a miss only costs a second row.
"""

from dataclasses import replace

from memory.providers.offline import notes, personal
from memory.providers.offline.relation import Relation
from memory.providers.offline.text import plain, sentences

__all__ = ["Relation", "clipped", "compare", "described"]

SENTENCES = 8  # of one text that are compared; a note says its thing early
LENGTH = 4_000  # characters of it
_RANK = {"high": 0, "medium": 1, "low": 2}
_SHOWN = 120  # characters of a text in a description


def compare(a: str, b: str) -> Relation:
    """How text `b` stands to text `a`. Symmetric but for which one refines.

    Contradictions are looked for between the first sentences of both, likeness between the whole.
    """
    a, b = a.strip(), b.strip()
    if a.casefold() == b.casefold():
        return Relation("restatement")
    ones, others = _sentences(a), _sentences(b)
    found = [_compared(one, other) for one in ones for other in others]
    contrary = [relation for relation in found if relation.contradicts]
    if contrary:
        return min(contrary, key=lambda relation: _RANK[relation.severity or "low"])
    if not (_is_all(ones, a) and _is_all(others, b)):
        return Relation("unrelated", because="longer than what is compared")
    if len(found) == 1:
        return found[0]
    whole = personal.compare(" ".join(ones), " ".join(others))
    return Relation("unrelated") if whole.contradicts else whole


def _sentences(text: str) -> list[str]:
    return [" ".join(one.text.split()) for one in sentences(text[:LENGTH])[:SENTENCES]]


def _is_all(read: list[str], text: str) -> bool:
    """Whether the sentences are all that the text says; else it is nobody's repetition."""
    return "".join(read).replace(" ", "") == "".join(plain(text).split())


def _compared(a: str, b: str) -> Relation:
    """One sentence to one: as notes of any kind, then by what is known of people."""
    if a.casefold() == b.casefold():
        return Relation("restatement")
    verdict = notes.judge(a, b)
    if verdict.severity:
        one, other = verdict.says
        return Relation("contradiction", verdict.severity, f"{one} against {other}", verdict.says)
    relation = personal.compare(a, b)
    if relation.contradicts and not personal.about_people(a, b):
        if verdict.apart:
            return Relation("unrelated", because="about different things")
        if relation.severity == "high":
            return replace(relation, severity="medium")
    return relation


def described(relation: Relation, a: str, b: str) -> str:
    """One sentence for a person that names what both say."""
    one, other = relation.says
    if not one or not other:
        return f"`{clipped(b)}` contradicts `{clipped(a)}` ({relation.because})"
    return f"`{clipped(b)}` says {other} where `{clipped(a)}` says {one}"


def clipped(text: str) -> str:
    """The text on one line, shortened for a description."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
