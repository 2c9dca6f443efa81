"""What is known of people and the words that they use: likes, homes, work, and what follows.

Compares claims (`claims.read`); notes of other kinds are read by `notes`.
"""

import re

from memory.providers.offline import claim_words as vocabulary
from memory.providers.offline.claims import Claim, opposite, read
from memory.providers.offline.relation import Relation, Severity
from memory.providers.offline.text import stem

# one value at a time, whatever the value is
_EXCLUSIVE = {"lives", "named", "works as", "works at"}
_ONE_PLACE = {"run", "host", "held", "locat", "belong", "report", "take"}
_PASSIVE = {"written", "built", "made", "base", "locat", "host", "held", "led", "own", "manag"}
_IN_A_LANGUAGE = {"want", "prefers", "is", "send", "answer", "write", "need"}
_ROLES = {"mother", "father", "parent", "mom", "dad", "friend", "fan", "good", "great", "nice"}
_SOMETIMES = re.compile(r"\b(?:for|when|at|on|in|with|during|if)\b")
_VALUE_SEVERITY: dict[str, Severity] = {"number": "medium", "time": "medium", "year": "medium"}
_PERSON = re.compile(r"\s*(?:the )?(?:user|customer|client)\b", re.IGNORECASE)


def compare(a: str, b: str) -> Relation:
    """How b stands to a by these rules."""
    relation = _compare(read(a), read(b))
    if relation.kind in {"contradiction", "restatement"}:
        return relation
    for one, other in ((a, b), (b, a)):
        for implied in _implied(one):
            if _compare(read(implied), read(other)).contradicts:
                return _contradiction("medium", f"the other means: {implied}")
    return relation


def about_people(a: str, b: str) -> bool:
    known = [bool(_PERSON.match(text)) for text in (a, b)]
    return all(known) or (any(known) and not read(a).subject and not read(b).subject)


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


def _implied(text: str) -> list[str]:
    """What a statement says besides its words: a vegetarian does not eat meat."""
    return [p.sub(more, text) for p, more in vocabulary.IMPLIED if p.search(text)]


def _compare(a: Claim, b: Claim) -> Relation:
    if not _same_subject(a, b):
        if _one_holder(a, b):
            return _contradiction("medium", "one holder at a time")
        return Relation("unrelated", because="about different things")
    if a.positive != b.positive:
        return _opposed(a, b)
    if not (a.topic or a.values) or not (b.topic or b.values):
        return Relation("unrelated")
    if a.rather and b.rather and a.rather == b.rather[::-1] and a.rather[0] != a.rather[1]:
        return _contradiction("high", "the other way round")
    only_a, only_b = a.topic - b.topic, b.topic - a.topic
    pairs = [(x, y) for x in only_a for y in only_b if opposite(x, y)]
    if len(pairs) == 1 and _rest_same(a, b, *pairs[0]) and not _other_values(a, b):
        return _contradiction("high", f"{pairs[0][0]} against {pairs[0][1]}")
    kind = _other_values(a, b)
    if a.relation == b.relation or _overlap(a.topic, b.topic) >= 0.5:
        found = _values_differ(a, b, kind) if kind else _names_differ(a, b, only_a, only_b)
        if found:
            return found
    return _likeness(a, b, kind)


def _one_holder(a: Claim, b: Claim) -> bool:
    """ "Bob is the manager", "Carol is the manager": one definite role, two names."""
    named = a.subject <= a.names | _starts(a) and b.subject <= b.names | _starts(b)
    the = a.frame == b.frame == "the"
    return the and named and bool(a.topic) and a.topic == b.topic and a.positive and b.positive


def _starts(claim: Claim) -> frozenset[str]:
    """The first word of the text if it may be a name (it is not "The")."""
    word = claim.text.partition(" ")[0]
    return frozenset({stem(word)} if word[:1].isupper() and word not in {"The", "A"} else ())


def _rest_same(a: Claim, b: Claim, x: str, y: str) -> bool:
    """Whether all but the contrary words is the same (or one side merely says more)."""
    rest_a, rest_b = a.topic - {x}, b.topic - {y}
    if a.relation != b.relation and {a.relation, b.relation} != {x, y}:
        return False
    if a.relation != b.relation and not (rest_a & rest_b or (not rest_a | rest_b and a.subject)):
        return False
    if rest_a == rest_b:
        return bool(rest_a or a.subject) or a.relation not in {"likes", "has", ""}
    return (rest_a < rest_b or rest_b < rest_a) and len(rest_a ^ rest_b) <= 2


