"""Short answers to plain questions: "Where do you live?" "Porto" is "The user lives in Porto".

Only questions whose answer can be worded without understanding it, and only answers that are a
bare name or phrase; anything else is left to the sentences themselves.
"""

import re

from memory.providers.offline import grammar
from memory.providers.offline.openers import strip
from memory.providers.offline.text import plain, sentences, words

LONGEST = 6  # words of an answer

_QUESTIONS: list[tuple[re.Pattern[str], str]] = [
    (re.compile(pattern, re.IGNORECASE), wording)
    for pattern, wording in (
        (r"\bwhere (?:do you live|are you (?:living|based))(?: now)?\?", "lives in {}"),
        (r"\bwhere are you from\?", "is from {}"),
        (r"\bwhere (?:were you born|did you grow up)\?", "grew up in {}"),
        (r"\bwhat(?:'s| is) your (?:first |full )?name\?", "is called {}"),
        (r"\bwhat (?:should|may|can) i call you\?", "wants to be called {}"),
        (r"\bwhat do you do(?: for (?:a living|work))?\?", "works as {}"),
        (r"\bwhere do you work\?", "works at {}"),
        (r"\bhow old are you\?", "is {} years old"),
        (r"\bwhat are you allergic to\?", "is allergic to {}"),
        (r"\bwhat are your pronouns\?", "uses the pronouns {}"),
        (r"\bwhen(?:'s| is) your birthday\?", "has their birthday on {}"),
        (r"\bwhat languages? do you speak\?", "speaks {}"),
    )
]
_FAVOURITE = re.compile(r"\bwhat(?:'s| is) your (favou?rite [\w ]{2,30})\?", re.IGNORECASE)
_PET_NAME = re.compile(
    r"\bwhat(?:'s| is) your (\w+)'s name\?|\bwhat is your (\w+) called\?", re.IGNORECASE
)
_NO_ANSWER = re.compile(
    r"^(?:yes|yeah|yep|no|nope|not|none|nothing|nowhere|maybe|why|what|who|how"
    r"|i|i'm|it|it's|that|that's|you|sorry|idk|dunno|depends|well|hm+|ok|okay|sure|thanks|guess"
    r"|good|great|fine|secret|private"
    r"|don't|do|can|could|please|tell|never|skip|pass|none)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:in|at|as|from|on|to|it's|just) ", re.IGNORECASE)

_DENIES = re.compile(
    r"^(?:(?:no|well|sorry|hm+|oh|ah|actually|wait|but)[,.! ]+)*(?:that|this|it)"
    r"(?:'s| is| was| has| isn't| is no)?(?: all)? (?:not |no longer |longer )?"
    r"(?:quite |really |even |actually )?(?:true|right|correct|the case|accurate|valid|up to date"
    r"|wrong|outdated|out of date|incorrect|false|so|changed|mistaken)"
    r"(?: any ?more| now| by now)?[.! ]*$",
    re.IGNORECASE,
)
_FALSE = re.compile(
    r"\bnot\b|n't\b|\bno longer\b|\b(?:wrong|outdated|out of date|incorrect|false|changed"
    r"|mistaken)\b",
    re.IGNORECASE,
)
_RECALLED = re.compile(r"^I remember: (?P<what>(?:The user|[A-Z]\w+)\b.+)$")
_OF_YOU = re.compile(
    r"^(?:(?:i (?:remember|know|see|recall|noted|understand)|so|as|and|since)(?: that)?,? )?"
    r"(?P<what>(?:you|your)\b.+)$",
    re.IGNORECASE,
)
_BACK = {
    "you": "I", "your": "my", "yours": "mine", "you're": "I'm", "you've": "I've", "you'd": "I'd",
    "you'll": "I'll", "yourself": "myself", "are": "am",
}  # fmt: skip


def denied(before: str, answer: str, name: str) -> tuple[str, str] | None:
    """(statement, quote) where the user says that what was just said of them is not true.

    Only if exactly one thing was said of them: else nobody knows which is meant.
    """
    quote = answer.strip()
    if not _DENIES.match(plain(quote)) or not _FALSE.search(plain(quote)):
        return None
    said = [what for s in sentences(before) if not s.asks and (what := _of_them(s.text, name))]
    if len(said) != 1:
        return None
    return f"It is no longer true that {said[0]}.", quote


def _of_them(sentence: str, name: str) -> str | None:
    """What a sentence of the assistant says of the user, in the third person."""
    text = sentence.strip().rstrip(".!")
    recalled = _RECALLED.match(text)
    if recalled:
        what = recalled["what"]
        return what[:1].lower() + what[1:] if what.startswith("The ") else what
    match = _OF_YOU.match(text)
    if match is None:
        return None
    turned = re.sub(
        r"\b(?:you(?:'re|'ve|'d|'ll|rself|rs|r)?|are)\b",
        lambda m: _BACK[m[0].casefold()],
        match["what"],
        flags=re.IGNORECASE,
    )
    what = grammar.turn(turned, name)
    return what[:1].lower() + what[1:] if what.startswith("The ") else what


def worded(question: str, answer: str, name: str) -> tuple[str, str] | None:
    """(statement, quote) of a bare answer to a plain question at the end of a message."""
    asked = sentences(question)
    if not asked or not asked[-1].asks or "\n" in answer.strip():
        return None
    quote = answer.strip()
    body = _LEADING.sub("", strip(plain(quote)))
    count = len(words(body))
    if not 0 < count <= LONGEST or _NO_ANSWER.match(body) or quote.endswith("?"):
        return None
    last = asked[-1].text
    for pattern, wording in _QUESTIONS:
        if pattern.search(last):
            if "{} years" in wording and not body.isdigit():
                return None
            return f"{name} {wording.format(body)}.", quote
    favourite = _FAVOURITE.search(last)
    if favourite:
        return f"{name}'s {favourite[1]} is {body}.", quote
    pet = _PET_NAME.search(last)
    if pet:
        return f"{name}'s {pet[1] or pet[2]} is called {body}.", quote
    return None
