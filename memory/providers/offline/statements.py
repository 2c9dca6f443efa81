"""Find the sentences in which a speaker tells about themselves, and word them as statements.

`tell(message, name)` gives candidates: the exact words, a statement in the third person, and how
much the sentence says (`weight`). Greetings, reactions, questions, requests and orders give none.
"""

import re
from dataclasses import dataclass
from math import log1p

from memory.providers.offline import grammar
from memory.providers.offline import lexicon as lex
from memory.providers.offline.text import Sentence, sentences, words

_LEAD = re.compile(
    r"^(?:(?:hey|hi|hello|yo|yeah|yep|yes|yup|yea|nope|no|nah|oh|ah|aw+|ooh|wow|whoa|woah|ha(?:ha)*|lol|omg"
    r"|well|so|and|but|plus|anyway|anyways|btw|by the way|also|ok|okay|sure|sure thing|right|true|cool"
    r"|awesome|great|nice|sweet|thanks(?: a (?:lot|bunch|million))?|thank you|thx|thanks so much"
    r"|cheers|congrats|same here|me too|totally|definitely|absolutely|exactly|for sure|of course"
    r"|agreed|actually|honestly|to be honest|tbh|frankly|in fact|as for me|speaking of which"
    r"|fyi|just so you know|for the record|guess what|you know|look|listen|unfortunately|luckily"
    r"|thankfully|sadly|hopefully|like|um+|uh+|hmm+|man|dude|sorry|glad you asked|fair enough"
    r"|(?:please )?(?:remember|note|keep in mind|be aware|know)(?: that)?(?=[,:]? (?:i|my|we)\b))"
    r"(?:(?:,)? [A-Z]\w+(?=[,!.]))?"
    r"(?:\s*[,!.:;–—-]+\s*|\s+(?=(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our|just|been|had)\b)|$))+",
    re.IGNORECASE,
)
_VOCATIVE_LEAD = re.compile(r"^[A-Z]\w+,\s+(?=\S)")
_VOCATIVE_TAIL = re.compile(r",\s+[A-Z]\w+\s*(?=[.!]*$)")
_TAG = re.compile(
    r",?\s+(?:you know|lol|haha|tho|though|right|too|man|dude|btw)\s*(?=[.!]*$)", re.IGNORECASE
)
_TAIL = re.compile(r"[\s.!,;:…~*\-–—]+$")

