"""Name whom "you" means where it can be nobody but the one spoken to.

"The book you recommended" is the assistant's; "you can see the sea from here" is anybody's and
stays as it is.
"""

import re

_DID = re.compile(
    r"\byou(?:'ve|'d| have| had)? (?P<verb>(?:just |already |kindly )?(?:recommended|suggested|sent"
    r"|told|gave"
    r"|given|mentioned|showed|shown|shared|wrote|written|explained|helped|asked|taught|made|posted"
    r"|described|advised|introduced))\b",
    re.IGNORECASE,
)
_THEIRS = re.compile(
    r"\byour (?P<noun>(?:last |new |great |own |chocolate |first )?(?:recipe|recipes|advice|help"
    r"|tips?|suggestions?|answers?"
    r"|reply|replies|recommendations?|explanations?|message|messages|email|post|posts|list|plan"
    r"|instructions|example|examples|question|questions))\b",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\byour (?P<noun>(?:online |web |mobile |premium |basic )?(?:shop|store|app|website|site"
    r"|service|product|products|company"
    r"|newsletter|platform|plan|support|team|api|software|restaurant|hotel|clinic|bank))\b",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\b(?P<verb>told|asked|sent|showed|gave|emailed|messaged|called|paid|wrote"
    r"|mentioned) (?P<to>to )?you\b"
    r"|\b(?P<from>from|with|by|at) you\b(?! (?:can|guys|all)\b)",
    re.IGNORECASE,
)


def spelled_out(body: str, to: str = "") -> str:
    """The sentence with "the assistant", or the name it goes by, for such a "you"."""
    who = to or "the assistant"
    body = _DID.sub(lambda m: f"{who} {m['verb']}", body)
    body = _THEIRS.sub(lambda m: f"{who}'s {m['noun']}", body)
    body = _HERE.sub(lambda m: f"this {m['noun']}", body)
    return _TO.sub(
        lambda m: (f"{m['verb']} {m['to'] or ''}" if m["verb"] else f"{m['from']} ") + who, body
    )
