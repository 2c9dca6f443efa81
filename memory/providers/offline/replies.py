"""Short answers to plain questions: "Where do you live?" "Porto" is "The user lives in Porto".

Only questions whose answer can be worded without understanding it, and only answers that are a
bare name or phrase; anything else is left to the sentences themselves.
"""

import re

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
    r"|i|i'm|it|it's|that|that's|you|sorry|idk|dunno|depends|well|hm+|ok|okay|sure|thanks|guess|good|great|fine|secret|private"
    r"|don't|do|can|could|please|tell|never|skip|pass|none)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:in|at|as|from|on|to|it's|just) ", re.IGNORECASE)


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
