"""Find the verb of a sentence, and what relation it states: which, yes or no, past or not."""

from memory.providers.offline.lexicon import IRREGULAR_PAST
from memory.providers.offline.notes import states
from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.scanning import Token
from memory.providers.offline.notes.values import Clock, Date

_HELPERS = frozenset(
    "do does did will can must should shall may only still currently now also already just "
    "actually usually always".split()
)
_PARTICIPLES = frozenset("cut set sent taken begun done gone known seen given written".split())
_AUXILIARY = frozenset("do does did will can may must should shall".split())


def verb_of(tokens: list[Token]) -> tuple[int | None, bool]:
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
        verb = token.low in vocabulary.VERBS | states.STATE_VERBS or is_event(token)
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


def is_event(verb: Token) -> bool:
    """A simple past: "ran", "ordered"; not a state that lasts ("passed")."""
    return verb.stem not in states.STATES and (
        (
            verb.low in IRREGULAR_PAST
            and verb.low not in {"was", "were", "had", "cost", "set", "read"}
        )
        or (verb.low.endswith("ed") and verb.low not in {"need", "named"})
    )


def is_finite(token: Token) -> bool:
    """Whether a word can only be a finite verb here."""
    if token.value is not None or token.proper:
        return False
    return token.low in vocabulary.BE | {"has", "had", "does"} or (
        token.low in vocabulary.VERBS | states.STATE_VERBS and token.low.endswith(("s", "ed"))
    )


def is_clause(tokens: list[Token]) -> bool:
    """Whether there is a subject with a verb behind it."""
    place, order = verb_of(tokens)
    return place is not None and place > 0 and not order and is_finite(tokens[place])


def verbless(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """ "Deadline Friday", "Interview with Lena at 11:00": the first value ends the subject."""
    for place, token in enumerate(tokens):
        if place and token.value is not None:
            start = place - 1 if tokens[place - 1].low in vocabulary.PREPOSITIONS else place
            if start:
                return tokens[:start], tokens[start:]
        if place and token.stem in states.STATES and place == len(tokens) - 1:
            return tokens[:place], tokens[place:]
    return [], tokens


def relation_of(rest: list[Token]) -> tuple[str, bool, bool, list[Token]]:
    """The relation's stem, yes or no, whether it is past, and what follows."""
    positive, past, helped, place = True, False, False, 0
    relation = ""
    while place < len(rest):
        token = rest[place]
        low = token.low
        if low in {"not", "never", "no"}:
            positive = not positive
        elif helped and not relation and token.value is None and low not in vocabulary.FUNCTION:
            relation = token.stem
        elif token.value is not None:
            break
        elif low in {"was", "were", "had"}:
            past, relation = True, relation or ("has" if low == "had" else "is")
        elif low in vocabulary.BE:
            relation = relation or "is"
        elif low in {"has", "have"}:
            relation = relation or "has"
        elif low in _HELPERS:
            helped = helped or low in _AUXILIARY
        elif relation == "has" and low.endswith("ed") and token.stem in states.STATES:
            return "is", positive, False, rest[place:]
        elif relation == "has" and not rest[place - 1].value and _is_participle(token):
            relation, past = token.stem, False
        elif relation == "is" and low.endswith("ing") and token.stem not in states.STATES:
            relation = token.stem
        elif not relation and low in states.STATE_VERBS and not _has_object(rest, place):
            return "is", positive, False, rest[place:]
        elif not relation and _finite(token):
            relation = token.stem
        else:
            break
        place += 1
    after = rest[place:]
    if past and after and after[0].stem in states.STATES and _is_participle(after[0]):
        past = False  # "was approved" holds still
    return relation or "is", positive, past, after


def _has_object(rest: list[Token], place: int) -> bool:
    """ "opened the ticket" is done to something; "the deploy failed" is how it stands."""
    after = rest[place + 1] if place + 1 < len(rest) else None
    if after is None or after.is_stop or after.low in vocabulary.BREAKS:
        return False
    return not (isinstance(after.value, (Date, Clock)) or after.low.endswith("ly"))


def _is_participle(token: Token) -> bool:
    regular = token.low.endswith("ed") and len(token.low) > 3
    return regular or token.low in IRREGULAR_PAST or token.low in _PARTICIPLES


def _finite(token: Token) -> bool:
    known = token.low in vocabulary.ALL_VERBS | vocabulary.IMPERATIVES
    return known or token.low in IRREGULAR_PAST or token.low.endswith(("ed", "s"))
