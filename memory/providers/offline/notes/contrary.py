"""What two assertions about one thing say against each other, and how surely."""

from collections.abc import Iterator, Sequence
from typing import Literal

from memory.providers.offline import claims
from memory.providers.offline.claim_words import OPPOSITE
from memory.providers.offline.notes import states
from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.chunks import Chunk
from memory.providers.offline.notes.reading import Assertion
from memory.providers.offline.notes.scopes import participle, purpose, said
from memory.providers.offline.notes.values import Quantity, Value
from memory.providers.offline.text import stem as stem_of

Severity = Literal["high", "medium", "low"]
Found = tuple[Severity, tuple[str, str]]


def contrary(a: Assertion, b: Assertion) -> Found | None:
    if a.only != b.only and a.everyone != b.everyone and a.relation == b.relation:
        return ("high", ("only some", "everyone")) if _alike(a, b) else None
    if a.positive != b.positive:
        return _denied(a, b)
    if not a.positive:
        return None
    if a.relation != b.relation:
        contrary = claims.opposite(a.relation, b.relation) or states.exclude(a.relation, b.relation)
        if contrary and _alike(a, b):
            return "high", (a.relation, b.relation)
        return None
    pairs = None if a.counted and b.counted else _states(a, b)
    return pairs or _values(a, b) or _names(a, b)


def _stems(assertion: Assertion) -> frozenset[str]:
    return frozenset().union(*(chunk.stems for chunk in said(assertion)))


def _quantities(assertion: Assertion) -> list[Value]:
    return [value for chunk in said(assertion) for value in chunk.values]


def _alike(a: Assertion, b: Assertion) -> bool:
    return _stems(a) == _stems(b) and not any(_clashes(a, b))


