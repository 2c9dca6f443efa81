"""How much a message tells about its writer: general features of wording and place, no topics."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log, log1p

from memory.providers.offline import core
from memory.providers.offline import lexicon as lex
from memory.providers.offline.openers import strip
from memory.providers.offline.text import plain, sentences, stem, words

_PROGRESSIVE = re.compile(
    r"\b(?:i'm|i am|im|we're|we are|been) (?:\w+ly |just |still |also )?\w+in[g']"
)
_PERFECT = re.compile(
    r"\b(?:i've|we've|i have|we have) (?:\w+ )?(?:\w+ed|been|had|got|made|done)\b"
)
_COPULA = re.compile(r"\b(?:i'm|i am|i was|we're|we were) (?:a|an|the|from|in|at|on)\b")
_HAVE = re.compile(r"\b(?:i|we) (?:have|had|got|own|bought|got)\b|\bi've got\b")
_MY_NOUN = re.compile(r"\b(?:my|our) (?!god\b|own\b|thoughts?\b|support\b)(\w+)")
_LOOK = re.compile(
    r"\b(?:check (?:it|this|them|out)|look at (?:this|it)|here's|here are|take a look|pic|photo)\b"
)
_PAST_ED = re.compile(r"\w{2,}ed$")
_NAME = re.compile(r"(?<=[a-z,;:'] )[A-Z][A-Za-z]{2,}")
_VOCATIVE = re.compile(r",\s+[A-Z]\w+(?=[\s]*[,.!?])|^(?:\w+ )?[A-Z]\w+!")
_QUOTED = re.compile(r'"[^"]{2,60}"')
_PROMISE = re.compile(
    r"\b(?:i'll|i will|we'll|we will|let me|i can't wait|can't wait|i hope|hope you|i wish|let's"
    r"|i'm sure|i know|i bet|i can't|i think|i agree|i'm here|i'm glad|i'm so glad|i'm happy|i see"
    r"|i understand|i get|i'd love|i appreciate|i'm proud|i'm sorry|i totally|i really)\b"
)
_TELL = re.compile(
    r"\b(?:guess what|by the way|btw|i forgot|have to tell|gotta tell|actually|oh,? and)\b"
)
_BARE = re.compile(
    r"^(?:(?:yeah|yep|yes|oh|well|so|and|but|hey|hi|thanks|thank you|sure|ok|nope|no|"
    r"recently|lately|anyway)[,! ]+(?:\w+[,!] )?)?"
    r"(?:just |still |also |recently |finally )*"
    r"(?:been|had|got|went|took|made|found|started|gonna|going|gotta|planning|trying|working|"
    r"looking|thinking|finished|lost|won|signed|bought|joined|visited|met|saw|tried|learned|"
    r"wrote|love|loved|enjoy|enjoying|hoping|needed|decided|moved|gotten|came|did|used|"
    r"feeling|excited|kept|spent|hit|\w{3,}ed) "
)


_EXCITED = re.compile(r"\bexcited\b|\bcan't wait\b|\bstoked\b|\bpumped\b")
_LEANS = frozenset(["it", "it's", "its", "this"])
_NEIGHBOUR = ("reacts", "you", "first_content", "thanks")


@dataclass
class Shape:
    """What one message looks like, before it is compared with the others."""

    features: dict[str, float]
    stems: frozenset[str] = field(default_factory=frozenset)
    length: int = 0
    asks: bool = False
    own: bool = True


def shape(text: str) -> Shape:
    """The features of a message that need no neighbours."""
    all_sentences = sentences(text)
    clear = plain(text)
    lower = clear.casefold()
    tokens = [word.casefold() for word in words(clear)]
    found = set(tokens)
    count = len(tokens)
    told = [s for s in all_sentences if not s.asks]
    told_words = [w.casefold() for s in told for w in words(s.text)]
    told_set = set(told_words)
    content = [w for w in told_words if w not in lex.FUNCTION and len(w) > 2]
    plainer = [
        w
        for w in content
        if w not in lex.REACTIONS
        and w not in lex.CHEER
        and w not in lex.THANKS
        and w not in lex.PRAISE
    ]
    stems = frozenset(stem(w) for w in plainer)
    first = [s for s in told if {w.casefold() for w in words(s.text)} & lex.FIRST_PERSON]
    first_content = sum(
        1
        for s in first
        for w in words(s.text)
        if w.casefold() not in lex.FUNCTION
        and w.casefold() not in lex.CHEER
        and w.casefold() not in lex.REACTIONS
        and len(w) > 2
    )
    names = _NAME.findall(clear)
    vocatives = len(_VOCATIVE.findall(clear))
    past = sum(1 for w in told_words if w in lex.IRREGULAR_PAST or _PAST_ED.match(w))
    bare = sum(1 for s in told if _BARE.match(s.text.casefold()))
    n_sentences = max(1, len(all_sentences))
    you = sum(1 for w in tokens if w in lex.SECOND_PERSON)
    me = sum(1 for w in tokens if w in lex.FIRST_PERSON)
    head = tokens[0] if tokens else ""

    def has(words_: frozenset[str], where: set[str] = told_set) -> float:
        return float(bool(where & words_))

    def number(words_: frozenset[str], where: Sequence[str] = told_words) -> float:
        return log1p(sum(1 for w in where if w in words_))

    f = {
        "length": log1p(count),
        "told": log1p(len(told_words)),
        "content": log1p(len(plainer)),
        "long_words": log1p(sum(1 for w in plainer if len(w) >= 7)),
        "sentences": log1p(len(told)),
        "longest": log1p(max((len(words(s.text)) for s in told), default=0)),
        "first_content": log1p(first_content),
        "i": number(lex.PRONOUNS_I),
        "my": number(lex.PRONOUNS_MY),
        "we": number(lex.PRONOUNS_WE),
        "you": log1p(you),
        "you_share": you / (you + me + 1),
        "has_first": float(bool(first)),
        "plain_fact": float(any(core.plain_fact(strip(s.text)) for s in first)),
        "bare": float(bool(bare)),
        "own": float(bool(first) or bool(bare)),
        "past": log1p(past),
        "progressive": float(bool(_PROGRESSIVE.search(lower))),
        "perfect": float(bool(_PERFECT.search(lower))),
        "copula": float(bool(_COPULA.search(lower))),
        "have": float(bool(_HAVE.search(lower))),
        "my_noun": log1p(len(set(_MY_NOUN.findall(lower)))),
        "look": float(bool(_LOOK.search(lower))),
        "names": log1p(max(0, len(names) - vocatives)),
        "vocative": float(bool(vocatives)),
        "quoted": float(bool(_QUOTED.search(clear))),
        "promise": float(bool(_PROMISE.search(lower))),
        "tell": float(bool(_TELL.search(lower))),
        "digits": float(any(w[0].isdigit() for w in told_words)),
        "numbers": has(lex.NUMBERS),
        "likes": number(lex.LIKES),
        "plans": number(lex.PLANS),
        "habit": has(lex.HABIT),
        "change": number(lex.CHANGE),
        "kin": number(lex.KIN),
        "time": number(lex.TIME),
        "feeling": has(lex.FEELING),
        "cause": has(lex.CAUSE),
        "praise": number(lex.PRAISE),
        "cheer": number(lex.CHEER),
        "thanks": has(lex.THANKS, found),
        "lets": float("let's" in found or "lets" in found),
        "questions": sum(1 for s in all_sentences if s.asks) / n_sentences,
        "excited": float(bool(_EXCITED.search(lower))),
        "lately": float("recently" in found or "lately" in found),
        "leans": float(bool(found & _LEANS)),
        "asks": float(bool(all_sentences) and all_sentences[-1].asks),
        "exclaims": sum(1 for s in all_sentences if s.raw.endswith("!")) / n_sentences,
        "greets": float(head in lex.GREETINGS),
        "reacts": float(head in lex.REACTIONS),
        "thanks_first": float(head in lex.THANKS),
    }
    return Shape(f, stems, count, bool(f["asks"]), bool(f["own"]))


def features(shapes: Sequence[Shape], roles: Sequence[str]) -> list[dict[str, float]]:
    """One row for each message: its own shape, and how it stands among its neighbours."""
    rows: list[dict[str, float]] = []
    seen: set[str] = set()
    count = len(shapes)
    totals = Counter(roles)
    last: dict[str, int] = {}
    for i, s in enumerate(shapes):
        for word in s.stems:
            last[word] = i
    nothing = Shape(dict.fromkeys(_NEIGHBOUR, 0.0))
    for i, s in enumerate(shapes):
        before = shapes[i - 1] if i else nothing
        after = shapes[i + 1] if i + 1 < count else nothing
        new = s.stems - seen
        rows.append(
            s.features
            | {
                "new": log1p(len(new)),
                "new_share": len(new) / (len(s.stems) + 1),
                "position": log1p(i),
                "opening": float(i < 2),
                "closing": 1.0 / (count - i),
                "total": log1p(totals[roles[i]]),
                "after_question": float(before.asks),
                "answers": float(before.asks and not s.asks),
                "picks_up": log1p(len(before.stems & s.stems)),
                "asked_about": float(after.asks),
                "picked_up": log1p(len(after.stems & s.stems)),
                "after_length": log1p(after.length),
                "after_reacts": after.features["reacts"],
                "after_you": after.features["you"],
                "after_own": after.features["first_content"],
                "before_own": before.features["first_content"],
                "before_thanks": before.features["thanks"],
                "carried_on_own": len(s.stems & _next_own(shapes, roles, i)) / (len(s.stems) + 1),
                "carried_on": log1p(sum(last[word] > i for word in new)),
            }
        )
        seen |= s.stems
    return rows


def _next_own(shapes: Sequence[Shape], roles: Sequence[str], i: int) -> frozenset[str]:
    """The words of the same writer's next message."""
    for j in range(i + 1, len(shapes)):
        if roles[j] == roles[i]:
            return shapes[j].stems
    return frozenset()


