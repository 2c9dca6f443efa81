"""Read a sentence as an assertion: subject – relation – value, with polarity, modality and time.

No parser: the verb is found from closed lists, what stands before it is the subject, what stands
behind it falls into chunks at the prepositions. What cannot be read is an assertion of its words.
"""

from dataclasses import dataclass
from functools import lru_cache

from memory.providers.offline.lexicon import IRREGULAR_PAST
from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.scanning import Token, scan
from memory.providers.offline.notes.values import Date, Value
from memory.providers.offline.notes.wording import word

_CUT = frozenset("because which so but whereas although while".split())
_LEADING = frozenset("in on at before after during when since until under for with from by".split())
_PLACE = {"in": "at", "at": "at", "into": "at", "within": "at", "till": "until", "by": "on"}
_ERGATIVE = frozenset("ship launch releas deploy start end schedul hold move".split())


@dataclass(frozen=True)
class Chunk:
    """A preposition ("" for none) and what follows it."""

    prep: str
    stems: frozenset[str]
    values: tuple[Value, ...] = ()
    proper: bool = False
    indefinite: bool = False
    lows: tuple[str, ...] = ()
    shown: str = ""

    @property
    def dated(self) -> bool:
        return any(value.sort in {"date", "clock"} for value in self.values)


@dataclass(frozen=True)
class Assertion:
    """One sentence. `chunks` stand behind the relation, `scope` before the subject."""

    subject: frozenset[str]
    definite: bool
    relation: str
    positive: bool
    chunks: tuple[Chunk, ...]
    scope: tuple[Chunk, ...] = ()
    open: frozenset[str] = frozenset()  # the words that suppose; "?" if it asks
    past: bool = False
    when: frozenset[str] = frozenset()
    decided: bool = False
    only: bool = False  # "only admins may"
    exclusive: bool = False  # "on Mondays only"
    everyone: bool = False
    event: bool = False  # happened, and may happen again
    imperative: bool = False
    head: str = ""  # last stem of the subject before its first preposition
    shown: str = ""


@lru_cache(maxsize=4_096)
def read(sentence: str) -> Assertion:
    """The assertion of one sentence. Never raises."""
    worded = word(sentence)
    tokens = scan(worded.text)
    tokens, scope = _leading(tokens)
    for place, token in enumerate(tokens):
        if place and token.low in _CUT:
            tokens = tokens[:place]
            break
    verb, imperative = _verb(tokens)
    subject, rest = (tokens[:verb], tokens[verb:]) if verb is not None else _verbless(tokens)
    event = bool(rest) and _event(rest[0])
    relation, positive, past, rest = _relation(rest)
    negative_subject = any(t.low in {"no", "not", "neither"} for t in subject)
    chunks = _chunks(rest)
    if not _told(subject) and relation in _ERGATIVE and chunks and not chunks[0].prep:
        subject, chunks = [*subject, *_object(rest)], chunks[1:]
    everyone = any(t.low in {"everyone", "all", "any"} for t in subject)
    return Assertion(
        subject=_told(subject),
        definite=imperative or _definite(subject),
        relation=relation,
        positive=positive != (negative_subject and not everyone)
        if not everyone
        else positive != negative_subject,
        chunks=tuple(chunks),
        scope=tuple(scope),
        open=worded.open,
        past=worded.past or past,
        when=worded.when,
        decided=worded.decided,
        only=any(t.low == "only" for t in subject),
        exclusive=bool(tokens) and tokens[-1].low == "only",
        event=event,
        everyone=everyone,
        imperative=imperative,
        head=_head(subject),
        shown=worded.text,
    )


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
    return tokens[after:], _chunks(tokens[:comma])


def _verb(tokens: list[Token]) -> tuple[int | None, bool]:
    """Where the relation begins; and whether the sentence is an order ("Use tabs …")."""
    if tokens and (
        (tokens[0].low in vocabulary.IMPERATIVES and _orders(tokens))
        or (len(tokens) > 1 and tokens[0].low in {"do", "not"})
    ):
        return 0, True
    if tokens and tokens[0].low.endswith("ed") and len(tokens) > 2 and tokens[1].low == "the":
        return 0, False
    sure = vocabulary.BE | {"has", "have", "had", "can", "must", "will", "do", "does", "did", "may"}
    first = next((n for n, t in enumerate(tokens) if t.low in sure and not t.value), None)
    for place, token in enumerate(tokens):
        if place == first:
            return place, False
        if place == 0 or token.value is not None or token.proper:
            continue
        before = tokens[place - 1].low
        if before in vocabulary.DETERMINERS | vocabulary.PREPOSITIONS | {"a", "an", "no"}:
            continue
        verb = token.low in vocabulary.VERBS | vocabulary.STATE_VERBS or _event(token)
        if verb and (first is None or (token.low[-1:] in "sd" and _speaks(tokens, place))):
            return place, False
    return None, False


