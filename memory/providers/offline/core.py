"""The plain facts about a person that are kept however short they are said."""

import re

from memory.providers.offline.statements import Told
from memory.providers.offline.text import words

PLAIN = 12  # words; a like, a habit or an inability said in one short sentence

_CORE = re.compile(
    r"^(?:i(?:'m| am) (?:allergic|vegan|vegetarian|pregnant|diabetic|married|engaged|divorced"
    r"|retired|left-handed|colou?r ?blind|deaf|blind|lactose)"
    r"|i (?:live|moved|was born|work (?:as|at|for)|grew up"
    r"|have (?:a |an |two |three )?(?:\w+ )?(?:son|daughter|kids?|children|dog|cat|allerg\w+))\b"
    r"|i (?:want to be called|can be reached|ask to forget|no longer)\b"
    r"|i(?: need|'m waiting for| am waiting for| asked for| want|'d like| would like) (?:an? |my "
    r"|the )?(?:full )?"
    r"(?:refund|replacement|repair|invoice|receipt)\b"
    r"|my (?:\w+ )?(?:order|parcel|package|booking|reservation|invoice|subscription|delivery"
    r"|refund)\b"
    r"|my (?:name|pronouns|birthday|address|e-?mail|phone|favou?rite|\w+(?: \w+)?'s name)"
    r"|my \w+(?: \w+)? (?:is|are) (?:called|named)\b"
    r"|i(?:'m| am) (?:called|named|from|based in|a \w+ (?:by|at)|\d+ (?:years old)?))",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"^i (?:(?:really|also|usually|always|never|mostly|only) )?(?:like|love|enjoy|prefer|hate"
    r"|dislike|can't (?:stand|bear|eat|drink|drive|swim|use|have)"
    r"|(?:do not|don't) (?:eat|drink|like|drive|smoke|use|speak|work|own|have|want)"
    r"|speak|drive|play|use|study|teach|own|collect|smoke|drink|eat|wear|take) "
    r"(?!it\b|that\b|this\b|them\b|him\b|her\b|how\b|when\b|your?\b|to (?:see|hear)\b|the way\b)\S",
    re.IGNORECASE,
)
_NAMED = re.compile(r"^(?:I'm|I am|i'm) [A-Z][a-z]+(?: [A-Z][a-z]+)?(?:, nice to meet \w+)?$")


def is_core(told: Told) -> bool:
    """Whether the sentence is a plain personal fact such as an allergy, a home or a liking."""
    return told.direct and plain_fact(told.body)


def plain_fact(body: str) -> bool:
    """The same of a sentence in the first person, without its greeting."""
    if _CORE.search(body) or _NAMED.search(body):
        return True
    return len(words(body)) <= PLAIN and bool(_PLAIN.search(body))
