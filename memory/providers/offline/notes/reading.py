"""Read a sentence as an assertion: subject – relation – value, with polarity, modality and time.

No parser: the verb is found from closed lists, what stands before it is the subject, what stands
behind it falls into chunks at the prepositions. What cannot be read is an assertion of its words.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memory.providers.offline.notes import states, units
from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.binding import scan
from memory.providers.offline.notes.chunks import Chunk, chunks, definite, direct_object, head, told
from memory.providers.offline.notes.scanning import Token
from memory.providers.offline.notes.values import Quantity
from memory.providers.offline.notes.verbs import (
    is_clause,
    is_event,
    is_finite,
    relation_of,
    verb_of,
    verbless,
)
from memory.providers.offline.notes.wording import word

_CUT = frozenset("because which so but whereas although while".split())
_LEADING = frozenset("in on at before after during when since until under for with from by".split())
_JOINS = frozenset(("and", "but", ";", ","))
TOKENS = 60  # of a sentence that are read; what is longer is not one statement
_ERGATIVE = frozenset("ship launch releas deploy start end schedul hold move".split())


@dataclass(frozen=True)
class Assertion:
    """One sentence. `chunks` stand behind the relation, `scope` before the subject."""

    subject: frozenset[str] = frozenset()
    definite: bool = False  # not "a ticket", "some tickets"
    determined: bool = False  # "the", "our", "her" ticket
    relation: str = ""
    positive: bool = True
    chunks: tuple[Chunk, ...] = ()
    scope: tuple[Chunk, ...] = ()
    open: frozenset[str] = frozenset()  # the words that suppose; "?" if it asks
    past: bool = False
    when: frozenset[str] = frozenset()
    decided: bool = False
    only: bool = False  # "only admins may"
    exclusive: bool = False  # "on Mondays only"
    everyone: bool = False
    able: bool = False  # "can be paid"
    counted: bool = False  # the subject is how many of them
    event: bool = False  # happened, and may happen again
    imperative: bool = False
    head: str = ""  # last stem of the subject before its first preposition


@lru_cache(maxsize=4_096)
def read(sentence: str) -> tuple[Assertion, ...]:
    """The assertions of one sentence: one for each of its clauses. Never raises."""
    worded = word(sentence)
    tokens, scope = _leading(scan(worded.text)[:TOKENS])
    whole = Assertion(
        scope=tuple(scope), open=worded.open, past=worded.past, when=worded.when,
        decided=worded.decided, exclusive=bool(tokens) and tokens[-1].low == "only",
    )  # fmt: skip
    for place, token in enumerate(tokens):
        if place and token.low in _CUT:
            tokens = tokens[:place]
            break
    return tuple(_clauses(tokens, whole))


def _clauses(tokens: list[Token], whole: Assertion) -> Iterator[Assertion]:
    """ "X is up and has two disks", "X is up and Y is down"."""
    verb, order = verb_of(tokens)
    if verb is None:
        yield _assertion(*verbless(tokens), order=False, whole=whole)
        return
    subject, start = tokens[:verb], verb
    for place in range(verb + 2, len(tokens) - 1):
        if tokens[place].low not in _JOINS:
            continue
        after = tokens[place + 1 :]
        if not order and is_finite(after[0]):
            yield _assertion(subject, tokens[start:place], order=order, whole=whole)
            start = place + 1
        elif is_clause(after):
            yield _assertion(subject, tokens[start:place], order=order, whole=whole)
            yield from _clauses(after, whole)
            return
    yield _assertion(subject, tokens[start:], order=order, whole=whole)


def _assertion(
    subject: list[Token], rest: list[Token], *, order: bool, whole: Assertion
) -> Assertion:
    verb = rest[0] if rest else None
    event = verb is not None and is_event(verb)
    able = any(t.low == "can" for t in rest[:2])
    relation, positive, past, rest = relation_of(rest)
    if verb is not None and verb.low in states.STATE_VERBS and relation != "is":
        event = event or verb.low.endswith("ed")  # closed the ticket, and perhaps another
    if relation == "is" and _names_the(subject, rest):
        subject, rest = rest, subject  # "Bob is the manager": the manager is Bob
    counted, subject = _count(subject)
    behind = counted + chunks(rest)
    if not told(subject) and relation in _ERGATIVE and behind and not behind[0].prep:
        subject, behind = [*subject, *direct_object(rest)], behind[1:]
    lows = {t.low for t in subject}
    return replace(
        whole,
        subject=told(subject),
        definite=order or definite(subject),
        determined=bool(subject) and subject[0].low in vocabulary.DETERMINERS,
        relation=relation,
        positive=positive != bool(lows & {"no", "not", "neither"}),
        chunks=tuple(behind),
        past=whole.past or past,
        only="only" in lows and not counted,
        everyone=bool(lows & {"everyone", "all", "any"}),
        counted=bool(counted),
        able=able,
        event=event,
        imperative=order,
        head=head(subject),
    )


def _names_the(subject: list[Token], rest: list[Token]) -> bool:
    """Whether it says who or what the one thing is: "TLS 1.3 is the minimum on the gateway"."""
    if len(rest) < 2 or rest[0].low not in {"the", "our"} or rest[1].value is not None:
        return False
    return bool(subject) and subject[0].low not in vocabulary.FUNCTION and subject[0].capital


def _count(subject: list[Token]) -> tuple[list[Chunk], list[Token]]:
    """ "70% of users", "two servers": how many is said of them, it is not who they are."""
    for place, token in enumerate(subject[:3]):
        value = token.value
        if isinstance(value, Quantity) and not value.unit.startswith("/"):
            if value.unit and value.unit[0].isalpha() and value.unit not in units.DIMENSIONS:
                things = [Token(word, word, word) for word in value.unit.split()]
                value = replace(value, unit="of them")
            else:
                things = []
            return [Chunk("", frozenset(), (value,), shown=value.shown)], [
                *subject[:place], *things, *subject[place + 1 :],
            ]  # fmt: skip
        if token.low not in {"only", "the", "all", "exactly", "about"}:
            break
    return [], subject


def _leading(tokens: list[Token]) -> tuple[list[Token], list[Chunk]]:
    """A phrase that stands before the subject: "In 2023 …", "When idle, …", "After the fix …"."""
    if not tokens or tokens[0].low not in _LEADING or len(tokens) < 4:
        return tokens, []
    comma = next((n for n, t in enumerate(tokens[:10]) if t.low == ","), None)
    if comma is None:
        if tokens[0].low in {"for", "with", "by"}:
            return tokens, []
        comma = 2 if tokens[1].low not in vocabulary.DETERMINERS | {"a", "an"} else 3
        after = comma
    else:
        after = comma + 1
    return tokens[after:], chunks(tokens[:comma])
