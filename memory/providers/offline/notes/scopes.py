"""What an assertion says, and what only tells where, when and for whom it holds."""

from collections.abc import Sequence

from memory.providers.offline.notes import states
from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.chunks import Chunk
from memory.providers.offline.notes.reading import Assertion
from memory.providers.offline.text import stem

_NARROWING = frozenset("when at on for during until since before after under within per ,".split())


def own(chunk: Chunk, assertion: Assertion) -> bool:
    """Whether a chunk holds what is said of the subject; else it says where, when, for whom."""
    first = assertion.chunks[0] if assertion.chunks else None
    if not chunk.prep or (assertion.relation == "prefer" and chunk.prep in {"over", "to", "than"}):
        return True
    if chunk is first:
        return not _state(assertion.chunks)
    if assertion.exclusive and chunk is assertion.chunks[-1]:
        return True
    verb = participle(assertion)
    if verb in vocabulary.ONCE:
        return chunk.dated or chunk.prep == "at"
    if chunk.dated:
        habit = verb and not assertion.past and verb not in states.STATES
        return chunk.prep in {"until", "since"} or bool(habit) or _scheduled(assertion)
    if verb and chunk is assertion.chunks[1] and chunk.prep in {"at", "with", "to", "on"}:
        return verb not in states.STATES
    if first and first.prep == chunk.prep == "at" and assertion.relation in vocabulary.UNIQUE_PLACE:
        return True
    return any(value.sort == "quantity" for value in chunk.values)


def participle(assertion: Assertion) -> str:
    """ "written" of "is written in Go", else ""."""
    first = assertion.chunks[0] if len(assertion.chunks) > 1 else None
    if first is None or first.prep or assertion.relation != "is" or len(first.lows) != 1:
        return ""
    (word,) = first.lows
    return stem(word) if word.endswith(("ed", "en", "born", "built", "made")) else ""


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
    return bool(chunks) and bool(chunks[0].stems & states.STATES.keys()) and not chunks[0].prep


def narrower(a: Assertion, b: Assertion) -> bool | None:
    """None: they hold in different places, times, cases. True: one is narrower. False: alike."""
    mine = [*a.scope, *(c for c in a.chunks if not own(c, a))]
    theirs = [*b.scope, *(c for c in b.chunks if not own(c, b))]
    narrower = False
    named = a.head in vocabulary.ATTRIBUTES and not (_state(a.chunks) or _state(b.chunks))
    sorts = {"when"} if named else _NARROWING  # "a leak in the worker" is one value
    for sort in {_sort(c) for c in (*mine, *theirs)}:
        one, other = _content(mine, sort), _content(theirs, sort)
        if one and other and not (one <= other or other <= one):
            return None
        narrower = narrower or (one != other and sort in sorts)
    return narrower


def beyond(yes: Assertion, no: Assertion) -> bool:
    """Whether the no is narrower: not happy with the landlord, but happy."""
    mine = [*yes.scope, *(c for c in yes.chunks if not own(c, yes))]
    theirs = [*no.scope, *(c for c in no.chunks if not own(c, no))]
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


def said(assertion: Assertion) -> list[Chunk]:
    return [chunk for chunk in assertion.chunks if own(chunk, assertion)]


def purpose(assertion: Assertion) -> frozenset[str]:
    return _content(list(assertion.chunks), "for")