# Frames of the first person that say nothing about the speaker that would hold tomorrow.
_EMPTY = re.compile(
    r"^(?:i|we) (?:(?:really|just|also|totally|so|do|can|definitely|always|still|truly) )*(?:"
    r"(?:hope|wish|bet|guess|think|know|believe|see|hear|understand|agree|appreciate|get it|feel you|mean|suppose|wonder"
    r"|admire|envy|figured?|knew|imagine|love (?:how|that|the way|your|hearing)|like (?:your|how|that)|get (?:you|what|why|how|that))"
    r"(?=(?: (?:you|your|it|that|so|what|how|why|the feeling|u)\b)|[.!,]*$)"
    r"|(?:can|could|will|would|should|must) (?:imagine|see|tell|only imagine|relate|understand|agree|say|let|try|do|keep you)\b"
    r"|(?:can't|cannot|couldn't|could not) (?:imagine|agree|thank|believe|tell|say|wait (?:to (?:see|hear)|for you|till))\b"
    r"|(?:don't|do not|didn't) (?:know|think so|understand|get it|remember|see)\b"
    r"|(?:was|am) (?:wondering|just wondering|asking|kidding|joking)\b"
    r"|(?:have|had|got) (?:a |another |one )*(?:\w+ )?question"
    r"|(?:want|need|would like|like) (?:you to|to know (?:if|how|what|why|whether|when|where)|to ask|your help|help with|some help)"
    r"|appreciate\b|thank\b"
    r")"
)
_EMPTY_BE = re.compile(
    r"^(?:i am|i'm|im|we're|we are) (?:(?:so|really|very|just|always|also|super|truly|still|all) )*(?:"
    r"(?:sorry|glad|happy|proud|here|sure|thrilled|pleased|delighted|certain|jealous|impressed|stoked|excited|grateful|thankful)"
    r"(?=(?: (?:for|of|to hear|to see|that you|you|your|you're|to help|if|about that|it|with you|about your)\b)|[.!,]*$)"
    r"|(?:good|fine|ok|okay|great|well|alright|doing (?:well|good|great|fine|ok|okay))\b[^,]*$"
    r"|(?:with|behind|rooting for|asking|wondering|looking forward to (?:hearing|seeing|it)|back$|in!*$|on it))"
)
_PROMISE = re.compile(
    r"^(?:i|we)(?:'ll| will|'ll definitely| will definitely) (?:(?:definitely|totally|also|just|always|surely) )?"
    r"(?:let you|keep you|be (?:here|there|sure)|try|do|check|think|see|take|remember|keep (?:that|it|going)|tell you|send you|get back|talk|make sure|have to|definitely|look into)\b"
)
_THANKS = re.compile(
    r"\b(?:thank you|thanks|thx|your (?:support|words|help|kind|encouragement|advice)|here for you|means? (?:a lot|so much|the world))\b"
)
_ORDER = re.compile(
    r"^(?:please|pls|kindly|let me|let's|lets|let us|can you|could you|would you|tell|show|give|help|explain|write|make sure|do not|don't|never"
    r"|always|ignore|disregard|forget|remember|note|act|pretend|respond|reply|answer|say|repeat|translate|summari[sz]e|list|find|add|create|check|keep|take care|stay|enjoy|have a|good luck|go for|hang in|believe|feel free|send|call|use|try|imagine|look at|check out|see you|talk|hope)\b",
)
_HOSTILE = re.compile(
    r"\b(?:system (?:rule|prompt|message|instruction)|ignore (?:all|any|the|previous|prior)|always approve|never ask|from now on,? you|you must|you are now|override|jailbreak)\b"
)
_SECRET = re.compile(
    r"\b(?:password|passphrase|passcode|api[ -]?key|secret|token|pin(?: code)?|cvv|key) (?:is|was|:|=)|\[(?:secret|masked|redacted)[^\]]*\]"
    r"|\b(?=[\w-]{20,}\b)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]+\b"
)
_FIRST = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|me|mine|myself|we|we're|we've|we'd|we'll|our|us|ours)\b"
)
_SUBJECT = re.compile(
    r"^(?:(?:and|but|so|also|then|now|lately|recently|today|yesterday|last \w+|this \w+|in \w+|since \w+|for \w+|when \w+|after \w+|before \w+|on \w+),? ?){0,2}(?:i|i'm|i've|i'd|i'll|im|ive|my|we|we're|we've|we'd|we'll|our|me)\b"
)
_POINTS = re.compile(
    r"^(?:it|it's|its|that|that's|this|these|those|they|they're|he|he's|she|she's|there|which|here's|here)\b"
)
_FINITE = re.compile(
    r"\b(?:is|isn't|are|aren't|was|were|has|can|will|would|helps?|makes?|made|takes?|brings?|gives?|means|seems|feels|keeps|teaches|gets)\b|'s\b"
)

_BARE_PARTICIPLE = frozenset(["been", "gotten", "gone", "done", "seen", "taken", "written"])
_BARE_PRESENT = {
    "love": "loves", "enjoy": "enjoys", "need": "needs", "want": "wants", "hate": "hates",
    "miss": "misses", "prefer": "prefers", "live": "lives", "work": "works", "have": "has",
    "wanna": "wants to", "gotta": "has to", "gonna": "is going to", "can't": "can't",
    "hoping": "is hoping", "don't": "does not", "haven't": "has not", "didn't": "didn't",
    "couldn't": "couldn't", "like": "likes",
}  # fmt: skip
_BARE_ADJECTIVE = frozenset(
    [
        "excited",
        "allergic",
        "stoked",
        "keen",
        "passionate",
        "nervous",
        "ready",
        "busy",
        "stuck",
        "glad",
        "happy",
        "sad",
        "proud",
        "thrilled",
        "pumped",
        "obsessed",
        "married",
        "engaged",
        "pregnant",
        "vegan",
        "vegetarian",
        "interested",
        "determined",
    ]
)
_PASSIVE = frozenset(
    [
        "inspired",
        "impressed",
        "surprised",
        "agreed",
        "amazed",
        "touched",
        "thrilled",
        "excited",
        "glad",
    ]
)
_ADVERBS = frozenset(
    [
        "just",
        "still",
        "also",
        "recently",
        "finally",
        "already",
        "actually",
        "even",
        "only",
        "really",
        "never",
        "always",
        "lately",
        "so",
    ]
)


@dataclass(frozen=True)
class Told:
    """One sentence that tells about its speaker."""

    quote: str
    statement: str
    weight: float
    direct: bool  # worded in the third person; otherwise the words are reported as said
    body: str = ""  # the sentence without its greeting and address, still in the first person


def _strip(text: str) -> tuple[str, bool]:
    """The sentence without greeting, reaction and address; True when "hey, ..." was cut."""
    body = text.strip().strip("*_~").strip()
    for _ in range(3):
        shorter = _VOCATIVE_LEAD.sub("", _LEAD.sub("", body)).lstrip(" ,-–—:")
        if shorter == body:
            break
        body = shorter
    body = _TAIL.sub("", body)
    for _ in range(2):
        body = _TAIL.sub("", _TAG.sub("", _VOCATIVE_TAIL.sub("", body)))
    return body, body != text


