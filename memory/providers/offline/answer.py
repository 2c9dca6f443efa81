"""Plain, honest sentences of the offline model, built on what the prompt says it remembers."""

import re
from collections.abc import Iterator, Sequence

from memory.providers.offline import asking
from memory.providers.offline import lexicon as lex
from memory.providers.offline.keys import place
from memory.providers.offline.text import stem, words
from memory.providers.types import ChatMessage

MOST = 5  # remembered lines in one reply
_HEADING = re.compile(r"^#{1,4}\s+(?P<title>.+?)\s*$")
_SECTION = re.compile(
    r"memor|remember|knowledge|user information|relevant context|previous conversations|profile",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:[-*•]\s+)?(?:\[(?P<key>/[^\]]*)\]\s*)?(?P<text>.*)$")
_MORE = re.compile(r"^\[?\.\.\.|more here\]?$|^\(\d+ more not shown\)$")
_ABOUT_ME = re.compile(r"\b(?:about me|know me|remember)\b", re.IGNORECASE)


def remembered(messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
    """(key, text) of every line that stands under a memory heading of a system message."""
    found: list[tuple[str, str]] = []
    for message in messages:
        if message.role != "system":
            continue
        inside = False
        for line in message.content.splitlines():
            heading = _HEADING.match(line.strip())
            if heading:
                inside = bool(_SECTION.search(heading["title"]))
                continue
            match = _LABEL.match(line.strip())
            if inside and match and match["text"] and not _MORE.search(match["text"]):
                found.append((match["key"] or "", match["text"].strip()))
    return found


def _stems(text: str) -> set[str]:
    return {stem(w) for w in words(text) if w.casefold() not in lex.FUNCTION and len(w) > 2}


def related(question: str, lines: Sequence[tuple[str, str]]) -> list[str]:
    """The remembered lines of the topic that is asked about or with a word of it, best first.

    A topic weighs more than a word: "Where do I live?" is answered by "moved to Porto".
    """
    asked, topics = _stems(question), asking.branches(question)
    scored = []
    for index, (key, text) in enumerate(lines):
        own = _stems(text)
        shared = len(asked & (own | _stems(key.replace("/", " ").replace("-", " "))))
        by_topic = asking.answers(key, topics) or asking.answers(place(text).key, topics)
        scored.append((2 * by_topic + shared, -index, text))
    hits = [text for score, _, text in sorted(scored, reverse=True) if score]
    if not hits and _ABOUT_ME.search(question):
        hits = [text for _, text in lines]
    return hits[:MOST]


def reply(messages: Sequence[ChatMessage]) -> str:
    """The whole reply to the last user message; who it is, is said once in a conversation."""
    asked = next((m.content for m in reversed(messages) if m.role == "user"), "")
    lines = remembered(messages)
    hits = related(asked, lines)
    is_known = any(m.role == "assistant" and _HONEST in m.content for m in messages)
    honest = "" if is_known else f" {_HONEST}"
    if hits:
        return " ".join(f"I remember: {_whole(hit)}" for hit in hits) + honest
    if asked.rstrip().endswith("?"):
        if not lines:
            return f"I cannot answer that.{honest} I can note what you tell me about yourself."
        # Recall found these worth the prompt: say so rather than that there is nothing.
        told = " ".join(_whole(text) for _, text in lines[:MOST])
        return f"I cannot answer that. What I was given to remember: {told}{honest}"
    return f"Thank you, I have noted your message.{honest}"


_HONEST = "I am Keepsake's offline model: I follow rules and have no language model behind me."


def _whole(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def pieces(text: str) -> Iterator[str]:
    """The text word by word, spaces kept, as a stream would bring it."""
    yield from re.findall(r"\S+\s*", text)
