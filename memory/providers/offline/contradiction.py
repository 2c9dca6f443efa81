"""Whether two statements contradict, restate or refine each other, in plain Python.

It is asked before anything is skipped as similar (duplicates, tombstones, confirmations), since
in a small embedding space "allergic" and "not allergic" are near twins. When it cannot tell it
says `unrelated`: a false alarm costs a person's time, a miss only costs a second row.
"""

from dataclasses import dataclass
from typing import Literal

from memory.providers.offline.claims import Claim, opposite, read

Kind = Literal["contradiction", "restatement", "refinement", "unrelated"]
Severity = Literal["high", "medium", "low"]

# one value at a time, whatever the value is
_EXCLUSIVE = {"lives", "named", "works as", "works at"}
_VALUE_SEVERITY: dict[str, Severity] = {"number": "medium", "time": "medium", "year": "medium"}


@dataclass(frozen=True)
class Relation:
    """How b stands to a. `severity` is set for contradictions only; `because` is for people."""

    kind: Kind
    severity: Severity | None = None
    because: str = ""

    @property
    def contradicts(self) -> bool:
        return self.kind == "contradiction"


def _contradiction(severity: Severity, because: str) -> Relation:
    return Relation("contradiction", severity, because)


def _same_subject(a: Claim, b: Claim) -> bool:
    if a.subject == b.subject:
        return True
    if not a.subject or not b.subject:
        return False
    nested = a.subject <= b.subject or b.subject <= a.subject  # deadline, project deadline
    return (nested and a.attribute and b.attribute) or _overlap(a.subject, b.subject) > 0.5


def _inside(small: frozenset[str], large: frozenset[str]) -> bool:
    return bool(small) and small <= large


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 1.0


def _other_values(a: Claim, b: Claim) -> str | None:
    """The first kind of value that both have and that has nothing in common."""
    for kind in a.values.keys() & b.values.keys():
        if not a.values[kind] & b.values[kind]:
            return kind
    return None


def compare(a: str, b: str) -> Relation:
    """How statement `b` stands to statement `a`. Symmetric but for which one refines."""
    return _compare(read(a), read(b))


def _compare(a: Claim, b: Claim) -> Relation:
    if not _same_subject(a, b) or not (a.topic or a.values) or not (b.topic or b.values):
        return Relation("unrelated", because="about different things")
    shared = a.topic & b.topic
    only_a, only_b = a.topic - b.topic, b.topic - a.topic
    kind = _other_values(a, b)
    if a.positive != b.positive:
        return _opposed(a, b, shared)
    pairs = [(x, y) for x in only_a for y in only_b if opposite(x, y)]
    if len(pairs) == 1 and _rest_same(a, b, *pairs[0]):
        return _contradiction("high", f"{pairs[0][0]} against {pairs[0][1]}")
    if a.relation == b.relation or _overlap(a.topic, b.topic) >= 0.5:
        found = _values_differ(a, b, kind, shared, only_a, only_b)
        if found:
            return found
    return _likeness(a, b, kind)


def _rest_same(a: Claim, b: Claim, x: str, y: str) -> bool:
    """Whether all but the contrary words is the same (or one side merely says more)."""
    rest_a, rest_b = a.topic - {x}, b.topic - {y}
    if a.relation != b.relation and not (rest_a & rest_b or (not rest_a | rest_b and a.subject)):
        return False
    if rest_a == rest_b:
        return bool(rest_a or a.subject or a.relation in {"is", "prefers", "likes"})
    return (_inside(rest_a, rest_b) or _inside(rest_b, rest_a)) and len(rest_a ^ rest_b) <= 2


