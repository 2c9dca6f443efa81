"""Read a short statement as a claim: about whom, what is said, yes or no, with which values.

No parser: the verb is found from closed lists, and values are told by their kind (weekday, month,
number, colour, state ...). Good enough for statements in the third person and plain notes.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from memory.providers.offline import claim_words as vocabulary
from memory.providers.offline.grammar import third
from memory.providers.offline.lexicon import IRREGULAR_PAST
from memory.providers.offline.text import plain, stem

_TIME = re.compile(r"^\d{1,2}(?::\d{2})?(?:am|pm)$|^\d{1,2}:\d{2}$")
_TOKEN = re.compile(
    r"\d+(?:[.,:-]\d+)*(?:am|pm|%|k|m|kg|km|gb|h|st|nd|rd|th)?\b|[^\W\d_]+(?:['-][^\W\d_]+)*",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^([a-z][\w' -]{2,40}): (?=\S)")  # "Release date: 3 May" as people note it
_SAID_ON = re.compile(r"\s*\(said on [^)]*\)")
_TOGETHER = re.compile(  # what holds of the household holds of who belongs to it
    r"^(?P<who>the user|\w+)(?:'s household|(?P<many> and others)) (?P<verb>[a-z']+)"
)
_NAMES = re.compile(r"(?:(?<=[^.!?\s] )|(?<=\b[DM]r\. )|(?<=\bMrs\. ))[A-Z][\w-]*")
_CLITICS = [
    (re.compile(r"\b(he|she|it|that|they|i|there|who|what|where)'s\b"), r"\1 is"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\bi've\b"), "i have"),
    (re.compile(r"\b(?:dr|mr|mrs|ms|prof)\. "), ""),
]
_NEGATIVES = frozenset("not no none nobody nothing".split())
_HELPERS = _NEGATIVES | frozenset("does do did will can has".split())
_MARKERS = frozenset("likes dislikes lives works named prefers prefer".split())
_PLACED = frozenset("as at for from".split())
_NO_EVENT = frozenset("read set put cut let cost was were".split())
_NO_EVENT_ED = frozenset("named need allergic married used scheduled planned".split())
_PREFERENCE = re.compile(
    r"^(?:does )?(?:prefers?|likes?|chooses?|drinks?|eats?|uses?|wants?|takes?) (.+?) "
    r"(?:over|to|rather than|instead of|more than|but not|not) (.+)$"
)
_HEDGES = re.compile(
    r"^(?:(?:to be honest|honestly|actually|in fact|well|now|today|currently|these "
    r"days|the user (?:said|says|thinks|mentioned)(?: that)?)[,:]? )+"
)


@dataclass(frozen=True)
class Claim:
    """A statement taken apart. `topic` holds stems without filler, values and the like-words."""

    text: str
    frame: str  # the little word before what the subject is: "a", "the", "in", "on", "at" or ""
    subject: frozenset[str]
    relation: str  # "likes", "lives", "works as", "named", "is", "has", or the verb's stem
    positive: bool
    topic: frozenset[str]
    values: dict[str, frozenset[str]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    rather: tuple[frozenset[str], frozenset[str]] | None = None  # prefers this to that
    past: bool = False
    once: bool = False  # happens once in a life: born, founded
    attribute: bool = False  # the subject has one value at a time: a deadline, a price


def opposite(one: str, other: str) -> bool:
    """Whether two stems are each other's contrary: by list, prefix or head (left-handed)."""
    if other in vocabulary.OPPOSITE.get(one, ()):
        return True
    if "-" in one and "-" in other:
        (a, _, rest), (b, _, other_rest) = one.partition("-"), other.partition("-")
        return rest == other_rest and stem(b) in vocabulary.OPPOSITE.get(stem(a), ())
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and long in {
        p + short for p in ("un", "in", "im", "dis", "non", "non-", "ir")
    }


def _subject(tokens: list[str]) -> tuple[list[str], list[str]]:
    """Tokens before the verb, and the verb with what follows."""
    if tokens[:2] == ["the", "user"] and tokens[2:3] != ["and"]:
        return [], tokens[2:]
    if tokens[:1] in (["user"], ["i"], ["she"], ["he"], ["they"]):
        return [], tokens[1:]
    for index, token in enumerate(tokens):
        if token in vocabulary.VERBS:
            return tokens[:index], tokens[index:]
    return [], tokens


def _as_one(match: re.Match[str]) -> str:
    return f"{match['who']} {third(match['verb']) if match['many'] else match['verb']}"