def _implicit(body: str, name: str) -> str | None:
    """The full sentence when the subject "I" was left out: "Just got back" → "`name` just ..."."""
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
        if re.match(
            r"(?:an? |the |so |really |quite |such )?(?:\w+ )?(?:few|couple|while|ride|journey|day|week|month|year|time|crazy|hectic|tough|hard|rough|long|great|good|awesome|fun)\b",
            rest.casefold(),
        ):
            return None
        return f"I have {adverbs} {low} {rest}".replace("  ", " ")
    if low in _BARE_PRESENT:
        if low in {"have", "like", "work", "live", "need"} and (
            adverbs == "" and low in {"like", "have"}
        ):
            return None
        return f"{lead}{low} {rest}"
    if low in {"looks", "sounds", "seems", "means"}:
        return None
    if (
        low.endswith(("ing", "in'"))
        and len(low) > 4
        and low
        not in {
            "something",
            "anything",
            "nothing",
            "everything",
            "during",
            "being",
            "having",
            "king",
            "thing",
            "morning",
            "evening",
            "amazing",
            "interesting",
            "exciting",
            "inspiring",
        }
    ):
        clause = re.split(r"[,;:–—]| - |\band\b", rest)[0]
        if _FINITE.search(clause.casefold()):
            return None
        return f"I am {adverbs} {low} {rest}".replace("  ", " ")
    if low in _BARE_ADJECTIVE and next_word in {
        "to",
        "about",
        "for",
        "with",
        "on",
        "of",
        "in",
        "that",
        "at",
    }:
        return f"I am {adverbs} {low} {rest}".replace("  ", " ")
    if (
        grammar.is_past(verb)
        and low not in _PASSIVE
        and low
        not in {
            "let",
            "cut",
            "put",
            "set",
            "hit",
            "read",
            "was",
            "were",
            "did",
            "based",
            "compared",
            "quit",
            "run",
        }
    ):
        if next_word in {"by", "you", "your"}:
            return None
        return f"{lead}{low} {rest}"
    if low in {"can't"}:
        return f"{lead}{low} {rest}"
    return None


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


def _asks_or_orders(low: str) -> bool:
    return bool(_ORDER.match(low)) or bool(_HOSTILE.search(low)) or bool(_SECRET.search(low))


def consider(sentence: Sentence, name: str) -> Told | None:
    """What one sentence tells about its speaker, or None."""
    if sentence.asks:
        return None
    body, _ = _strip(sentence.text)
    low = body.casefold()
    if len(low) < 6 or _HOSTILE.search(low) or _SECRET.search(body):
        return None
    weight = _weight(body)
    if weight < 0.6:
        return None
    first = bool(_FIRST.search(low))
    if _THANKS.search(low) and weight < 2.2:
        return None
    if first and _SUBJECT.match(low):
        if _EMPTY.match(low) or _EMPTY_BE.match(low) or _PROMISE.match(low):
            return None
        if not re.search(r"\byou(?:r|'re|'ve|'ll|'d|rs)?\b", low):
            return Told(sentence.raw, _finish(grammar.turn(body, name)), weight + 0.6, True, body)
        return (
            Told(sentence.raw, _reported(body, name), weight - 0.3, False) if weight > 1.2 else None
        )
    full = _implicit(body, name) if not low.startswith(("you", "your")) else None
    if full and not re.search(r"\byou(?:r|'re|'ve|'ll)?\b", low):
        if _EMPTY.match(full.casefold()) or _EMPTY_BE.match(full.casefold()):
            return None
        return Told(sentence.raw, _finish(grammar.turn(full, name)), weight + 0.4, True, full)
    if _asks_or_orders(low):
        return None
    about_you = bool(re.search(r"\byou(?:r|'re|'ve|'ll|'d|rs)?\b", low))
    mine = re.search(r"\b(?:my|me|mine|myself|i|i'm|i've|i'd|i'll)\b", low)
    if mine and not about_you and not _POINTS.match(low):
        return Told(sentence.raw, _finish(grammar.turn(body, name)), weight + 0.1, True, body)
    if weight < 1.4 or about_you:
        return None
    return Told(sentence.raw, _reported(body, name), weight - 0.5, False)


def _finish(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", '"', ")")) else ".")


def _reported(body: str, name: str) -> str:
    inner = body.replace('"', "'")
    return f'{name} said: "{inner[:1].upper()}{inner[1:]}."'


def tell(message: str, name: str) -> list[Told]:
    """All candidates of a message, in the order they stand."""
    return [told for s in sentences(message) if (told := consider(s, name)) is not None]
