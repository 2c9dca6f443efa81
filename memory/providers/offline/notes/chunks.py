"""What stands before and behind the relation, in chunks that begin at the prepositions."""

from dataclasses import dataclass

from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.scanning import Token
from memory.providers.offline.notes.values import Date, Numbered, Value

_PLACE = {"in": "at", "at": "at", "into": "at", "within": "at", "till": "until"}


@dataclass(frozen=True)
class Chunk:
    """A preposition ("" for none) and what follows it."""

    prep: str
    stems: frozenset[str]
    values: tuple[Value, ...] = ()
    proper: bool = False
    indefinite: bool = False
    determined: bool = False
    lows: tuple[str, ...] = ()
    shown: str = ""

    @property
    def dated(self) -> bool:
        return any(value.sort in {"date", "clock"} for value in self.values)


def chunks(tokens: list[Token]) -> list[Chunk]:
    groups: list[list[Token]] = [[]]
    for place, token in enumerate(tokens):
        if token.is_stop or leads(tokens, place):
            groups.append([])
        groups[-1].append(token)
    return [chunk for group in groups if (chunk := _chunk(group)) is not None]


def leads(tokens: list[Token], place: int) -> bool:
    """A preposition before its noun; not the "on" of "is on", "is on by default"."""
    if tokens[place].low not in vocabulary.PREPOSITIONS:
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    return after is not None and not after.is_stop and after.low not in vocabulary.PREPOSITIONS


def _chunk(tokens: list[Token]) -> Chunk | None:
    prep = ""
    if tokens and (leads(tokens, 0) or tokens[0].is_stop):
        prep, tokens = _PLACE.get(tokens[0].low, tokens[0].low), tokens[1:]
    telling = [t for t in tokens if t.low not in vocabulary.FILLER and not t.is_stop]
    if not telling:
        return None
    return Chunk(
        prep,
        frozenset(
            t.value.head if isinstance(t.value, Numbered) else t.stem
            for t in telling
            if t.value is None or isinstance(t.value, Numbered)
        ),
        tuple(t.value for t in telling if t.value is not None),
        any(t.proper for t in telling) or tokens[0].capital,
        tokens[0].low in vocabulary.INDEFINITE,
        tokens[0].low in vocabulary.DETERMINERS,
        tuple(t.low for t in telling if t.value is None),
        " ".join(t.text for t in tokens if not t.is_stop),
    )


def direct_object(rest: list[Token]) -> list[Token]:
    out = []
    for token in rest:
        if token.low in vocabulary.PREPOSITIONS or token.is_stop:
            break
        out.append(token)
    return out


def told(tokens: list[Token]) -> frozenset[str]:
    return frozenset(
        _key(t.value) if t.value is not None else t.stem
        for t in tokens
        if not t.is_stop
        and t.low not in vocabulary.FILLER | vocabulary.PREPOSITIONS
        and t.low not in {"everyone", "any", "only", "not", "no", "here", "of"}
    )


def _key(value: Value) -> str:
    if isinstance(value, Date):
        return f"date {value.year} {value.quarter} {value.month} {value.day} {value.weekday}"
    return f"{value.sort} {value.shown}"


def definite(tokens: list[Token]) -> bool:
    first = tokens[0] if tokens else None
    return first is not None and first.low not in vocabulary.INDEFINITE


def head(tokens: list[Token]) -> str:
    head = ""
    for token in tokens:
        if token.low in vocabulary.PREPOSITIONS and head:
            break
        if token.value is None and token.low not in vocabulary.FILLER and not token.is_stop:
            head = token.stem
    return head