def _denied(a: Assertion, b: Assertion) -> Found | None:
    """One says yes, the other no. The no must not be more exact than the yes."""
    yes, no = (a, b) if a.positive else (b, a)
    if yes.relation != no.relation and not (yes.imperative and no.imperative):
        return None
    said, denied = _stems(yes), _stems(no)
    counted = [v for v in _quantities(yes) if v.sort == "quantity"]
    units = {u for v in counted for u in getattr(v, "unit", "").split()}
    if any(_clashes(a, b)) or any(
        claims.opposite(x, y) or states.exclude(x, y) for x in said for y in denied
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


def _states(a: Assertion, b: Assertion) -> Found | None:
    """Contrary states, the rest being the same: open and closed, paid and unpaid."""
    mine, theirs = _words(a), _words(b)
    for x in sorted(mine.keys() - theirs.keys()):
        for y in sorted(theirs.keys() - mine.keys()):
            if states.agree(x, y) or not _contraries(x, y, mine[x], theirs[y]):
                continue
            one, other = mine.keys() - {x}, theirs.keys() - {y}
            if one == other or ((one < other or other < one) and len(one ^ other) <= 2):
                if a.relation not in {"is"} and not (one | other or a.definite):
                    continue
                severity: Severity = "high" if one == other or a.relation == "is" else "medium"
                return severity, (mine[x], theirs[y])
    return None


def _words(assertion: Assertion) -> dict[str, str]:
    """The stems of what is said, with the words as they stand."""
    words = {stem: stem for stem in _stems(assertion)}
    for chunk in said(assertion):
        words.update({stem_of(low): low for low in chunk.lows})
    return {stem: low for stem, low in words.items() if stem in _stems(assertion)}


def _contraries(x: str, y: str, one: str, other: str) -> bool:
    if states.exclude(x, y) or claims.opposite(x, y):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > 4 and long in {f"un{short}", f"dis{short}", f"non{short}", f"non-{short}"}


def _clashes(a: Assertion, b: Assertion) -> Iterator[tuple[Value, Value]]:
    """Values of one sort of which none agrees with any of the other side."""
    for sort in ("quantity", "date", "clock", "numbered"):
        one, other = _of_sort(a, sort), _of_sort(b, sort)
        answers = [(x, y, x.clash(y)) for x in one for y in other]
        known = [(x, y) for x, y, clash in answers if clash]
        if known and not any(clash is False for *_, clash in answers):
            yield known[0]


def _of_sort(assertion: Assertion, sort: str) -> list[Value]:
    """The values of this sort; beside amounts of something a bare number tells nothing."""
    found = [value for value in _quantities(assertion) if value.sort == sort]
    telling = [v for v in found if not isinstance(v, Quantity) or v.unit]
    return telling or found


def _values(a: Assertion, b: Assertion) -> Found | None:
    clashes = list(_clashes(a, b))
    if not clashes:
        return None
    one, other = _stems(a), _stems(b)
    if not (one <= other or other <= one) or len(one ^ other) > 2:
        return None
    sorts = {x.sort for x, _ in clashes}
    totals = a.determined and a.relation in vocabulary.TOTALS and sorts == {"quantity"}
    if (
        a.event
        and participle(a) not in vocabulary.ONCE
        and not totals
        and not (a.counted and b.counted)
    ):
        return None
    decided = (a.decided and b.decided) or (a.exclusive and b.exclusive)
    numbered = a.relation == "use" and any(x.shown.startswith("version") for x, _ in clashes)
    if a.relation in vocabulary.MANY and sorts != {"quantity"} and not decided and not numbered:
        return None
    if {"numbered", "quantity"} <= sorts:
        return None  # each of another one
    if sorts & {"date", "clock"} and sorts - {"date", "clock"}:
        return None  # each holds at its own time
    if sorts == {"date", "clock"} and a.relation != "is":
        return None
    if not a.definite and not a.imperative:
        return None
    x, y = clashes[0]
    return ("high" if one == other or a.relation == "is" else "medium"), (x.shown, y.shown)


def _names(a: Assertion, b: Assertion) -> Found | None:
    """Another holder, place, choice, where there is one at a time."""
    if a.relation == "prefer" and _swapped(said(a), said(b)):
        return "high", (_shown(a), _shown(b))
    mine, theirs = said(a), said(b)
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
    if kinds == {"language"} and one.prep and participle(a):
        return None  # offered in one and in another
    if kinds:
        if a.relation == "is" or a.decided or b.decided or (a.imperative and b.imperative):
            return "high"
        return "medium" if a.relation not in vocabulary.MANY or a.relation == "use" else None
    if a.relation == "is" and not one.prep and a.subject:
        named = one.proper and other.proper
        quality = any(map(_is_quality, one.lows[-1:] + other.lows[-1:]))
        if a.subject & vocabulary.ROLES or (a.head in vocabulary.ATTRIBUTES and not quality):
            return "high"
        if named and (a.determined or a.head in vocabulary.ATTRIBUTES):
            return "high"
    if (a.relation, one.prep) in vocabulary.UNIQUE and one.proper and other.proper:
        return "high"
    if a.relation == "prefer" and not one.prep:
        return "medium"
    verb = participle(a)
    if verb and verb == participle(b) and one.prep and one.proper and other.proper:
        return "high" if verb in vocabulary.ONCE | vocabulary.PUT else "medium"
    told = (a.decided and b.decided) or (a.imperative and b.imperative)
    if told and purpose(a) and purpose(a) == purpose(b):
        return "high"
    if (
        (one.prep == "at" or (one.prep == "on" and one.proper and other.proper))
        and a.relation in vocabulary.UNIQUE_PLACE
        and _is_place(a, one)
        and _is_place(b, other)
        and a.definite
    ):
        if bool(x & vocabulary.COUNTRIES) != bool(y & vocabulary.COUNTRIES):
            return None  # the one may lie in the other
        return "medium" if a.relation in vocabulary.LOOSE_PLACE else "high"
    if a.relation in vocabulary.ATTRIBUTES and shared and one.proper and other.proper:
        return "medium"
    return None


def _is_place(assertion: Assertion, chunk: Chunk) -> bool:
    """Rather a place than a state ("in review"), a language, a feeling ("interested in")."""
    if chunk.stems & vocabulary.SORT.keys() or any(not c.prep for c in assertion.chunks):
        return False
    return chunk.proper or chunk.determined or bool(chunk.values) or len(chunk.lows) > 1


def _is_quality(low: str) -> bool:
    return stem_of(low) in states.STATES or stem_of(low) in OPPOSITE or vocabulary.adjective(low)


def _shown(assertion: Assertion) -> str:
    return " ".join(chunk.shown for chunk in assertion.chunks) or assertion.relation