def _tokens(clear: str) -> list[str]:
    """Lower-case tokens in which like verbs, numbers and negations have one form each."""
    low = _NOTE.sub(r"\1 is ", _SAID_ON.sub("", clear).casefold().rstrip(" .!"))
    low = _TOGETHER.sub(_as_one, low)
    for pattern, new in [*_CLITICS, (_HEDGES, ""), *vocabulary.PHRASES]:
        low = pattern.sub(new, low)
    tokens = [vocabulary.NUMBER.get(t, t) for t in _TOKEN.findall(low)]
    return [
        "likes" if t in vocabulary.LIKE else "dislikes" if t in vocabulary.DISLIKE else t
        for t in tokens
    ]


def _relation(rest: list[str]) -> str:
    """What is said of the subject, in one word (or two: works as, works at)."""
    for marker in ("likes", "dislikes", "named", "lives"):
        if marker in rest:
            return marker.removeprefix("dis")
    if "works" in rest:
        after = rest[rest.index("works") + 1 :][:1]
        return (
            {"for": "works at"}.get(after[0], f"works {after[0]}")
            if after and after[0] in _PLACED
            else "works"
        )
    if "prefers" in rest or "prefer" in rest:
        return "prefers"
    if rest[:1] == ["not"]:
        return ""  # "quit coffee": whatever was done with it
    words = [t for t in rest if t not in _HELPERS]
    if words and words[0] in {"is", "are", "was", "were", "am"}:
        return "is"
    if "has" in rest[:3]:
        return "has"
    return stem(words[0]) if words else ""


def _sort(rest: list[str], may_is_month: bool) -> tuple[list[str], dict[str, frozenset[str]]]:
    """The telling stems in order, and the values by kind."""
    topic: list[str] = []
    values: dict[str, set[str]] = {}
    for token in rest:
        if token in _MARKERS:
            continue
        if _TIME.match(token):
            values.setdefault("time", set()).add(token)
        elif token[0].isdigit():
            kind = "year" if re.fullmatch(r"(?:19|20)\d\d", token) else "number"
            values.setdefault(kind, set()).add(re.sub(r"(?:st|nd|rd|th)$", "", token))
        elif token in vocabulary.KIND_OF and (token != "may" or may_is_month) and token != "fall":  # noqa: S105
            values.setdefault(vocabulary.KIND_OF[token], set()).add(token)
        elif token not in vocabulary.FILLER:
            topic.append(stem(token))
    return topic, {kind: frozenset(found) for kind, found in values.items()}


def _frame(rest: list[str]) -> str:
    """What stands between "is" and its noun: a labrador, the library, in Vienna."""
    if rest[:1] not in (["is"], ["are"], ["was"], ["were"]):
        return ""
    word = rest[1:2][0] if rest[1:] else ""
    return {"an": "a"}.get(word, word) if word in {"a", "an", "the", "in", "on", "at"} else ""


def _is_event(token: str) -> bool:
    """Whether the word is a past form of something that happens and may happen again."""
    if token in IRREGULAR_PAST:
        return token not in _NO_EVENT
    return token.endswith("ed") and len(token) > 3 and token not in _NO_EVENT_ED


def _rather(rest: list[str]) -> tuple[frozenset[str], frozenset[str]] | None:
    match = _PREFERENCE.search(" ".join(rest))
    if match is None:
        return None
    one, other = (frozenset(stem(w) for w in side.split()) for side in match.groups())
    return one, other


@lru_cache(maxsize=4_096)
def read(text: str) -> Claim:
    """The claim of one statement. Never raises; an empty text is an empty claim."""
    clear = plain(text).strip()
    subject, rest = _subject(_tokens(clear))
    topic, values = _sort(rest, "May" in clear)
    positive = sum(t in _NEGATIVES for t in rest) % 2 == 0
    return Claim(
        text=clear,
        frame=_frame(rest),
        subject=frozenset(
            stem(t)
            for t in subject
            if t not in vocabulary.FILLER and (t not in vocabulary.KIND_OF or t == "fall")
        ),
        relation=_relation(rest),
        positive=positive != ("dislikes" in rest),
        topic=frozenset(topic),
        values=values,
        names=frozenset(stem(w) for w in _NAMES.findall(clear) if w not in {"I", "The"}),
        rather=_rather(rest),
        past=any(_is_event(t) for t in rest[:3]),
        once=bool(set(rest) & vocabulary.ONCE),
        attribute=bool(vocabulary.ATTRIBUTE_STEMS & {stem(t) for t in subject}),
    )
