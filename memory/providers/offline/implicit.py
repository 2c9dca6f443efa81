"""Put back the "I" that people leave out in chat: "Just got back", "Been running"."""

import re

from memory.providers.offline import grammar
from memory.providers.offline import lexicon as lex

_FINITE = re.compile(
    r"\b(?:is|isn't|are|aren't|was|were|has|can|will|would|helps?|makes?|made|takes?"
    r"|brings?|gives?|means|seems|feels|keeps|teaches|gets)\b|'s\b"
)

_BARE_PARTICIPLE = frozenset("been gotten gone done seen taken written".split())
_BARE_PRESENT = {
    "love": "loves", "enjoy": "enjoys", "need": "needs", "want": "wants", "hate": "hates",
    "miss": "misses", "prefer": "prefers", "live": "lives", "work": "works", "have": "has",
    "wanna": "wants to", "gotta": "has to", "gonna": "is going to", "can't": "can't",
    "hoping": "is hoping", "don't": "does not", "haven't": "has not", "didn't": "didn't",
    "couldn't": "couldn't", "like": "likes",
}  # fmt: skip
_BARE_ADJECTIVE = frozenset(
    "excited allergic stoked keen passionate nervous ready busy stuck glad happy sad proud "
    "thrilled pumped obsessed married engaged pregnant vegan vegetarian interested "
    "determined".split()
)
_PASSIVE = frozenset(
    "inspired impressed surprised agreed amazed touched thrilled excited glad".split()
)
_ADVERBS = frozenset(
    "just still also recently finally already actually even only really never always "
    "lately so".split()
)


_NOT_DONE = frozenset(  # after "Don't": said of oneself, not to the other
    "like eat drink have own know speak want live smoke drive use think feel even usually care "
    "mind remember understand watch cook exercise sleep really actually own need work".split()
)
_NOT_GERUNDS = frozenset(
    "something anything nothing everything during being having king thing morning evening "
    "amazing interesting exciting inspiring according regarding knowing seeing hearing".split()
)
_AFTER_ADJECTIVE = frozenset("to about for with on of in that at".split())
_NOT_STARTS = frozenset(
    "let cut put set hit read was were did based compared quit run bet shut".split()
)
_OTHER_CLAUSE = re.compile(  # a verb that has its own subject says nothing of the -ing form
    r"\b(?:that|which|who|where|when|it|they|he|she|i|we|there|this|what|how|\w+'s)(?:'s|'m|'re)? "
    r"(?:\w+ly )?\w+(?:n't)?\b"
)
_DOES_TO_ME = re.compile(
    r"\b\w+(?:s|ed) (?:me|us|my)\b(?! (?:own|first|next|last))"
    r"|\b(?:really|always|also|definitely|totally|never|often) \w+(?:s|ed)\b"
)
_A_WHILE = re.compile(  # "Been a crazy week" is about the week
    r"(?:an? |the |so |really |quite |such )?(?:\w+ )?(?:few|couple|while|ride"
    r"|journey|day|week|month"
    r"|year|time|crazy|hectic|tough|hard|rough|long|great|good|awesome|fun)\b"
)


_CONTACT = [
    (re.compile(r"^(?:please |just |you can )*call me (?P<x>[\w' -]{2,30})$", re.IGNORECASE),
     "I want to be called"),
    (re.compile(r"^(?:please |you can |the best way to )*(?:reach|contact|call|text|e-?mail) me "
                r"(?:at|on|under|is) (?P<x>\S.*)$", re.IGNORECASE),
     "I can be reached at"),
]  # fmt: skip


def asked_for(body: str) -> str | None:
    """A wish put to the reader as a statement: "Call me Liz" → "I want to be called Liz"."""
    for pattern, start in _CONTACT:
        match = pattern.match(body)
        if match and not match["x"].casefold().startswith(("when", "if", "later", "back", "a ")):
            return f"{start} {match['x']}"
    return None


