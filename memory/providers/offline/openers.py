"""Cut what stands before and after the point of a sentence: greetings, reactions, an address."""

import re

_LEAD = re.compile(
    r"^(?:(?:hey|hi|hello|yo|yeah|yep|yes|yup|yea|nope|no|nah|oh|ah|aw+|ooh|wow|whoa"
    r"|woah|ha(?:ha)*|lol|omg"
    r"|well|so|and|but|plus|anyway|anyways|btw|by the way|also|ok|okay|sure|sure "
    r"thing|right|true|cool"
    r"|awesome|great|nice|sweet|thanks(?: a (?:lot|bunch|million))?|thank you|thx|thanks so much"
    r"|cheers|congrats|same here|me too|totally|definitely|absolutely|exactly|for sure|of course"
    r"|agreed|actually|honestly|to be honest|tbh|frankly|in fact|as for me|speaking of which"
    r"|fyi|just so you know|for the record|guess what|you know|look|listen|unfortunately|luckily"
    r"|thankfully|sadly|like|um+|uh+|hmm+|man|dude|sorry|glad you asked|fair enough"
    r"|(?:please )?(?:remember|note|keep in mind|be aware|know)(?: that)?(?=[,:]? (?:i|my|we)\b))"
    r"(?:(?:,)? [A-Z]\w+(?=[,!.]))?"
    r"(?:\s*[,!.:;–—-]+\s*|\s+(?=(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our|just"
    r"|been|had)\b)|$))+",
    re.IGNORECASE,
)
_HEADLINE = re.compile(  # "Small change: …", "Update on my leg - …"; who speaks is not a headline
    r"^(?!(?:\w+ ){0,3}(?:said|says|told|wrote|asked|named?"
    r"|called)\b)(?:(?:[\w.'-]+(?: [a-z'(][\w.'()-]*){0,4}?"
    r"|[\w.'-]+(?: [a-z'][\w.'-]*){0,2} (?:on|about|from|regarding|re|for) [\w' ]{1,30}?)"
    r"(?: is(?: that)?)?\s*(?::|\s[-–—]+|[–—])|(?:(?:some|a bit of|quick|small|big"
    r"|the) )?(?:(?:good|bad|great|sad"
    r"|exciting|big|happy|fun|funny|small|quick|minor|tiny) )?(?:news|update|reminder|correction"
    r"|note|question|fact"
    r"|heads[- ]up|confession|spoiler|ps|p\.s\.|edit|change)s?(?: is(?: that)?)?\s*[,-]+)\s*"
    r"(?=(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our)\b)",
    re.IGNORECASE,
)
_VOCATIVE_LEAD = re.compile(  # "Ava, ..." but not "Yesterday, ..."
    r"^(?!(?:[Yy]esterday|[Tt]oday|[Tt]omorrow|[Tt]onight|Sometimes|Now|Then|Once|Afterwards|Later"
    r"|Nowadays|Instead|However|Maybe|Perhaps|\w+ly|\w+day|\w+ing|In|On|At|January|February|March"
    r"|April|May|June|July|August|September|October|November|December),)[A-Z]\w+,\s+(?=\S)"
)
_VOCATIVE_TAIL = re.compile(r",\s+(?P<name>[A-Z]\w+)\s*(?=[.!]*$)")
_ASIDE = re.compile(  # said to the reader, after the point
    r"\s*[-–—,;]+\s*(?:come (?:and )?see|take a look|have a look"
    r"|check (?:it|them|this|him|her) out|look|hang in there|(?:so )?let's\b[^,]*)[.!]*$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",?\s+(?:(?:nice|good|pleased|great) to meet (?:you|ya)|you know|lol|haha|tho|though|right"
    r"|too|man|dude|btw)\s*(?=[.!]*$)",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s.!,;:…~*\-–—]+$")


def _unaddressed(body: str, to: str) -> str:
    """Without ", Ava" at the end, if that is who was spoken to ("Porto, Portugal" stays)."""
    match = _VOCATIVE_TAIL.search(body)
    if match and len(match["name"]) > 2 and to.casefold().startswith(match["name"].casefold()):
        return body[: match.start()] + body[match.end() :]
    return body


def strip(text: str, to: str = "") -> str:
    """The sentence without greeting, reaction, address, tag and end mark.

    `to` is the name of whom it is said to, if known.
    """
    body = text.strip().strip("*_~").strip()
    for _ in range(3):
        shorter = _VOCATIVE_LEAD.sub("", _HEADLINE.sub("", _LEAD.sub("", body))).lstrip(" ,-–—:")
        if shorter == body:
            break
        body = shorter
    body = _TAIL.sub("", body)
    for _ in range(2):
        body = _TAIL.sub("", _ASIDE.sub("", _TAG.sub("", _unaddressed(body, to))))
    return body
