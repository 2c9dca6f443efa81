"""Does a text try to command the agent instead of telling something about a person?

A memory that reads as an order would be obeyed in every later prompt (field fault 5). What this
flags is never approved in bulk and is shown as flagged; a person decides. Wishes about oneself
("I always prefer short answers") are what memories are for and are not flagged.
"""

import re
import unicodedata

_FLAGS = re.IGNORECASE

_PRIOR = (
    r"(?:previous|prior|earlier|above|preceding|existing|other|original|initial|system|safety|your)"
)
_ORDERS = r"(?:instructions?|rules?|prompts?|directives?|guidelines?|guardrails?|polic(?:y|ies)|programming|constraints?|restrictions?)"
_DROP = r"(?:ignore|disregard|forget|override|bypass|overrule|drop|discard|do not (?:follow|obey)|don'?t (?:follow|obey)|stop (?:following|obeying))"
_POWER = (
    r"(?:approve|grant|refund|accept|authori[sz]e|confirm|allow|permit|transfer|pay|send|share|"
    r"forward|reveal|disclose|delete|remove|execute|run|comply|obey|agree|recommend|mention|include|"
    r"insert|append|reply|respond|answer|say|tell|call|give|offer|waive|skip|unlock|reset|disable)"
)

_COMMANDS = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        # setting aside what the agent was told
        rf"\b{_DROP}\b(?:\W+\w+){{0,4}}?\W+{_PRIOR}\b(?:\W+\w+){{0,3}}?\W+{_ORDERS}\b",
        rf"\b{_DROP}\s+(?:all|any|every|these|those)(?:\s+of)?(?:\s+(?:the|your))?\s+{_ORDERS}\b",
        rf"\b{_DROP}\s+(?:everything|all|anything)\s+(?:above|before|you(?:'ve| have| were| are)|that came)",
        # naming itself a rule
        (
            r"\b(?:remember|save|store|treat|keep|add|record|note|consider|take|regard)\b[^.!?\n]{0,40}"
            r"\bas\s+(?:an?|your|the)\s+(?:\w+\s+){0,2}?(?:rule|instruction|command|directive|order|policy|"
            r"system\s+(?:prompt|message))s?(?=\s*(?:[:;,.!\n\"']|$|(?:that|for|to|and|from)\b))"
        ),
        (
            r"\b(?:new|updated|permanent|standing|system|admin(?:istrator)?|developer|important)\s+"
            r"(?:instructions?|directives?|orders?|rules?|prompt|override)\s*[:=]"
        ),
        (
            r"\b(?:system|developer|admin(?:istrator)?)\s+(?:override|prompt|rule|instruction)s?\b\W+(?:\w+\W+){0,3}?"
            rf"(?:always|never|you|must|is now|{_POWER})\b"
        ),
        # orders to the agent, for good
        (
            r"\byou\s+(?:must|shall|will|should|are\s+(?:required|ordered|instructed)\s+to|have\s+to|need\s+to)\s+"
            r"(?:now\s+|always\s+|never\s+)?from\s+now\s+on\b"
        ),
        (
            rf"\b(?:from|starting)\s+(?:now|today|this\s+(?:point|moment))(?:\s+on(?:wards?)?)?\W+(?:and\s+\w+\s+)?"
            rf"(?:(?:please|always|never)\W+)*(?:you(?:'ll|\s+(?:are|will|must|shall|should|have|need|can|may))\b|(?:always|never)\s+\w+\s+(?:all|any|every|without|them|it)\b|{_POWER}\s+(?:all|any|every|without)\b)"
        ),
        (
            r"\byou\s+(?:must|shall|have\s+to|are\s+(?:required|ordered|instructed)\s+to)\s+(?:always|never|"
            rf"from\s+now\s+on|ignore|obey|comply|{_POWER})\b"
        ),
        (
            rf"(?:^|[.!?:;\n]|\band|\bthen|\bplease)\s*[\"'“(]*(?:please\s+)?(?:always|never|automatically)\s+(?:automatically\s+)?{_POWER}\b"
            r"(?:\W+\w+){0,6}?\W+(?:refunds?|requests?|discounts?|payments?|orders?|transactions?|claims?|"
            r"access|permissions?|commands?|users?|customers?|anyone|everyone|everything|anything|"
            r"without|never\s+ask|no\s+questions|unconditionally)\b"
        ),
        (
            r"\b(?:approve|grant|accept|authori[sz]e|confirm|allow|refund|transfer|pay|execute|comply)\b[^.!?\n]{0,60}"
            r"\b(?:and|but)\s+(?:never|do\s+not|don'?t)\s+(?:ever\s+)?(?:ask|check|verify|question|tell|mention|report)\b"
        ),
        (
            rf"(?<!\bI )(?<!\bwe )(?<!\bthey )(?<!\bhe )(?<!\bshe )\b{_POWER}\b[^.!?\n]{{0,40}}\bwithout\s+"
            r"(?:asking|checking|verif\w+|confirm\w*|approval|review\w*|question\w*|telling|informing)\b"
        ),
        (
            r"\b(?:do\s+not|don'?t|never)\s+(?:ever\s+)?(?:tell|inform|alert|notify|reveal\s+(?:this\s+)?to|mention\s+(?:this|it)\s+to)\s+"
            r"(?:the\s+)?(?:user|users|admin\w*|operator|developer|reviewer|anyone\s+else|human|humans)s?\b"
        ),
        # a new self for the agent
        (
            r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\b|the\b|in\b|bound|restricted|subject|free|called|named|"
            r"DAN\b|unrestricted|operating)"
        ),
        (
            r"\b(?:pretend|act)\s+(?:that\s+you\s+are|to\s+be|as\s+(?:if|though)\s+you|as\s+an?)\b[^.!?\n]{0,40}"
            r"\b(?:admin\w*|root|system|developer|unrestricted|without|no\s+(?:rules|limits|restrictions)|jailbr\w+|"
            r"evil|you\s+(?:are|have|were))\b"
        ),
        (
            r"\b(?:reveal|print|repeat|output|show|leak|disclose)\b[^.!?\n]{0,20}\b(?:your|the)\s+(?:system\s+prompt|"
            r"hidden\s+(?:prompt|instructions)|initial\s+(?:prompt|instructions))\b"
        ),
        r"\b(?:jailbreak|developer\s+mode|god\s+mode|dan\s+mode)\b\W+(?:is\s+)?(?:on|enabled?|activated?|now)\b",
        r"\b(?:enable|activate|enter|switch\s+(?:in)?to)\s+(?:jailbreak|developer|god|dan|admin|debug)\s+mode\b",
        # a made-up turn or frame
        r"(?:^|\n)\s*[\"'>#*\[<(]*\s*(?:system|developer|assistant)\s*(?:message|prompt)?\s*[\])>*]*\s*[:：]\s*\S",
        r"<\|?\s*/?\s*(?:im_start|im_end|system|assistant|endoftext|start_header_id|instructions?)\s*\|?>",
        r"\[/?(?:INST|SYS|SYSTEM)\]|<</?SYS>>",
        r"(?:^|\n)\s*#{1,6}\s*(?:system|instructions?|new\s+rules?|relevant\s+memory)\b",
        # the same in other languages that visitors write
        r"\b(?:ignoriere|vergiss|missachte)\b[^.!?\n]{0,40}\b(?:anweisung\w*|regel\w*|vorgabe\w*)\b",
        r"\b(?:ignore[zr]?|oublie[zr]?)\b[^.!?\n]{0,40}\b(?:instructions|consignes|règles)\b",
        r"\b(?:ignora|olvida|descarta)\b[^.!?\n]{0,40}\b(?:instrucciones|reglas|istruzioni|regole)\b",
        r"\bигнорируй\w*[^.!?\n]{0,40}(?:инструкци|правил|указани)\w*",
        r"(?:忽略|无视|無視)[^。！？\n]{0,15}(?:指令|指示|规则|規則|提示|命令)",
        r"(?:指示|命令|ルール)を(?:すべて|全て)?(?:無視|忘れ)",
    )
)


def instruction_like(text: str) -> bool:
    """Whether the text reads as a standing order or a prompt injection."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    plain = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    # runs of white space folded, lines kept: also keeps the searches below linear
    plain = "\n".join(line for line in map(_folded, plain.splitlines()) if line)
    return any(command.search(plain) for command in _COMMANDS)


def _folded(line: str) -> str:
    return " ".join(line.split())
