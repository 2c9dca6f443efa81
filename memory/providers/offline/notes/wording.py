"""One wording for what has many, and the marks that a sentence asks, supposes or looks back.

Done on the text, before it is cut into tokens; names keep their capitals.
"""

import re
from dataclasses import dataclass

from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.text import plain

_ROLE = "|".join(sorted(vocabulary.HOLDERS, key=len, reverse=True))


def _rules(*rules: tuple[str, str]) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern, re.IGNORECASE), new) for pattern, new in rules]


_PLAIN = _rules(
    (r"\bcan(?:'t|not)\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"\b(\w+)n't\b", r"\1 not"),
    (r"\b(it|that|there|he|she|what|who)'s\b", r"\1 is"),
    (r"\bI'm\b", "I am"),
    (r"\b(I|we|you|they)'ve\b", r"\1 have"),
    (r"\b(we|you|they)'re\b", r"\1 are"),
    (r"\bhalf an hour\b", "30 minutes"),
    (
        r"\b(takes|lasts|after|for) (?:an?|one) (?=(?:hour|minute|day|week|month|year|second)\b)",
        r"\1 1 ",
    ),
    (r"\b(?:a|one) (dozen|hundred)\b", r"\1"),
    (r"\bneed not be\b|\b(?:do|does) not (?:have|need) to be\b", "is not"),
    (r"\bneed not (?=\w)|\b(?:do|does) not (?:have|need) to (?=\w)", "do not "),
    (r"\b(?:no longer|not yet|never|hardly ever)\b", "not"),
    (r"\b(?:is|are|was) (?:yet )?to be (?=\w+ed\b)", "is not "),
    (r"\b(?:any ?more|any longer|yet|at all|as of (?:now|today)|right now|at the moment)\b", ""),
    (r"^(?:note|fyi|update|reminder|decision|agreed|info|nb)\s*[:,—-]\s+", ""),
    (
        r"^(?:[\w'.-]+ ){1,3}(?:found|confirmed|verified|noted|learned|discovered|reported"
        r"|reports|says|said|announced) that ",
        "",
    ),
    (r"\b(?:changed|switched|was (?:set|changed)|is set) to\b", "is"),
    (r"^(?:the )?(?:status|state) (?:of )(.+?) is\b", r"\1 is"),
    (r"^(?:currently|now|today|at present|so far|apparently|actually|as agreed),? ", ""),
)
_SHAPES = _rules(
    (r"\bfrom (\d{1,2}(?::\d\d)? ?(?:[ap]m)?) ?(?:to|until|till) (?=\d{1,2}(?::\d\d| ?[ap]m|$|\b))",
     r"since \1 until "),
    (r"\b(?:has|have|had) not been\b", "is not"),
    (r"\b(?:has|have|had) (?:already |now |just )?been\b", "is"),
    (r"\b(?:is|are|was|were) (?:still |currently |now )?being\b", "is"),
    (r"\b(?:must|should|shall|has to|have to|needs? to) (not )?be\b", r"is \1"),
    (r"\bwill (not )?be\b", r"is \1"),
    (r"\b(?:will )?takes? place\b|\b(?:is|are|was|will be) (?:being )?held\b", "is"),
    (r"\b(?:is|was|are|were|got) (?:re)?(?:scheduled|planned|slated|set|moved|postponed|pushed"
     r"|shifted|brought forward|delayed)(?: back)? (?:for|to|on|until|till)\b(?! be\b)", "is on"),
    (r"\b(?:moved|slipped) to (?=(?:next )?(?:mon|tue|wed|thu|fri|sat|sun|q[1-4]\b|\d))", "is on "),
    (r"\b(?:is |are )?due(?: on| by| at| in)?\b", "due is on"),
    (r"^(?P<what>.+?) is (?:required|needed|necessary) (?:for|by) (?P<by>.+)$",
     r"\g<by> requires \g<what>"),
    (r"^(?P<who>the \w+) meets (?=on\b|at\b|every\b|daily|weekly|(?:next )?"
     r"(?:mon|tue|wed|thu|fri))",
     r"\g<who> meeting is "),
    (r"\bin progress\b", "in-progress"),
    (r"\bin transit\b", "in-transit"),
    (r"\b(?:on|ahead of) (?:track|schedule|time)\b", "on-track"),
    (r"\b(?:behind schedule|running late)\b", "delayed"),
    (r"\bon hold\b", "paused"),
    (r"\bin (?:a )?(critical|stable) condition\b", r"\1"),
    (r"\bout of (?:order|service)\b", "broken"),
    (r"\bfrom home\b|\bremotely\b", "remote"),
    (r"\bfull time\b", "full-time"),
    (r"\bpart time\b", "part-time"),
    (r"\b(?:went|gone|go|goes|is|are) up (?=after|by|since|from|in\b)", "increased "),
    (r"\b(?:went|gone|go|goes) up\b", "increased"),
    (r"\b(?:went|gone) down\b", "decreased"),
    (r"\bgoes? (?:live|out)\b", "launches"),
    (r"\b(?:consists? of|comprises?|contains?|is made up of|counts)\b", "has"),
    (r"\b(?:do|does|did) not (?:need|require)\b", "not requires"),
    (r"\blacks?\b", "not has"),
    (r"\bevery (day|week|month|year|hour|night)\b", r"\1ly"),
    (r"\bdayly\b", "daily"),
    (r"\b(?:is|are|was) (?:located|situated|based|stored|hosted|kept|found|saved) "
     r"(?=in|at|on|under)", "is "),
    (r"\b(?:resides?|sits|is based|is living) (?=in|at|on)", "lives "),
    (r"\b(?:is|are|was|works) (?:employed|working) (?:at|by|for)\b|\bworks for\b", "works at"),
    (r"\b(?:is|are) (?:called|named)\b|\bgoes by\b", "name is"),
    (r"\b(?:is|are) worth\b", "is"),
    (r"^there (?:is|are|was|were) (?P<what>[^.]+?) (?:in|on|at|for|of) (?=the |our |a |[A-Z])"
     r"(?P<where>.+)$", r"\g<where> has \g<what>"),
    (r"^there (?:is|are|was|were) ", "here has "),
    (r"^(?:we|i|the team|they) (?:currently |now |still )?have (?=\d|no\b|two|three|four|five|six"
     r"|seven|eight|nine|ten)", "here has "),
    (r"\b(nobody|no one|none of us) ", r"everyone not "),
    (r"^(?P<pre>not )?(?:everyone|everybody|anyone|anybody)\b", r"\g<pre>everyone"),
)  # fmt: skip
_DECIDED = re.compile(
    r"^(?:we|i|they|(?:the )?(?:\w+ )?(?:team|board|management|group|committee|client|customer)) "
    r"(?:(?:have|has|had) )?(?:finally |now |just )?"
    r"(?:(?:decided|agreed|voted|committed) (?:to (?:use|go with|adopt|pick|choose)|on(?: using)?"
    r"|for)|settled on|opted for|went with|(?:are|is) (?:going with|using|switching to|moving to)"
    r"|chose(?: to use)?|picked|selected) (?=\S)",
    re.IGNORECASE,
)
# who holds something: "Alice owns X", "X is owned by Alice", "owner of X: Alice" -> one shape
_HOLDS = re.compile(
    r"^(?P<who>[^,]+?) (?P<role>owns|leads|heads|manages|supervises|chairs|maintains|coordinates"
    r"|handles) (?P<what>(?:the|our|all|[A-Z]).+)$"
)
_HOLDS_NOT = re.compile(
    r"^(?P<who>[^,]+?) (?:do|does) not (?P<role>own|lead|head|manage|supervise|chair|maintain"
    r"|coordinate|handle) (?P<what>.+)$"
)
_HELD = re.compile(
    rf"^(?P<what>.+?) (?:is|are|was)(?P<no> not)? (?:now )?(?P<role>{_ROLE}) (?:by|to) "
    r"(?P<who>.+)$",
    re.IGNORECASE,
)
_CHARGED = re.compile(
    r"^(?P<who>.+?) (?:is|are|was)(?P<no> not)? (?:now )?(?:responsible|accountable"
    r"|in charge|on point) (?:for|of) (?P<what>.+)$",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^(?P<key>[\w][\w '/.&-]{1,50}?)\s*(?::|=|->|→| - | — )\s+(?P<value>\S.*)$")

_ASKS = re.compile(r"[?？]\s*[\"')\]]*\s*$")
_SUPPOSES = re.compile(
    r"\b(?:might|could|would|perhaps|maybe|probably|possibly|potentially|if|unless|whether"
    r"|consider(?:s|ing|ed)?|suggest(?:s|ed|ing)?|propos(?:es|ed|ing)|discuss(?:es|ed|ing)?"
    r"|hop(?:es|ing) (?:to|for|that)|(?:want|wants|wish|wishes|plans?|intends?|aims?|hopes?) to"
    r"|expect(?:s|ed)?|likely|unlikely|seems?|apparently|allegedly|supposedly|rumou?red|assum\w+"
    r"|unclear|not sure|unsure|guess\w*|estimat\w+|think(?:s|ing)? (?:that|about|of)"
    r"|thinks|believes? (?:that|the|it|we)|not all|hypothetically|in case|draft proposal"
    r"|about to|going to|asked (?:whether|if|for|to)|let's|would like)\b"
    r"|(?<!in )\bmay (?=(?:not )?(?:be|have|move|take|need|change|switch|slip|become|still)\b)",
    re.IGNORECASE,
)
_LOOKS_BACK = re.compile(
    r"\b(?:used to|previously|formerly|originally|initially|back then|in the past|at first"
    r"|as a (?:child|kid|student)|once (?:was|had|lived|worked)"
    r"|until (?:last|(?:\w+ )?(?:19|20)\d\d)|no longer true"
    r"|old(?:er)? notes?|historically|earlier)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:on |since |during |in )?(?P<when>(?:last|next|this|previous|past|coming) "
    r"(?:week|month|year|quarter|night|spring|summer|autumn|winter|sprint|weekend)"
    r"|yesterday|tomorrow|tonight|today|this (?:morning|afternoon|evening))\b(?!'s)",
    re.IGNORECASE,
)
_NOW = {"today", "this week", "this month", "this year", "this quarter", "this sprint"}


@dataclass(frozen=True)
class Worded:
    """A sentence in one wording. `open`: how it asks or supposes; `past`: it looks back."""

    text: str
    open: frozenset[str]  # the words that suppose; "?" if it asks
    past: bool
    when: frozenset[str]
    decided: bool


def word(sentence: str) -> Worded:
    """The sentence with many wordings made one. Linear in its length."""
    text = " ".join(plain(sentence).split())
    asks = {"?"} if _ASKS.search(text) else set()
    text = text.strip(" .!…\"'").removeprefix("- ").removeprefix("* ")
    for pattern, new in _PLAIN:
        text = pattern.sub(new, text)
    open_ = frozenset(asks | {m.group().casefold() for m in _SUPPOSES.finditer(text)})
    past = bool(_LOOKS_BACK.search(text))
    when = frozenset(m["when"].casefold() for m in _WHEN.finditer(text)) - _NOW
    text = _WHEN.sub("", text)
    decided = bool(_DECIDED.match(text))
    if decided:
        text = _DECIDED.sub("we use ", text)
    text = _held(text)
    for pattern, new in _SHAPES:
        text = pattern.sub(new, text)
    note = _NOTE.match(text)
    if note and "http" not in note["key"]:
        text = f"the {note['key']} is {note['value']}"
    return Worded(" ".join(text.split()), open_, past, when, decided)


def _held(text: str) -> str:
    """Who holds what, as "the owner of X is Alice"."""
    for pattern, no in ((_HOLDS_NOT, " not"), (_HOLDS, "")):
        if found := pattern.match(text):
            role = vocabulary.HOLDERS.get(found["role"].casefold(), "owner")
            return f"the {role} of {found['what']} is{no} {found['who']}"
    if found := _HELD.match(text):
        role = vocabulary.HOLDERS[found["role"].casefold()]
        return f"the {role} of {found['what']} is{found['no'] or ''} {found['who']}"
    if found := _CHARGED.match(text):
        return f"the owner of {found['what']} is{found['no'] or ''} {found['who']}"
    return text
