"""Find the sentences in which a speaker tells about themselves, and word them as statements.

`tell(message, name)` gives candidates: the exact words, a statement in the third person, and how
much the sentence says (`weight`). Greetings, reactions, questions, requests and orders give none.
"""

import re
from dataclasses import dataclass
from math import log1p

from memory.providers.offline import (
    addressed,
    clauses,
    foreign,
    frames,
    grammar,
    household,
    implicit,
)
from memory.providers.offline import lexicon as lex
from memory.providers.offline.openers import strip
from memory.providers.offline.text import Sentence, sentences, words

LEAST = 0.6  # weight under which a sentence has nothing in it

_FIRST = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|me|mine|myself"
    r"|we|we're|we've|we'd|we'll|our|us|ours)\b"
)
_MINE = re.compile(r"\b(?:my|me|mine|myself|i|i'm|i've|i'd|i'll)\b")
_YOU = re.compile(r"\b(?:you|your|yours|you're|you've|you'll|you'd|u|ur|ya)\b")
_SUBJECT = re.compile(
    r"^(?:(?:and|but|so|also|then|now|lately|recently|today|yesterday|last \w+|this \w+|in \w+"
    r"|since \w+|for \w+|when \w+|after \w+|before \w+|on \w+),? ?){0,2}"
    r"(?:i|i'm|i've|i'd|i'll|im|ive|my|we|we're|we've|we'd|we'll|our|me)\b"
)
_POINTS = re.compile(  # leans on the sentence before it
    r"^(?:it|it's|its|that|that's|this|these|those|they|they're|he|he's|she|she's|there|which"
    r"|here's|here|reminds|makes|made|helps|helped|gives|keeps|brings|feels|felt|means|sounds|looks"
    r"|seems|gets|lets|shows|plus)\b"
)
_NO_START = frozenset("and but so also been not do don't be have never just".split())
_OTHERS = re.compile(r"\b(?:they|they're|they've|them|their|theirs|each other)\b")
_ANNOUNCES = re.compile(r"\b(?:said|says|told (?:me|us)|wrote|replied|asked|texted)$")
_CLAUSES = re.compile(r"\s+[-–—]+\s*|[-–—]+\s+|\s*;\s+|\.{3,}\s*|, (?:but|so|and) |: ")
_TAG = re.compile(
    r"[,–—-]*\s*(?:(?:and )?(?:it's |pretty |so |how |really )*"
    r"(?:cool|crazy|funny|great|nice|wild|weird))?,?\s*"
    r"(?:huh|eh|right|you know|isn't it|don't you think|ya know|okay|ok)\?+$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Told:
    """One sentence that tells about its speaker."""

    quote: str
    statement: str
    weight: float
    direct: bool  # worded in the third person; otherwise the words are reported as said
    body: str = ""  # the sentence without its greeting and address, still in the first person


def _weight(body: str) -> float:
    """How much a sentence says: words with content, numbers, names, times; not cheer or praise."""
    score = 0.0
    tokens = words(body)
    for position, word in enumerate(tokens):
        low = word.casefold()
        if low in lex.FUNCTION or low in lex.REACTIONS or low in lex.THANKS or len(low) < 2:
            continue
        score += 0.5 if low in lex.CHEER or low in lex.PRAISE else 1.0
        score += 0.4 if len(low) >= 7 else 0.0
        score += 0.5 if word[0].isdigit() or (position and word[0].isupper()) else 0.0
        score += 0.3 if low in lex.TIME or low in lex.KIN else 0.0
    return log1p(score)


def consider(sentence: Sentence, name: str, to: str = "") -> Told | None:
    """What one sentence tells about its speaker, or None."""
    text = sentence.text
    wish = implicit.forget(text)
    if wish:
        return _direct(sentence.raw, wish, name, 3.0)
    if sentence.asks:
        text = _TAG.sub("", text)
        if text == sentence.text:
            return None
    low = text.casefold()
    if frames.HOSTILE.search(low) or frames.SECRET.search(text) or frames.hypothetical(low):
        return None
    whole = _consider(text, sentence.raw, name, to)
    if whole is not None and whole.direct:
        return whole
    parts = [part for part in _CLAUSES.split(text) if part and part.strip()]
    if len(parts) > 1:
        told = [t for part in parts if (t := _consider(part, sentence.raw, name, to)) and t.direct]
        if told:
            return max(told, key=lambda t: t.weight)
    return whole


def _consider(text: str, quote: str, name: str, to: str) -> Told | None:
    body = strip(text, to)
    low = body.casefold()
    weight = _weight(body)
    if len(low) < 6 or weight < LEAST or (frames.THANKS.search(low) and weight < 2.2):
        return None
    if _ANNOUNCES.search(low):
        return None
    wish = implicit.asked_for(body)
    if wish:
        return _direct(quote, wish, name, weight + 0.6)
    if frames.AFFAIR.match(low):
        return _direct(quote, f"I say {body[:1].lower()}{body[1:]}", name, weight + 0.6)
    body = addressed.spelled_out(body, to)
    low = body.casefold()
    about_you = bool(_YOU.search(low))
    if _SUBJECT.match(low):
        if frames.courtesy(low):
            return None
        if not about_you:
            return _direct(quote, body, name, weight + 0.6)
        return Told(quote, _reported(body, name), weight - 0.3, False) if weight > 1.2 else None
    full = implicit.spelled_out(body)
    if full and frames.courtesy(full.casefold()):
        return None
    if full and not about_you:
        return _direct(quote, full, name, weight + 0.4)
    if full and weight > 1.2 and not low.startswith("you"):
        return Told(quote, _reported(full, name), weight - 0.3, False)
    if about_you or frames.ORDER.match(low):
        return None
    if _MINE.search(low) and not _POINTS.match(low):
        return _direct(quote, body, name, weight + 0.1)
    return Told(quote, _reported(body, name), weight - 0.5, False) if weight >= 1.4 else None


def _direct(quote: str, body: str, name: str, weight: float) -> Told | None:
    """In the third person; None if the speaker is not in it after all ("0:i")."""
    statement = _finish(household.turn(body, name) or grammar.turn(body, name))
    named = name.casefold() in statement.casefold()
    return Told(quote, statement, weight, True, body) if named else None


def _finish(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", '"', ")")) else ".")


def _reported(body: str, name: str) -> str:
    """What cannot be said of the speaker, as theirs: in indirect speech, or as it was said where
    that would mix up who is meant ("you", "they")."""
    low = body.casefold()
    first = low.split(" ", 1)[0].strip(",")
    clear = not _YOU.search(low) and not (_OTHERS.search(low) and _FIRST.search(low))
    if (
        clear
        and '"' not in body
        and ((first in lex.FUNCTION and first not in _NO_START) or first.endswith("ing"))
    ):
        own = body if first in lex.PRONOUNS_I else body[:1].lower() + body[1:]
        return _finish(grammar.turn(f"I say {own}", name))
    inner = body.replace('"', "'")
    return f'{name} said: "{inner[:1].upper()}{inner[1:]}."'


def _apart(told: Told, name: str) -> list[Told]:
    """ "I live in Porto and work as a nurse" is two facts, which change apart from each other."""
    if not told.direct or not _SUBJECT.match(told.body.casefold()):
        return [told]
    parts = clauses.facts(told.body)
    if len(parts) == 1:
        return [told]
    made = [_direct(told.quote, part, name, told.weight) for part in parts]
    kept = [
        m
        for part, m in zip(parts, made, strict=True)
        if m is not None and not frames.courtesy(part.casefold())
    ]
    return kept if all(made) and kept else [told]


def tell(message: str, name: str, to: str = "") -> list[Told]:
    """All candidates of a message said by `name` to `to`, in the order they stand.

    What the message quotes is nobody's statement, and what follows "suppose that" is no fact.
    """
    told: list[Told] = []
    for sentence in sentences(foreign.own(message)):
        if frames.SUPPOSE.match(sentence.text.casefold()):
            break
        found = consider(sentence, name, to)
        if found is not None:
            told.append(found)
    return [part for t in told for part in _apart(t, name)]
