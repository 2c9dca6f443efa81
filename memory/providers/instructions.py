"""Does a text try to command the agent instead of telling something about a person?

A memory that reads as an order would be obeyed in every later prompt (field fault 5). What this
flags is never approved in bulk and is shown as flagged; a person decides. Wishes about oneself
("I always prefer short answers") are what memories are for and are not flagged.
"""

import re
import unicodedata

# Words that stand for <NAME> in the patterns below.
_WORDS = {
    "DROP": r"""(?:ignore|disregard|forget|override|bypass|overrule|drop|discard
        |(?:do\ not|don'?t)\s(?:follow|obey)|stop\s(?:following|obeying))""",
    "PRIOR": r"""(?:previous|prior|earlier|above|preceding|existing|other|original|initial|system
        |safety|your)""",
    "ORDERS": r"""(?:instructions?|rules?|prompts?|directives?|guidelines?|guardrails?
        |polic(?:y|ies)|programming|constraints?|restrictions?)""",
    "POWER": r"""(?:approve|grant|refund|accept|authori[sz]e|confirm|allow|permit|transfer|pay|send
        |share|forward|reveal|disclose|delete|remove|execute|run|comply|obey|agree|recommend|mention
        |include|insert|append|reply|respond|answer|say|tell|call|give|offer|waive|skip|unlock|reset
        |disable)""",
    "GRANT": r"""(?:approve|grant|accept|authori[sz]e
        |confirm|allow|refund|transfer|pay|execute|comply)""",
    "MUST": r"(?:must|shall|have\sto|are\s(?:required|ordered|instructed)\sto)",
    "NOT": r"(?:never|do\snot|don'?t)(?:\sever)?",
    "NEAR": r"[^.!?\n]{0,40}",  # within the sentence
}

