"""The offline model's use of functions: only what it is asked for in so many words, by rule.

"Remember that …" calls `remember` with those words; nothing else calls anything. What the call
answered is repeated as it is.
"""

import json
import re
from collections.abc import Iterator, Sequence

from memory.providers.offline import answer
from memory.providers.types import Call, ChatMessage, Function

_ASKED = re.compile(
    r"^\s*(?:please[, ]+|can you |could you |hey[, ]+)*"
    r"(?:remember|note|keep in mind|don'?t forget)(?: down)?(?: that)?[:,]?\s+(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_FACT = re.compile(r"^(?:to|me|when|how|what|why|where|who|if|whether|this)\b", re.IGNORECASE)
_OUTCOMES = {
    "saved": "I will remember that.",
    "updated": "I have updated what I remember.",
    "duplicate": "I know that already.",
    "pending": "I have noted it; a person has to agree before I use it.",
}


def wish(message: str) -> str | None:
    """What the user asks to be remembered, in their own words; None when they do not."""
    found = _ASKED.match(message)
    if found is None or message.rstrip().endswith("?"):
        return None
    what = found["what"].strip().rstrip(".!")
    return what if what and not _NO_FACT.match(what) else None


def converse(
    messages: Sequence[ChatMessage], *, functions: Sequence[Function], may_call: bool
) -> Iterator[str | Call]:
    last = messages[-1]
    if last.role == "tool":
        yield from answer.pieces(_told(last.content))
        return
    what = wish(last.content) if last.role == "user" else None
    if what and may_call and any(each.name == "remember" for each in functions):
        said = f"The user said: {what}."
        yield Call("call_1", "remember", json.dumps({"content": said}, ensure_ascii=False))
        return
    yield from answer.pieces(answer.reply(messages))


def _told(content: str) -> str:
    try:
        result = json.loads(content)
    except ValueError:
        result = {}
    if not isinstance(result, dict):
        result = {}
    known = _OUTCOMES.get(str(result.get("status")))
    why = result.get("detail") or result.get("error") or "something went wrong"
    return known or f"I could not keep that: {why}."