def _opposed(a: Claim, b: Claim, shared: frozenset[str]) -> Relation:
    """One says yes, the other no: a contradiction if the no covers the yes."""
    yes, no = (a, b) if a.positive else (b, a)
    if a.relation != b.relation and not (
        {a.relation, b.relation} & {"likes", "has", "is"} or shared == a.topic == b.topic
    ):
        if not (len(shared) >= 2 and _inside(no.topic, yes.topic)):
            return Relation("unrelated", because="different relations")
    if a.relation != b.relation and "likes" in (a.relation, b.relation):
        return Relation("unrelated", because="different relations")
    if _other_values(a, b):
        return Relation("unrelated", because="about different values")
    if yes.topic == no.topic or _inside(no.topic, yes.topic):
        if len(yes.topic - no.topic) > 3:
            return Relation("unrelated", because="too far apart")
        return _contradiction("high" if yes.topic == no.topic else "medium", "one denies the other")
    if _inside(yes.topic, no.topic):
        extra = no.topic - yes.topic
        if len(extra) == 0:
            return _contradiction("high", "one denies the other")
        return Relation("refinement", because="an exception to the other")
    if shared and _overlap(a.topic, b.topic) >= 0.6:
        return _contradiction("low", "one seems to deny the other")
    return Relation("unrelated")


def _values_differ(
    a: Claim,
    b: Claim,
    kind: str | None,
    shared: frozenset[str],
    only_a: frozenset[str],
    only_b: frozenset[str],
) -> Relation | None:
    """Same subject and relation with another value."""
    event = (a.past or b.past) and not (a.once or b.once)
    if kind and not event:
        if kind == "weekday" and a.relation not in {"is", ""} and not (a.attribute or a.subject):
            return None  # what is done on Mondays may be done on Fridays as well
        close = a.topic == b.topic or (
            (_inside(a.topic, b.topic) or _inside(b.topic, a.topic)) and len(only_a | only_b) <= 2
        )
        if close and (a.topic or a.subject or a.relation in {"is", "has"}):
            return _contradiction(_VALUE_SEVERITY.get(kind, "high"), f"another {kind}")
        return None
    if kind or (event and a.relation not in _EXCLUSIVE):
        return None
    named = a.relation == "works as" or (only_a <= a.names and only_b <= b.names)
    alike = not shared or a.relation == "named"
    if (
        a.relation == b.relation
        and a.relation in _EXCLUSIVE
        and only_a
        and only_b
        and named
        and alike
    ):
        return _contradiction("high" if a.relation != "works as" else "medium", "another value")
    if (
        a.relation == b.relation == "prefers"
        and only_a
        and only_b
        and len(only_a) == len(only_b) == 1
    ):
        if shared or len(a.topic) == 1:
            return _contradiction("medium", "prefers something else")
    if (
        a.relation == b.relation == "is"
        and only_a
        and only_b
        and a.subject
        and not shared
        and (a.attribute or (only_a <= a.names and only_b <= b.names))
        and max(len(only_a), len(only_b)) <= 3
    ):
        return _contradiction("medium", "another value")
    if (
        a.relation == "prefers"
        and a.topic == b.topic
        and a.ordered != b.ordered
        and sorted(a.ordered) == sorted(b.ordered)
        and len(a.topic) == 2
    ):
        return _contradiction("high", "the other way round")
    return None


def _likeness(a: Claim, b: Claim, kind: str | None) -> Relation:
    values_a = {v for found in a.values.values() for v in found}
    values_b = {v for found in b.values.values() for v in found}
    if kind or (
        a.relation != b.relation and {a.relation, b.relation} & {"likes", "lives", "named"}
    ):
        return Relation("unrelated")
    if a.topic == b.topic and values_a == values_b:
        return Relation("restatement")
    if (_inside(a.topic, b.topic) or a.topic == b.topic) and values_a <= values_b:
        return Relation("refinement", because="the second says more")
    if (_inside(b.topic, a.topic) or a.topic == b.topic) and values_b <= values_a:
        return Relation("refinement", because="the first says more")
    if values_a == values_b and _overlap(a.topic, b.topic) >= 0.6:
        return Relation("restatement")
    return Relation("unrelated")