_ORDERS = (
    # --- setting aside what the agent was told ---
    r"\b<DROP>\b (?:\W+\w+){0,4}? \W+<PRIOR>\b (?:\W+\w+){0,3}? \W+<ORDERS>\b",
    r"\b<DROP>\s(?:all|any|every|these|those)(?:\sof)?(?:\s(?:the|your))?\s<ORDERS>\b",
    r"""\b<DROP>\s(?:everything|all|anything)\s
        (?:above|before|you(?:'ve|\shave|\swere|\sare)|that\scame)""",
    # --- naming itself a rule ---
    r"""\b(?:remember|save|store|treat|keep|add|record|note|consider|take|regard)\b <NEAR>
        \bas\s(?:an?|your|the)\s (?:\w+\s){0,2}?
        (?:rule|instruction|command|directive|order|policy|system\s(?:prompt|message))s?
        (?=\s*(?:[:;,.!\n"']|$|(?:that|for|to|and|from)\b))""",
    r"""\b(?:new|updated|permanent|standing|system|admin(?:istrator)?|developer|important)\s
        (?:instructions?|directives?|orders?|rules?|prompt|override)\s*[:=]""",
    r"""\b(?:system|developer|admin(?:istrator)?)\s(?:override|prompt|rule|instruction)s?\b
        \W+(?:\w+\W+){0,3}? (?:always|never|you|must|is\snow|<POWER>)\b""",
    # --- orders to the agent, for good ---
    r"\byou\s(?:<MUST>|will|should|need\sto)\s(?:(?:now|always|never)\s)?from\snow\son\b",
    r"""\b(?:from|starting)\s(?:now|today|this\s(?:point|moment))(?:\son(?:wards?)?)?\W+
        (?:and\s\w+\s)? (?:(?:please|always|never)\W+)*
        (?:you(?:'ll|\s(?:are|will|must|shall|should|have|need|can|may))\b
        |(?:always|never)\s\w+\s(?:all|any|every|without|them|it)\b
        |<POWER>\s(?:all|any|every|without)\b)""",
    r"\byou\s<MUST>\s(?:always|never|from\snow\son|ignore|obey|comply|<POWER>)\b",
    r"""(?:^|[.!?:;\n]|\band|\bthen|\bplease|\bto)\s*["'“(]*(?:please\s)?
        (?:always|never|automatically)\s(?:automatically\s)?<POWER>\b (?:\W+\w+){0,6}?\W+
        (?:refunds?|requests?|discounts?|payments?|orders?|transactions?|claims?|access
        |permissions?|commands?|users?|customers?|anyone|everyone|everything|anything|without
        |never\sask|no\squestions|unconditionally)\b""",
    r"""\b<GRANT>\b[^.!?\n]{0,60} \b(?:and|but)\s<NOT>\s
        (?:ask|check|verify|question|tell|mention|report)\b""",
    r"""(?<!\bI\s)(?<!\bwe\s)(?<!\bthey\s)(?<!\bhe\s)(?<!\bshe\s)\b<POWER>\b <NEAR> \bwithout\s
        (?:asking|checking|verif\w+|confirm\w*|approval|review\w*|question\w*|telling|informing)\b""",
    r"""\b<NOT>\s(?:tell|inform|alert|notify|reveal\s(?:this\s)?to|mention\s(?:this|it)\sto)\s
        (?:the\s)?(?:users?|admin\w*|operators?|developers?|reviewers?|anyone\selse|humans?)\b""",
    # --- a new self for the agent ---
    r"""\byou\sare\s(?:now|no\slonger)\s(?:an?\b|the\b|in\b|bound|restricted|subject|free|called
        |named|DAN\b|unrestricted|operating)""",
    r"""\b(?:pretend|act)\s(?:that\syou\sare|to\sbe|as\s(?:if|though)\syou|as\san?)\b <NEAR>
        \b(?:admin\w*|root|system|developer|unrestricted|without|jailbr\w+|evil
        |no\s(?:rules|limits|restrictions)|you\s(?:are|have|were))\b""",
    r"""\b(?:reveal|print|repeat|output|show|leak|disclose)\b[^.!?\n]{0,20}\b(?:your|the)\s
        (?:system\sprompt|(?:hidden|initial)\s(?:prompt|instructions))\b""",
    r"""\b(?:jailbreak|(?:developer|god|dan)\smode)\b\W+(?:is\s)?
        (?:on|enabled?|activated?|now)\b""",
    r"""\b(?:enable|activate|enter|switch\s(?:in)?to)\s
        (?:jailbreak|developer|god|dan|admin|debug)\smode\b""",
    # --- a made-up turn or frame ---
    r"""(?:^|\n)\s*["'>\#*\[<(]*\s*(?:system|developer|assistant)\s*(?:message|prompt)?
        \s*[\])>*]*\s*[:：]\s*\S""",
    r"""<\|?\s*/?\s*(?:im_start|im_end|system|assistant|endoftext|start_header_id|instructions?)
        \s*\|?>""",
    r"\[/?(?:INST|SYS|SYSTEM)\]|<</?SYS>>",
    r"(?:^|\n)\s*\#{1,6}\s*(?:system|instructions?|new\srules?|relevant\smemory)\b",
    # --- the same in other languages that visitors write ---
    r"\b(?:ignoriere|vergiss|missachte)\b <NEAR> \b(?:anweisung|regel|vorgabe)\w*",
    r"\b(?:ignore[zr]?|oublie[zr]?)\b <NEAR> \b(?:instructions|consignes|règles)\b",
    r"\b(?:ignora|olvida|descarta)\b <NEAR> \b(?:instrucciones|reglas|istruzioni|regole)\b",
    r"\bигнорируй\w* <NEAR> (?:инструкци|правил|указани)\w*",
    r"(?:忽略|无视|無視)[^。！？\n]{0,15}(?:指令|指示|规则|規則|提示|命令)",
    r"(?:指示|命令|ルール)を(?:すべて|全て)?(?:無視|忘れ)",
)


def _compiled(pattern: str) -> re.Pattern[str]:
    for name, words in _WORDS.items():
        pattern = pattern.replace(f"<{name}>", words)
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_PATTERNS = tuple(map(_compiled, _ORDERS))


def instruction_like(text: str) -> bool:
    """Whether the text reads as a standing order or a prompt injection."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    plain = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    # runs of white space folded, lines kept: also keeps the searches below linear
    plain = "\n".join(line for line in map(_folded, plain.splitlines()) if line)
    return any(pattern.search(plain) for pattern in _PATTERNS)


def _folded(line: str) -> str:
    return " ".join(line.split())