_FORGET = re.compile(
    r"^(?:(?:please|pls|now|just|ok|okay|hey|hi|actually|sorry|can you|could you|you can|you may"
    r"|you should"
    r"|i(?:'d| would) like you to|i want you to|i need you to|would you|kindly)[, ]+)*"
    r"(?:forget|(?:stop|don't|do not) (?:remember(?:ing)?|keep(?:ing)?|stor(?:e|ing))"
    r"|(?:delete|remove|erase|wipe|drop)(?= (?:what|everything|all)\b.*\b(?:know|remember|stored"
    r"|have|told)"
    r"|(?: from)? (?:the|your) memor(?:y|ies)|.* from (?:your |the )?memory"
    r"|(?: the fact)? that (?:i|my|we)\b"
    r"| (?:everything|all) about me))"
    r"(?: (?:the fact|what (?:i (?:told|said to|wrote to) you|you (?:know|remember|have(?: stored)?"
    r"|stored))"
    r"|(?:the|your) memor(?:y|ies)|(?:all |everything )(?=that )))?(?: (?:that|about"
    r"|of))?(?P<x> .+?)"
    r"(?: from (?:your |the )?memory)?[.!?]*$",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:i|i'm|i've|my|me|we|our)\b", re.IGNORECASE)
_OF_THE_CHAT = re.compile(
    r"\b(?:messages?|questions?|requests?|orders?|previous|last|instructions?|prompt|it"
    r"|conversation)\b",
    re.IGNORECASE,
)


def forget(text: str) -> str | None:
    """A wish to be forgotten as a statement: "Please forget that I have cats"."""
    match = _FORGET.match(text.strip())
    if match is None:
        return None
    what = match["x"].strip()
    if re.search(r"\b(?:everything|all)\b", text, re.IGNORECASE) and re.search(
        r"\b(?:about me|i (?:told|said)|you know|you remember|stored)\b", text, re.IGNORECASE
    ):
        return "I ask to forget everything about me"
    if not _OURS.search(what) or _OF_THE_CHAT.search(what):
        return None
    joint = (
        "that "
        if re.match(r"(?:i|i'm|i've|we|my [\w ]+ (?:is|are|has|lives))\b", what, re.IGNORECASE)
        else ""
    )
    return f"I ask to forget {joint}{what}"


def _is_subject(rest: str) -> bool:
    """Whether what follows an -ing form makes it the subject: "Running a business isn't easy"."""
    clause = re.split(r"[,;:–—]| - ", rest)[0]
    verb = _FINITE.search(_OTHER_CLAUSE.sub(" ", clause))
    return bool(verb or _DOES_TO_ME.search(clause))


def spelled_out(body: str) -> str | None:
    """The sentence with the "I" that was left out: "Just got back" → "I just got back"."""
    tokens = body.split()
    index = 0
    while index < len(tokens) and tokens[index].casefold().strip(",") in _ADVERBS:
        index += 1
    if index >= len(tokens):
        return None
    verb = tokens[index].strip(",")
    low = verb.casefold()
    rest = " ".join(tokens[index + 1 :])
    adverbs = " ".join(tokens[:index]).replace(",", "").casefold()
    lead = f"I {adverbs} ".replace("  ", " ") if adverbs else "I "
    if not rest or (low in lex.REACTIONS and low not in _BARE_ADJECTIVE):
        return None
    next_word = tokens[index + 1].casefold().strip(",")
    if low in _BARE_PARTICIPLE:
        if _A_WHILE.match(rest.casefold()):
            return None
        return f"I have {adverbs} {low} {rest}".replace("  ", " ")
    if low in _BARE_PRESENT:
        if low == "don't" and next_word not in _NOT_DONE:
            return None  # "Just don't forget" is advice
        if not adverbs and low in {"like", "have"}:
            return None
        return f"{lead}{low} {rest}"
    if low in {"looks", "sounds", "seems", "means"}:
        return None
    if low.endswith(("ing", "in'")) and len(low) > 4 and low not in _NOT_GERUNDS:
        if _is_subject(rest.casefold()):
            return None
        return f"I am {adverbs} {low} {rest}".replace("  ", " ")
    if low in _BARE_ADJECTIVE and next_word in _AFTER_ADJECTIVE:
        return f"I am {adverbs} {low} {rest}".replace("  ", " ")
    if grammar.is_past(verb) and low not in _PASSIVE and low not in _NOT_STARTS:
        if next_word in {"by", "you", "your"}:
            return None
        return f"{lead}{low} {rest}"
    return None
