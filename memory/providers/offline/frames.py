"""Sentences that say nothing lasting about their speaker: courtesy, orders, promises, secrets."""

import re

# Frames of the first person that say nothing about the speaker that would hold tomorrow.
EMPTY = re.compile(
    r"^(?:i|we) (?:(?:really|just|also|totally|so|do|can|definitely|always|still|truly) )*(?:"
    r"(?:hope|wish|bet|guess|think|know|believe|see|hear|understand|agree|appreciate"
    r"|get it|feel you|mean|suppose|wonder"
    r"|admire|envy|figured?|knew|imagine|love (?:how|that|the way|your|hearing)|like "
    r"(?:your|how|that)|get (?:you|what|why|how|that))"
    r"(?=(?: (?:you|your|it|that|so|what|how|why|the feeling|u)\b)|[.!,]*$)"
    r"|(?:can|could|will|would|should|must) (?:imagine|see|tell|only imagine|relate"
    r"|understand|agree|say|let|try|do|keep you)\b"
    r"|(?:can't|cannot|couldn't|could not) (?:imagine|agree|thank|believe|tell|say"
    r"|wait (?:to (?:see|hear)|for you|till))\b"
    r"|(?:don't|do not|didn't) (?:know|think so|understand|get it|remember|see)\b"
    r"|(?:was|am) (?:wondering|just wondering|asking|kidding|joking)\b"
    r"|(?:have|had|got) (?:a |another |one )*(?:\w+ )?question"
    r"|(?:want|need|would like|like) (?:you to|to know (?:if|how|what|why|whether"
    r"|when|where)|to ask|your help|help with|some help)"
    r"|appreciate\b|thank\b"
    r")"
)
EMPTY_BE = re.compile(
    r"^(?:i am|i'm|im|we're|we are) (?:(?:so|really|very|just|always|also|super|truly"
    r"|still|all) )*(?:"
    r"(?:sorry|glad|happy|proud|here|sure|thrilled|pleased|delighted|certain|jealous"
    r"|impressed|stoked|excited|grateful|thankful)"
    r"(?=(?: (?:for|of|to hear|to see|that you|you|your|you're|to help|if|about that"
    r"|it|with you|about your)\b)|[.!,]*$)"
    r"|(?:good|fine|ok|okay|great|well|alright|doing (?:well|good|great|fine|ok|okay))\b[^,]*$"
    r"|(?:with|behind|rooting for|asking|wondering|looking forward to (?:hearing"
    r"|seeing|it)|back$|in!*$|on it))"
)
PROMISE = re.compile(
    r"^(?:i|we)(?:'ll| will|'ll definitely| will definitely) (?:(?:definitely|totally"
    r"|also|just|always|surely) )?"
    r"(?:let you|keep you|be (?:here|there|sure)|try|do|check|think|see|take|remember"
    r"|keep (?:that|it|going)|tell you|send you|get back|talk|make sure|have to"
    r"|definitely|look into)\b"
)
THANKS = re.compile(
    r"\b(?:thank you|thanks|thx|your (?:support|words|help|kind|encouragement|advice)"
    r"|here for you|means? (?:a lot|so much|the world))\b"
)
ORDER = re.compile(
    r"^(?:please|pls|kindly|let me|let's|lets|let us|can you|could you|would you|tell"
    r"|show|give|help|explain|write|make sure|do not|don't|never"
    r"|always|ignore|disregard|forget|remember|note|act|pretend|respond|reply|answer"
    r"|say|repeat|translate|summari[sz]e|list|find|add|create|check|keep|take care"
    r"|stay|enjoy|have a|good luck|go for|hang in|believe|feel free|send|call|use|try"
    r"|delete|cancel|remove|erase|track|update|refund|ship|resend|reset|recommend|suggest|compare"
    r"|imagine|look at|check out|see you|talk|hope)\b",
)
HOSTILE = re.compile(
    r"\b(?:system (?:rule|prompt|message|instruction)|ignore (?:all|any|the|previous"
    r"|prior)|always approve|never ask|from now on,? you|you must|you are now"
    r"|override|jailbreak)\b"
)
SECRET = re.compile(
    r"\b(?:password|passphrase|passcode|api[ -]?key|secret|token|pin(?: code)?|cvv"
    r"|key) (?:is|was|:|=)|\[(?:secret|masked|redacted)[^\]]*\]"
    r"|\b(?=[\w-]{20,}\b)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]+\b"
)

SUPPOSE = re.compile(
    r"^(?:(?:and|but|so|well|ok|okay|now|please|just|hey|hi|\w+,)[, ]+)*(?:suppose|supposing"
    r"|imagine|assume"
    r"|assuming|pretend|let's (?:say|assume|pretend|suppose|imagine)|lets (?:say|assume|pretend)"
    r"|hypothetically|role-?play|in a parallel|act as (?:if|though)|say(?= (?:i|i'm|i've|my"
    r"|we)\b))\b"
    r"(?! how| what| that feeling)"
)
_UNREAL = re.compile(
    r"^(?:(?:and|but|so|well|maybe|perhaps|oh|honestly|sometimes|often|man|god"
    r"|gosh)[, ]+)*(?:what if|if only"
    r"|(?:how )?(?:i|we) (?:(?:really|just|so|often|do|sometimes|still|always) )*(?:wish"
    r"|dream that)\b"
    r"|if (?:i|we|my|our)\b.*\b(?:would|could|might|i'd|we'd)\b"
    r"|if (?:i|we) (?:ever |only )?(?:had|were|was|lived|won|owned|knew|could|worked|weren't|didn't"
    r"|wasn't|hadn't)\b|had (?:i|we)\b|were (?:i|we)\b|as if\b|in another life\b)"
)
_WOULD_IF = re.compile(
    r"\b(?:would|could|might|i'd|we'd)\b.*\b(?:if (?:i|we) (?:ever |only )?(?:had|were|was|lived"
    r"|won"
    r"|owned|knew|could|worked|weren't|didn't|wasn't|hadn't|\w+ed)|(?:unless|in case) (?:i|we))\b"
)
AFFAIR = re.compile(  # something of the speaker's, though no word of the first person says so
    r"^(?:the|next|this|tomorrow's|today's|\w+day's) (?:[\w'-]+ ){0,2}?(?:meeting|appointment"
    r"|interview|exam|wedding|flight"
    r"|deadline|delivery|surgery|operation|party|trip|lesson|presentation|launch|release|move"
    r"|checkup"
    r"|check-up|conference|concert|viewing|inspection|hearing|trial|reunion|rehearsal|booking"
    r"|reservation|call with \w+)\b(?: (?:with|for|at|of|about|to"
    r"|in) (?:[\w'-]+ ?){1,4})?,? ?(?:has been |was |got |is |will be |has |is now |been )?"
    r"(?:moved|postponed|cancelled|canceled|confirmed|booked|scheduled|rescheduled|brought forward"
    r"|pushed|delayed|due|set for"
    r"|(?<=is )(?:on|at|in|next|tomorrow|today|tonight|this)|(?<=is now )(?:on|at|in|next)"
    r"|takes place|starts|begins|ends)\b"
)


def hypothetical(low: str) -> bool:
    """Whether a sentence (lower case) tells of what is not so: "if I lived in Paris, I'd ..."."""
    return bool(SUPPOSE.match(low) or _UNREAL.match(low) or _WOULD_IF.search(low))


def courtesy(low: str) -> bool:
    """Whether a sentence of the first person (lower case) is mere courtesy or a promise."""
    return bool(EMPTY.match(low) or EMPTY_BE.match(low) or PROMISE.match(low))