def _opposed(a: Claim, b: Claim) -> Relation:
    """One says yes, the other no: a contradiction if the no covers the yes."""
    yes, no = (a, b) if a.positive else (b, a)
    works = yes.relation.startswith("works") and no.relation.startswith("works")
    if works and not no.topic:
        return _contradiction("high", "one denies the other")
    if not yes.topic or not no.topic:
        return _bare(yes, no)
    if _other_values(a, b) or any(opposite(x, y) for x in a.topic for y in b.topic):
        return Relation("unrelated", because="about different values")
    general = yes.topic | {vocabulary.GENERAL[w] for w in yes.topic if w in vocabulary.GENERAL}
    covered = no.topic <= yes.topic
    extra = no.topic - general
    if not covered and len(extra) <= 1 and no.topic & (general - yes.topic):
        return _contradiction("medium", "one denies what the other gives an example of")
    if not _may_deny(yes, no):
        return Relation("unrelated", because="different relations")
    if covered:
        if len(yes.topic - no.topic) > 3:
            return Relation("unrelated", because="too far apart")
        return _contradiction("high" if yes.topic == no.topic else "medium", "one denies the other")
    if yes.topic < no.topic:
        return Relation("refinement", because="an exception to the other")
    if _overlap(a.topic, b.topic) >= 0.6:
        return _contradiction("low", "one seems to deny the other")
    return Relation("unrelated")


def _bare(yes: Claim, no: Claim) -> Relation:
    """Statements of nothing but a subject and a verb ("The order has not shipped")."""
    same = yes.topic == no.topic and yes.values == no.values
    if yes.relation == no.relation and same and (yes.subject or yes.values):
        return _contradiction("high", "one denies the other")
    return Relation("unrelated")


def _may_deny(yes: Claim, no: Claim) -> bool:
    """Whether two relations are near enough for one to deny the other."""
    if yes.relation == no.relation or not no.relation:
        return True
    if "likes" in (yes.relation, no.relation):
        return False
    if {yes.relation, no.relation} & {"has", "is"} or yes.topic == no.topic:
        return len(no.topic) > 1 or yes.topic == no.topic or yes.relation in no.topic
    return len(no.topic) >= 2 and no.topic <= yes.topic


def _values_differ(a: Claim, b: Claim, kind: str) -> Relation | None:
    """The same said with another number, day, colour ..."""
    if (a.past or b.past) and not (a.once or b.once):
        return None  # what happened once may have happened twice
    if kind == "language" and a.relation not in _IN_A_LANGUAGE:
        return None  # one may speak two, and like the food of both
    single = bool(a.attribute or a.subject)
    if kind == "weekday" and a.relation not in {"is", ""} and not single:
        return None  # what is done on Mondays may be done on Fridays as well
    others = [k for k in a.values.keys() & b.values.keys() if not a.values[k] & b.values[k]]
    if len(others) > 1 and not (single or a.once or a.relation == "is"):
        return None
    close = a.topic == b.topic or (
        (a.topic < b.topic or b.topic < a.topic) and len(a.topic ^ b.topic) <= 2
    )
    if close and (a.topic or a.subject or a.relation in {"is", "has"}):
        return _contradiction(_VALUE_SEVERITY.get(kind, "high"), f"another {kind}")
    return None


def _names_differ(
    a: Claim, b: Claim, only_a: frozenset[str], only_b: frozenset[str]
) -> Relation | None:
    """The same said with another word, where only one can hold."""
    if a.relation != b.relation or not only_a or not only_b:
        return None
    shared = a.topic & b.topic
    proper = only_a <= a.names and only_b <= b.names
    if a.once and b.once and proper:
        return _contradiction("high", "another value")
    if (a.past or b.past) and a.relation not in _EXCLUSIVE:
        return None
    if a.relation in _EXCLUSIVE and (proper or a.relation == "works as"):
        if not shared or a.relation == "named":
            severity: Severity = "medium" if a.relation == "works as" else "high"
            return _contradiction(severity, "another value")
        return None
    if a.relation == "works" and proper and " in " in a.text and " in " in b.text:
        return _contradiction("medium", "another value")
    whole = not shared and max(len(only_a), len(only_b)) == 2 and not _SOMETIMES.search(a.text)
    if a.relation == "prefers" and (len(only_a) == len(only_b) == 1 or whole):
        return _contradiction("medium", "prefers something else")
    short = max(len(only_a), len(only_b)) <= 3
    if a.relation == "is" and a.subject and proper and shared <= _PASSIVE and short:
        return _contradiction("medium", "another value")
    framed = a.relation == "is" and a.subject and a.frame and a.frame == b.frame and not shared
    few = max(len(only_a), len(only_b)) <= 2
    if framed and few and not (only_a | only_b) & _ROLES:
        return _contradiction("low", "another value")
    if a.relation == "is" and a.attribute and not shared and short:
        return _contradiction("medium", "another value")
    if a.relation in _ONE_PLACE and a.subject and proper:
        return _contradiction("medium", "another value")
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
