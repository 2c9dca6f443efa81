"""Who is meant by "we": a household where it keeps house, else the speaker and others.

"We have two cats" does not say that the speaker alone has them, nor who the others are.
"""

import re

from memory.providers.offline import grammar
from memory.providers.offline import ontology_words as w

_THINGS = (
    rf"(?:{w.PETS}|{w.KIN}|{w.VEHICLE}|house|flat|apartment|home|garden|balcony|cabin|cottage|farm"
    r"|allotment|pool|yard|mortgage|cleaner|nanny|au pair)"
)
_KEEPS = re.compile(
    r"^(?P<we>we(?P<short>'ve|'re| are| have)?) (?P<adverb>(?:also|just|now|recently|still"
    r"|currently"
    r"|already|both) )?(?P<verb>(?:live|lived|moved|rent|reside)\b(?! (?:the|for|by|like|up to"
    r"|through) )"
    r"|(?:moving|living|renting|renovating|relocating|expecting)\b"
    rf"|(?:have|own|got|adopted|keep|bought|had|rescued|foster|lost|sold|share"
    rf"|need)\b(?= (?:[\w'-]+ ){{0,4}}?{_THINGS}\b))",
    re.IGNORECASE,
)
_KEEPS_HAVE = re.compile(rf"^we have (?P<rest>(?:[\w'-]+ ){{0,4}}?{_THINGS}\b.*)$", re.IGNORECASE)


def turn(body: str, name: str) -> str | None:
    """A sentence of "we" about keeping house, said of the household; None for any other."""
    have = _KEEPS_HAVE.match(body)
    if have:
        return f"{name}'s household has {_rest(have['rest'], name)}"
    match = _KEEPS.match(body)
    if match is None:
        return None
    helper = {"'ve": "has ", " have": "has ", "'re": "is ", " are": "is "}.get(
        (match["short"] or "").casefold(), ""
    )
    verb = match["verb"] if helper else grammar.third(match["verb"])
    if verb.casefold() == "got" and not helper:
        verb = "got"
    adverb = match["adverb"] or ""
    return f"{name}'s household {helper}{adverb}{verb}{_rest(body[match.end() :], name)}"


def _rest(text: str, name: str) -> str:
    """What follows, where "we" and "our" are the household's."""
    return re.sub(r"\bthe user's household's\b", "their", grammar.of_them(text, name))
