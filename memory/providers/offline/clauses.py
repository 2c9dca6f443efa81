"""Cut a sentence of the first person into the facts it lists, each with its own subject.

"I live in Porto, work as a nurse and have two cats" is three facts, which change apart from each
other. What leans on the part before it ("and I walk it every day") stays with it; so does what
depends on one verb ("I like to swim and play chess").
"""

import re

from memory.providers.offline.text import words

_STRONG = re.compile(r"\s*;\s+(?:and |but |so )?")
_WEAK = re.compile(
    r"\s*,\s+(?:(?:and|but|so|while|plus)\s+)?(?:also\s+)?|\s+(?:and|but|plus)\s+(?:also\s+)?"
)
_SUBJECT = re.compile(r"^(?:i|i'm|i've|i'd|im|ive|we|we're|we've)\b", re.IGNORECASE)
_NP = r"(?:my|our) (?:[\w'-]+ ){0,2}?[\w'-]+"
_THIRD = (
    r"(?:is|are|was|were|has|have|had|lives?|works?|likes?|loves?|hates?|plays?|studies|study"
    r"|speaks?|can|can't|will|died|moved|got|goes|runs|wants?|needs?|started|does not|doesn't"
    r"|prefers?|enjoys?|owns?|drives?)"
)
_OWN = re.compile(rf"^(?P<np>{_NP}) (?:also |just |still |always )?{_THIRD}\b", re.IGNORECASE)
_CARRIES_ON = re.compile(  # the subject of the clause before is meant
    r"^(?:currently |also |now |recently |still |usually |just |really |always "
    r"|never )*(?:work (?:as|at|for|in|from|on|with)"
    r"|live (?:in|with|at|near|on|alone)|have (?:an?|the|two|three|four|five|no|some|many|several"
    r"|got|been|never|\d+|my) ?|(?:like|love|hate|prefer|enjoy|dislike|speak|play|study|own|drive"
    r"|teach|collect|run|want|need|use|eat|drink|ride|grow|keep) (?!to\b|it\b|them\b|and\b)\w"
    r"|(?:like|love|want|hope|plan|need|prefer|hate) to \w|am |was (?:born|raised|diagnosed|hired"
    r"|promoted)\b"
    r"|(?:don't|do not|can't|cannot|didn't|haven't|won't) \w|grew up\b"
    r"|(?:got|am getting) (?:married|engaged|divorced)\b|moved (?:here|to|from|back)\b"
    r"|(?:graduated|studied|retired|volunteer|volunteered)\b)",
    re.IGNORECASE,
)
_THEY_CARRY_ON = re.compile(rf"^(?:also |still )?{_THIRD} \w", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:because|when|if|that|who|which|while|where|since|than|think|said|says|between"
    r"|both|my \w+ and|until|although|though|whenever|as soon as|before|after)\b",
    re.IGNORECASE,
)
_ONE_VERB = re.compile(  # "I want to live in Porto and work there", "I can swim and drive"
    r"\bto (?!(?:the|my|our|an?|this|that|[\w-]+ing)\b)(?-i:[a-z])+\b|\b(?:can|could|will|would"
    r"|should"
    r"|might|must|may|i'll|i'd|let|help|gonna|wanna)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:it|its|them|they|there|him|her|he|she|that|those|this|these|both|so|then|too)\b",
    re.IGNORECASE,
)
_REPLACED = re.compile(r"\b(?:no longer|any ?more|used to|not)\b", re.IGNORECASE)
_REPLACES = re.compile(r"\b(?:now|instead|moved|switched|changed)\b", re.IGNORECASE)


def facts(body: str) -> list[str]:
    """The facts of a sentence in the first person; the sentence alone where it is one."""
    found: list[str] = []
    for part in _STRONG.split(body):
        found += _listed(part) if part.strip() else []
    whole = [part for part in found if len(words(part)) >= 2]
    return whole if len(whole) == len(found) and len(whole) > 1 else [body]


def _listed(sentence: str) -> list[str]:
    """The clauses of one main sentence."""
    parts = [sentence]
    start = 0
    while match := _WEAK.search(parts[-1], start):
        left, right = parts[-1][: match.start()], parts[-1][match.end() :]
        clause = _clause(left, right, parts[0], match[0])
        if clause is None:
            start = match.end()
            continue
        parts[-1:] = [left, clause]
        start = 0
    return parts


def _clause(left: str, right: str, first: str, cut: str) -> str | None:
    """What stands right of a cut as a sentence of its own, or None if it is none."""
    if len(words(left)) < 2 or _BOUND.search(left) or len(words(right)) < 2:
        return None
    head = re.split(_WEAK, right)[0]
    if _LEANS.search(head) or (_REPLACED.search(left) and _REPLACES.search(head)):
        return None
    own = _OWN.match(right)
    said = _SUBJECT.match(right)
    if own or said:
        spoken = _OWN.match(left) or re.search(r"\b(?:i|we|i'm|i've)\b", left, re.IGNORECASE)
        return right if spoken else None
    if cut.strip().startswith(",") and cut.strip() in {", so", ", while"}:
        return None
    their = _OWN.match(first) if not _SUBJECT.search(first) else None
    if their:
        return f"{their['np']} {right}" if _THEY_CARRY_ON.match(right) else None
    subject = re.search(r"\b(?:i|we)\b", left, re.IGNORECASE)
    if subject is None or _ONE_VERB.search(left) or not _CARRIES_ON.match(right):
        return None
    return f"{'We' if subject[0].casefold() == 'we' else 'I'} {right}"
