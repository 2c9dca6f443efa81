"""Blank out what a message carries but its sender does not say: quoted mails, code, lyrics, chats.

The result has the length of the message, with line breaks in place of what was blanked, so that
offsets stay and a sentence never reaches across. Pasted prose without any mark cannot be told.
"""

import re

from memory.providers.offline.text import plain, words
from memory.providers.offline.topics import topic_of

LEAST_QUOTED = 4  # words; a shorter quotation is a title or a word

HEADLINES = frozenset(
    "update news note reminder correction question fact heads-up confession spoiler ps edit change "
    "changes context background info information clarification disclaimer backstory summary tldr "
    "tl;dr fyi btw addendum addition aside intro introduction bio about also answer situation "
    "problem issue reason status goal goals plan plans details detail location request warning "
    "secret surprise bonus honestly first second third next finally result point important "
    "allergies job address home me today yesterday tomorrow recap story disclosure truth".split()
)
_FENCE = re.compile(r"(?P<mark>```|~~~).*?(?:(?P=mark)|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|&gt;|♪|♫).*$", re.MULTILINE)
_MAIL = re.compile(
    r"^[ \t]*(?:on\b[^\n:]{3,100}(?::\d\d[^\n:]{0,60})*\bwrote:|[A-Z][\w.' -]{1,40} wrote:"
    r"|-{2,} ?(?:original message|forwarded message)|begin forwarded message:"
    r"|(?:from|von|de): [^\n]+\n(?:sent|date|to|subject): )",
    re.IGNORECASE | re.MULTILINE,
)
_SAYING = re.compile(
    r"\b(?:said|says|say|wrote|writes|told (?:me|us)|replied|answered|texted|goes|asked|sings"
    r"|reads|reading|lyrics?|quote|joke|poem)[^\n.!?:]{0,30}:(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_TASK = re.compile(  # "Please translate: ...", "Here is the letter I got: ..."
    r"(?:^|(?<=[.!?\n])\s*)[ \t]*(?:(?:please|pls|can you|could you|would you|hey|hi|ok|now|then|i"
    r"|want you to|need you to|would like you to|help me)[ ,]+)*(?:(?:translate|proofread"
    r"|summari[sz]e|rewrite|rephrase|paraphrase|correct|edit|improve|fix|check|analy[sz]e|explain"
    r"|review|shorten|complete|continue|write|say|repeat|pretend|read|parse|convert|format|classify"
    r"|answer)\b[^\n:]{0,100}|here(?:'s| is| are)\b[^\n:]{0,30}\b(?:text|e-?mail|poem|code|log"
    r"|transcript|article|lyrics|letter|story|paragraph|message|song|chat|essay|quote|review"
    r"|sentence|sample|example)\b[^\n:]{0,60}):(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_LABELLED = re.compile(
    r"^[ \t]*(?:\[?\d{1,2}[:.]\d\d[^\]\n]{0,12}\]?[ -]*)?(?P<who>(?:(?:Dr|Mr|Mrs|Ms"
    r"|Prof)\.? )?[A-Z][\w-]*(?: [A-Z][\w.-]*)?)"
    r"[ \t]*:[ \t]+(?P<rest>\S[^\n]*)$",
    re.MULTILINE,
)
_CODE_LINE = re.compile(
    r"^[ \t]*(?://|/\*|#!|<\w+[ >]|(?:def|class|import|return|const|let|var|function|print|echo)\b"
    r"[^\n]*[=(;{:]).*$|^[^\n]*(?:[{};]|=>)[ \t]*$|^[^\n]*\w\([^\n]*[\"'][^\n]*\)[ \t]*$",
    re.MULTILINE,
)
_QUOTATION = re.compile(r"\"[^\"]{1,1500}\"|«[^»]{1,1500}»")
_OPENS = re.compile(r"(?:^|[.!?:\n])\s*$")


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + "\n" * (end - start) + text[end:]


def own(message: str) -> str:
    """The message with the words of others blanked; equal to it where there are none."""
    text = plain(message)
    spans = [m.span() for m in _FENCE.finditer(message)]
    spans += [m.span() for m in _QUOTED_LINE.finditer(text)]
    spans += [m.span() for m in _CODE_LINE.finditer(text)]
    spans += [m.span("rest") for m in _SAYING.finditer(text)]
    mail = _MAIL.search(text)
    if mail:
        line = text.find("\n", mail.end())
        end = line if line >= 0 else len(text)
        replied = text[end:].lstrip().startswith((">", "&gt;"))
        spans.append((mail.start(), end if replied else len(text)))
    task = _TASK.search(text)
    if task:
        spans.append(task.span("rest"))
    spans += _speakers(text)
    spans += _quotations(text)
    for start, end in spans:
        message = _blank(message, start, end)
    return message


def _speakers(text: str) -> list[tuple[int, int]]:
    """Lines of a pasted chat: each begins with who said it."""
    lines = list(_LABELLED.finditer(text))
    return [m.span() for m in lines if _is_speaker(m["who"])]


def _is_speaker(label: str) -> bool:
    low = label.casefold()
    if low in HEADLINES or low.endswith("ly"):
        return False
    if low.startswith(("dr ", "dr. ", "mr ", "mr. ", "mrs ", "ms ", "prof ", "mrs. ", "prof. ")):
        return True
    if low in {"user", "assistant", "human", "ai", "bot", "system", "customer", "agent"}:
        return True
    return topic_of(low)[0] == "notes"


def _quotations(text: str) -> list[tuple[int, int]]:
    """Quotations that stand as sentences of their own, or hold several."""
    if text.count('"') % 2:
        return []
    found = []
    for match in _QUOTATION.finditer(text):
        inside = match[0][1:-1].strip()
        alone = bool(_OPENS.search(text, max(0, match.start() - 3), match.start()))
        several = "\n" in inside or re.search(r"[.!?]\s+\S", inside)
        if len(words(inside)) >= LEAST_QUOTED and (alone or several):
            found.append(match.span())
    return found