def _orders(tokens: list[Token]) -> bool:
    """Whether a first word that may be a verb is one: no finite verb follows."""
    rest = tokens[1:]
    return bool(rest) and not any(t.low in vocabulary.BE | {"has", "had"} for t in rest)


def _speaks(tokens: list[Token], place: int) -> bool:
    """A plain verb before a later "is": "The API returns an error that is logged"."""
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    return following is not None and (
        following.value is not None
        or following.low in {"the", "a", "an", "no", "not", "our", "that"} | vocabulary.PREPOSITIONS
    )


def _event(verb: Token) -> bool:
    """A simple past: "ran", "ordered"; not a state that lasts ("passed")."""
    return verb.stem not in vocabulary.STATES and (
        (
            verb.low in IRREGULAR_PAST
            and verb.low not in {"was", "were", "had", "cost", "set", "read"}
        )
        or (verb.low.endswith("ed") and verb.low not in {"need", "named"})
    )


def _verbless(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """ "Deadline Friday", "Interview with Lena at 11:00": the first value ends the subject."""
    for place, token in enumerate(tokens):
        if place and token.value is not None:
            start = place - 1 if tokens[place - 1].low in vocabulary.PREPOSITIONS else place
            if start:
                return tokens[:start], tokens[start:]
        if place and token.stem in vocabulary.STATES and place == len(tokens) - 1:
            return tokens[:place], tokens[place:]
    return [], tokens


def _relation(rest: list[Token]) -> tuple[str, bool, bool, list[Token]]:
    """The relation's stem, yes or no, whether it is past, and what follows."""
    positive, past, place = True, False, 0
    relation = ""
    while place < len(rest):
        token = rest[place]
        low = token.low
        if low in {"not", "never", "no"}:
            positive = not positive
        elif low == "always":
            pass
        elif token.value is not None:
            break
        elif low in {"was", "were", "had"}:
            past, relation = True, relation or ("has" if low == "had" else "is")
        elif low in vocabulary.BE:
            relation = relation or "is"
        elif low in {"has", "have"}:
            relation = relation or "has"
        elif low in {"do", "does", "did", "will", "can", "must", "should", "shall", "may", "only"}:
            past = past or low == "did"
        elif low in {"still", "currently", "now", "also", "already", "just", "actually", "usually"}:
            pass
        elif relation == "has" and low.endswith("ed") and low in vocabulary.ALL_VERBS:
            relation, past = token.stem, False
        elif relation == "is" and low.endswith("ing") and token.stem not in vocabulary.STATES:
            relation = token.stem
        elif not relation and token.stem in vocabulary.STATES and low in vocabulary.STATE_VERBS:
            return "is", positive, False, rest[place:]
        elif not relation and _finite(token):
            relation = token.stem
        else:
            break
        place += 1
    after = rest[place:]
    if past and after and after[0].stem in vocabulary.STATES and after[0].low.endswith("ed"):
        past = False  # "was approved" holds still
    return relation or "is", positive, past, after


def _finite(token: Token) -> bool:
    known = token.low in vocabulary.ALL_VERBS | vocabulary.IMPERATIVES
    return known or token.low in IRREGULAR_PAST or token.low.endswith(("ed", "s"))


def _chunks(tokens: list[Token]) -> list[Chunk]:
    groups: list[list[Token]] = [[]]
    for token in tokens:
        if (token.low in vocabulary.PREPOSITIONS or token.is_stop) and groups[-1]:
            groups.append([])
        groups[-1].append(token)
    return [chunk for group in groups if (chunk := _chunk(group)) is not None]


def _chunk(tokens: list[Token]) -> Chunk | None:
    prep = ""
    if tokens and (tokens[0].low in vocabulary.PREPOSITIONS or tokens[0].is_stop):
        prep, tokens = _PLACE.get(tokens[0].low, tokens[0].low), tokens[1:]
    telling = [t for t in tokens if t.low not in vocabulary.FILLER and not t.is_stop]
    if not telling:
        return None
    return Chunk(
        prep,
        frozenset(t.stem for t in telling if t.value is None),
        tuple(t.value for t in telling if t.value is not None),
        any(t.proper for t in telling) or (tokens[0].text[:1].isupper()),
        bool(tokens) and tokens[0].low in vocabulary.INDEFINITE,
        tuple(t.low for t in telling if t.value is None),
        " ".join(t.text for t in tokens if not t.is_stop),
    )


def _object(rest: list[Token]) -> list[Token]:
    out = []
    for token in rest:
        if token.low in vocabulary.PREPOSITIONS or token.is_stop:
            break
        out.append(token)
    return out


def _told(tokens: list[Token]) -> frozenset[str]:
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


def _definite(tokens: list[Token]) -> bool:
    first = tokens[0] if tokens else None
    return first is not None and first.low not in vocabulary.INDEFINITE


def _head(tokens: list[Token]) -> str:
    head = ""
    for token in tokens:
        if token.low in vocabulary.PREPOSITIONS and head:
            break
        if token.value is None and token.low not in vocabulary.FILLER and not token.is_stop:
            head = token.stem
    return head
