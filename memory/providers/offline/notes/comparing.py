"""Set two assertions against each other: the same subject and relation, another value.

First what rules a contradiction out (asked, supposed, another time, subject or scope), then what
makes one: a denial, contrary states, values of one sort that exclude each other, another holder
or place of something that has one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.providers.offline import claims
from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.reading import Assertion, Chunk, read
from memory.providers.offline.notes.values import Value

Severity = Literal["high", "medium", "low"]
_WEAKER: dict[Severity, Severity] = {"high": "medium", "medium": "low", "low": "low"}
_TEMPORAL = frozenset("on until since before after during when".split())


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
    a, b = read(one), read(other)
    if "?" in a.open | b.open or a.open != b.open or a.when != b.when or a.past != b.past:
        return _APART
    grade = _subjects(a, b)
    if grade is None:
        return _NOTHING if a.subject & b.subject else _APART
    scope = _scopes(a, b)
    if scope is None:
        return _APART
    if a.positive != b.positive and _beyond(*((a, b) if a.positive else (b, a))):
        return _NOTHING
    found = _contrary(a, b)
    if found is None:
        return _NOTHING
    severity, says = found
    for weaker in (grade, scope):
        if weaker:
            severity = _WEAKER[severity]
    return Verdict(severity=severity, says=says)


# --- what they speak of ------------------------------------------------------------------------


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


def _own(chunk: Chunk, assertion: Assertion) -> bool:
    """Whether a chunk holds what is said of the subject; else it says where, when, for whom."""
    first = assertion.chunks[0] if assertion.chunks else None
    if not chunk.prep or (assertion.relation == "prefer" and chunk.prep in {"over", "to", "than"}):
        return True
    if chunk is first:
        return not _state(assertion.chunks)
    if assertion.exclusive and chunk is assertion.chunks[-1]:
        return True
    participle = _participle(assertion)
    if participle in vocabulary.ONCE:
        return chunk.dated or chunk.prep == "at"
    if chunk.dated:
        return _scheduled(assertion)
    if participle and chunk is assertion.chunks[1] and chunk.prep in {"at", "with"}:
        return participle not in vocabulary.STATES
    if first and first.prep == chunk.prep == "at" and assertion.relation in vocabulary.UNIQUE_PLACE:
        return True
    return any(value.sort == "quantity" for value in chunk.values)


def _participle(assertion: Assertion) -> str:
    """ "written" of "is written in Go", else ""."""
    first = assertion.chunks[0] if len(assertion.chunks) > 1 else None
    if first is None or first.prep or assertion.relation != "is" or len(first.stems) != 1:
        return ""
    (word,) = first.lows
    return next(iter(first.stems)) if word.endswith(("ed", "en", "born", "built", "made")) else ""


def _scheduled(assertion: Assertion) -> bool:
    """Whether a date or an hour is what is said, not when it holds."""
    if assertion.event or assertion.relation not in vocabulary.SCHEDULED:
        return False
    return assertion.relation != "is" or not any(
        chunk.stems - vocabulary.FREQUENT and not chunk.dated
        for chunk in assertion.chunks
        if not chunk.prep
    )


def _state(chunks: Sequence[Chunk]) -> bool:
    return bool(chunks) and bool(chunks[0].stems & vocabulary.STATES.keys()) and not chunks[0].prep


def _scopes(a: Assertion, b: Assertion) -> bool | None:
    """None: they hold in different places, times, cases. True: one is narrower. False: alike."""
    mine = [*a.scope, *(c for c in a.chunks if not _own(c, a))]
    theirs = [*b.scope, *(c for c in b.chunks if not _own(c, b))]
    narrower = False
    for sort in {_sort(c) for c in (*mine, *theirs)}:
        one, other = _content(mine, sort), _content(theirs, sort)
        if one and other and not (one <= other or other <= one):
            return None
        narrower = narrower or one != other
    return narrower


def _beyond(yes: Assertion, no: Assertion) -> bool:
    """Whether the no is narrower: not happy with the landlord, but happy."""
    mine = [*yes.scope, *(c for c in yes.chunks if not _own(c, yes))]
    theirs = [*no.scope, *(c for c in no.chunks if not _own(c, no))]
    return any(not _content(theirs, _sort(c)) <= _content(mine, _sort(c)) for c in theirs)


def _sort(chunk: Chunk) -> str:
    if chunk.dated or (chunk.prep in {"on", "until", "since", "during"} and not chunk.proper):
        return "when" if chunk.dated else chunk.prep
    return chunk.prep


def _content(chunks: list[Chunk], sort: str) -> frozenset[str]:
    found: set[str] = set()
    for chunk in chunks:
        if _sort(chunk) == sort:
            found |= chunk.stems | {repr(value) for value in chunk.values}
    return frozenset(found)


# --- what they say of it -----------------------------------------------------------------------

_Found = tuple[Severity, tuple[str, str]]


def _contrary(a: Assertion, b: Assertion) -> _Found | None:
    if a.only != b.only and a.everyone != b.everyone and a.relation == b.relation:
        return ("high", ("only some", "everyone")) if _alike(a, b) else None
    if a.positive != b.positive:
        return _denied(a, b)
    if not a.positive:
        return None
    if a.relation != b.relation:
        if claims.opposite(a.relation, b.relation) and _alike(a, b):
            return "high", (a.relation, b.relation)
        return None
    return _states(a, b) or _values(a, b) or _names(a, b)


def _mine(assertion: Assertion) -> list[Chunk]:
    return [chunk for chunk in assertion.chunks if _own(chunk, assertion)]


def _stems(assertion: Assertion) -> frozenset[str]:
    return frozenset().union(*(chunk.stems for chunk in _mine(assertion)))


def _quantities(assertion: Assertion) -> list[Value]:
    return [value for chunk in _mine(assertion) for value in chunk.values]


def _alike(a: Assertion, b: Assertion) -> bool:
    return _stems(a) == _stems(b) and not any(_clashes(a, b))


def _denied(a: Assertion, b: Assertion) -> _Found | None:
    """One says yes, the other no. The no must not be more exact than the yes."""
    yes, no = (a, b) if a.positive else (b, a)
    if yes.relation != no.relation and not (yes.imperative and no.imperative):
        return None
    said, denied = _stems(yes), _stems(no)
    counted = [v for v in _quantities(yes) if v.sort == "quantity"]
    units = {u for v in counted for u in getattr(v, "unit", "").split()}
    if any(_clashes(a, b)) or any(
        claims.opposite(x, y) or _opposed(x, y) for x in said for y in denied
    ):
        return None
    if not denied <= said | units or (not denied and said):
        return None
    if not denied and not said and not yes.subject:
        return None
    extra = len((said | units) - denied)
    says = _shown(yes), "not " + _shown(no)
    says = says if yes is a else says[::-1]
    return ("high" if extra <= 1 or not said - denied else "medium"), says


def _opposed(x: str, y: str) -> bool:
    return x != y and any(
        number == other and pole != other_pole
        for number, pole in vocabulary.STATES.get(x, ())
        for other, other_pole in vocabulary.STATES.get(y, ())
    )


def _same_pole(x: str, y: str) -> bool:
    return any(pair in vocabulary.STATES.get(y, ()) for pair in vocabulary.STATES.get(x, ()))


def _states(a: Assertion, b: Assertion) -> _Found | None:
    """Contrary states, the rest being the same: open and closed, paid and unpaid."""
    mine, theirs = _stems(a), _stems(b)
    for x in sorted(mine - theirs):
        for y in sorted(theirs - mine):
            if _same_pole(x, y) or not (_opposed(x, y) or claims.opposite(x, y)):
                continue
            one, other = mine - {x}, theirs - {y}
            if one == other or ((one < other or other < one) and len(one ^ other) <= 2):
                if a.relation not in {"is"} and not (one | other or a.definite):
                    continue
                return ("high" if one == other or a.relation == "is" else "medium"), (x, y)
    return None


def _clashes(a: Assertion, b: Assertion) -> Iterator[tuple[Value, Value]]:
    """Values of one sort of which none agrees with any of the other side."""
    for sort in ("quantity", "date", "clock", "numbered"):
        one = [v for v in _quantities(a) if v.sort == sort]
        other = [v for v in _quantities(b) if v.sort == sort]
        answers = [(x, y, x.clash(y)) for x in one for y in other]
        known = [(x, y) for x, y, clash in answers if clash]
        if known and not any(clash is False for *_, clash in answers):
            yield known[0]


def _values(a: Assertion, b: Assertion) -> _Found | None:
    clashes = list(_clashes(a, b))
    if not clashes:
        return None
    one, other = _stems(a), _stems(b)
    if not (one <= other or other <= one) or len(one ^ other) > 2:
        return None
    sorts = {x.sort for x, _ in clashes}
    if a.event and _participle(a) not in vocabulary.ONCE:
        return None
    decided = (a.decided and b.decided) or (a.exclusive and b.exclusive)
    numbered = a.relation == "use" and any(x.shown.startswith("version") for x, _ in clashes)
    if a.relation in vocabulary.MANY and sorts != {"quantity"} and not decided and not numbered:
        return None
    if sorts == {"date", "clock"} and a.relation != "is":
        return None
    if not a.definite and not a.imperative:
        return None
    x, y = clashes[0]
    return ("high" if one == other or a.relation == "is" else "medium"), (x.shown, y.shown)


def _names(a: Assertion, b: Assertion) -> _Found | None:
    """Another holder, place, choice, where there is one at a time."""
    if a.relation == "prefer" and _swapped(_mine(a), _mine(b)):
        return "high", (_shown(a), _shown(b))
    mine, theirs = _mine(a), _mine(b)
    for one in mine:
        for other in theirs:
            met = any(one.stems <= c.stems or c.stems <= one.stems for c in theirs)
            met = met or any(other.stems <= c.stems or c.stems <= other.stems for c in mine)
            if met or one.prep != other.prep:
                continue
            severity = _rival(a, one, b, other)
            if severity:
                return severity, (one.shown, other.shown)
    return None


def _swapped(one: Sequence[Chunk], other: Sequence[Chunk]) -> bool:
    """Tea over coffee, coffee over tea."""
    if len(one) != 2 or len(other) != 2:
        return False
    return one[0].stems == other[1].stems and one[1].stems == other[0].stems != one[0].stems


def _rival(a: Assertion, one: Chunk, b: Assertion, other: Chunk) -> Severity | None:
    x, y = one.stems - other.stems, other.stems - one.stems
    if one.indefinite or other.indefinite:
        return None
    kinds = {vocabulary.SORT.get(s) for s in x} & {vocabulary.SORT.get(s) for s in y} - {None}
    shared = one.stems & other.stems
    if kinds == {"language"} and one.prep and _participle(a):
        return None  # offered in one and in another
    if kinds:
        if a.relation == "is" or a.decided or b.decided or (a.imperative and b.imperative):
            return "high"
        return "medium" if a.relation not in vocabulary.MANY or a.relation == "use" else None
    if a.relation == "is" and not one.prep and a.subject:
        named = one.proper and other.proper
        quality = any(map(vocabulary.adjective, one.lows[-1:] + other.lows[-1:]))
        if a.subject & vocabulary.ROLES or (a.head in vocabulary.ATTRIBUTES and not quality):
            return "high"
        if named and (a.definite or a.head in vocabulary.ATTRIBUTES):
            return "high"
    if (a.relation, one.prep) in vocabulary.UNIQUE and one.proper and other.proper:
        return "high"
    if a.relation == "prefer" and not one.prep:
        return "medium"
    participle = _participle(a)
    if participle and participle == _participle(b) and one.prep and one.proper and other.proper:
        return "high" if participle in vocabulary.ONCE else "medium"
    if one.prep in {"at"} and a.relation in vocabulary.UNIQUE_PLACE and a.definite:
        if bool(x & vocabulary.COUNTRIES) != bool(y & vocabulary.COUNTRIES):
            return None  # the one may lie in the other
        return "high"
    if a.relation in vocabulary.ATTRIBUTES and shared and one.proper and other.proper:
        return "medium"
    return None


def _shown(assertion: Assertion) -> str:
    return " ".join(chunk.shown for chunk in assertion.chunks) or assertion.relation
