"""Set two assertions against each other: the same subject and relation, another value.

First what rules a contradiction out (asked, supposed, another time, subject or scope), then what
makes one: a denial, contrary states, values of one sort that exclude each other, another holder
or place of something that has one.
"""

from dataclasses import dataclass

from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.contrary import Severity, contrary
from memory.providers.offline.notes.reading import Assertion, read
from memory.providers.offline.notes.scopes import beyond, narrower

_RANK = {"high": 0, "medium": 1, "low": 2}
_WEAKER: dict[Severity, Severity] = {"high": "medium", "medium": "low", "low": "low"}


@dataclass(frozen=True)
class Verdict:
    """`apart`: they speak of different things, so nothing contradicts. `severity` None: neither
    apart nor contrary. `says`: what each says, of a contradiction."""

    apart: bool = False
    severity: Severity | None = None
    says: tuple[str, str] = ("", "")


_APART = Verdict(apart=True)
_NOTHING = Verdict()


def judge(one: str, other: str) -> Verdict:
    """How two sentences stand. Symmetric but for the order of `says`."""
    verdicts = [_judge(a, b) for a in read(one) for b in read(other)]
    found = [verdict for verdict in verdicts if verdict.severity]
    if found:
        return min(found, key=lambda verdict: _RANK[verdict.severity or "low"])
    return _APART if all(verdict.apart for verdict in verdicts) else _NOTHING


def _judge(a: Assertion, b: Assertion) -> Verdict:
    if "?" in a.open | b.open or a.open != b.open or a.when != b.when or a.past != b.past:
        return _APART
    if a.able != b.able and "is" in {a.relation, b.relation}:
        return _APART  # what can be paid need not be paid
    grade = _subjects(a, b)
    if grade is None:
        return _NOTHING if a.subject & b.subject else _APART
    scope = narrower(a, b)
    if scope is None:
        return _APART
    if a.positive != b.positive:
        if beyond(*((a, b) if a.positive else (b, a))):
            return _NOTHING
        scope = False  # the no covers the narrower yes
    found = contrary(a, b)
    if found is None:
        return _NOTHING
    severity, says = found
    for weaker in (grade, scope):
        if weaker:
            severity = _WEAKER[severity]
    return Verdict(severity=severity, says=says)


def _subjects(a: Assertion, b: Assertion) -> bool | None:
    """None: different subjects. True: probably the same, one says more of it. False: the same."""
    if a.subject == b.subject:
        return False
    if not a.positive and a.everyone and a.relation == b.relation:
        return False  # nobody does, so this one does not
    if not b.positive and b.everyone and a.relation == b.relation:
        return False
    if (a.everyone and b.only) or (b.everyone and a.only):
        return False
    if not a.subject or not b.subject:
        return None
    more = a.subject ^ b.subject
    nested = a.subject < b.subject or b.subject < a.subject
    if nested and more <= vocabulary.SOFT:
        return False
    if nested and len(more) <= 2 and a.head == b.head and not any(" " in s for s in more):
        return True
    return None