def standing(scores: Sequence[float], roles: Sequence[str]) -> list[dict[str, float]]:
    """How each message's first score stands among its writer's messages and its neighbours'."""
    rows: list[dict[str, float]] = [{} for _ in scores]
    count = len(scores)
    mean = sum(scores) / count if count else 0.0
    for role in set(roles):
        mine = [i for i in range(count) if roles[i] == role]
        average = sum(scores[i] for i in mine) / len(mine)
        expected = sum(1 / (1 + exp(-max(-30.0, min(30.0, scores[i])))) for i in mine)
        for rank, i in enumerate(sorted(mine, key=lambda j: (-scores[j], j))):
            rows[i] = {
                "score": scores[i],
                "above_average": scores[i] - average,
                "rank": float(rank),
                "rank_share": rank / len(mine),
                "log_rank": log1p(rank),
                "messages": log(len(mine)),
                "expected": expected,
            }
    for i in range(count):
        for name, step in (("next", 1), ("previous", -1), ("next_own", 2), ("previous_own", -2)):
            j = i + step
            rows[i][name] = scores[j] if 0 <= j < count else mean
    return rows


def linear(row: Mapping[str, float], weights: Mapping[str, float], bias: float) -> float:
    """The weighted sum of a row; what has no weight does not count."""
    return bias + sum(weight * row[name] for name, weight in weights.items())
