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
    r"|thankfully|sadly|hopefully|like|um+|uh+|hmm+|man|dude|sorry|glad you asked|fair enough"
    r"|(?:please )?(?:remember|note|keep in mind|be aware|know)(?: that)?(?=[,:]? (?:i|my|we)\b))"
    r"(?:(?:,)? [A-Z]\w+(?=[,!.]))?"
    r"(?:\s*[,!.:;–—-]+\s*|\s+(?=(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our|just"
    r"|been|had)\b)|$))+",
    re.IGNORECASE,
)
_VOCATIVE_LEAD = re.compile(r"^[A-Z]\w+,\s+(?=\S)")
_VOCATIVE_TAIL = re.compile(r",\s+[A-Z]\w+\s*(?=[.!]*$)")
_TAG = re.compile(
    r",?\s+(?:(?:nice|good|pleased|great) to meet (?:you|ya)|you know|lol|haha|tho|though|right"
    r"|too|man|dude|btw)\s*(?=[.!]*$)",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s.!,;:…~*\-–—]+$")


def strip(text: str) -> str:
    """The sentence without greeting, reaction, address, tag and end mark."""
    body = text.strip().strip("*_~").strip()
    for _ in range(3):
        shorter = _VOCATIVE_LEAD.sub("", _LEAD.sub("", body)).lstrip(" ,-–—:")
        if shorter == body:
            break
        body = shorter
    body = _TAIL.sub("", body)
    for _ in range(2):
        body = _TAIL.sub("", _TAG.sub("", _VOCATIVE_TAIL.sub("", body)))
    return body
