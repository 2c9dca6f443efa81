"""What the values of a transcript file mean: conversations of messages, whatever wrote them.

A message is OpenAI's: `role` and `content`, text or parts. A conversation is an object with
`messages`, a list of messages, or a tree of ChatGPT's export, of which the branch that was shown
last is read. Messages that stand alone belong to the conversation they name, or to one.

Ids are the file's own. Where it has none they follow from what was said and how often it was said
before, so that reading a file again, or a longer one, gives what is there already the same ids.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.learning.capture import ROLES, Refused, Said
from memory.learning.transcript_fields import (
    MessageIds,
    digest_once_more,
    field,
    first,
    first_of,
    time,
)
from memory.learning.transcripts import Element, Unread

STRETCH = 500  # loose messages that go together
MESSAGE_IDS = ("id", "message_id", "uuid")
CONVERSATION_IDS = ("conversation_id", "conversation", "thread_id", "session_id", "chat_id")
TIMES = ("occurred_at", "created_at", "create_time", "timestamp", "time", "date")


@dataclass(frozen=True)
class Stretch:
    """Messages of one conversation, in order. `untimed` of them say no time of their own."""

    line: int
    conversation: str
    title: str
    visitor: str | None
    said: tuple[Said, ...]
    refused: tuple[Refused, ...] = ()
    untimed: int = 0


@dataclass(frozen=True)
class _Message:
    """As the file has it; `said.id` is "" where it has none."""

    said: Said
    timed: bool


def stretches(
    elements: Iterable[Element | Unread], *, visitor_from: str | None = None
) -> Iterator[Stretch | Unread]:
    """Conversations out of values. `visitor_from` names the field that holds the visitor's id."""
    return _Reading(visitor_from).read(elements)


class _Reading:
    """One pass through a file: what was given ids so far, and the loose messages at hand."""

    def __init__(self, visitor_from: str | None) -> None:
        self.visitor_from = visitor_from
        self.named: Counter[str] = Counter()  # conversations that had to be given an id
        self.loose_ids: dict[tuple[str, str | None], str] = {}
        self.loose_said: dict[str, MessageIds] = {}
        self.loose: list[tuple[int, Any]] = []
        self.loose_of: tuple[str, str | None] | None = None

    def read(self, elements: Iterable[Element | Unread]) -> Iterator[Stretch | Unread]:
        for element in elements:
            if isinstance(element, Unread):
                yield element
            else:
                yield from self._value(element.line, element.value)
        yield from self._flush()

    def _value(self, line: int, value: Any, *, top: bool = True) -> Iterator[Stretch | Unread]:
        if isinstance(value, list):
            value = {"messages": value}
        if not isinstance(value, dict):
            yield Unread(line, "expected a message or a conversation")
        elif top and isinstance(value.get("conversations"), list):
            for each in value["conversations"]:
                yield from self._value(line, each, top=False)
        elif isinstance(value.get("mapping"), dict):
            yield self._conversation(line, value, list(_branch(value)), _exported)
        elif isinstance(value.get("messages"), list):
            yield self._conversation(line, value, value["messages"], _plain)
        elif "role" in value:
            yield from self._loose_message(line, value)
        else:
            yield Unread(line, "expected a message (role, content) or a conversation (messages)")

    def _conversation(
        self, line: int, value: dict[str, Any], messages: Sequence[Any], read: Any
    ) -> Stretch | Unread:
        visitor = None
        if self.visitor_from is not None:
            visitor = field(value, self.visitor_from) or next(
                filter(None, (field(each, self.visitor_from) for each in messages)), None
            )
            if visitor is None:
                return Unread(line, f"no {self.visitor_from!r}: whose conversation it is")
        ids = ("id", *CONVERSATION_IDS) if "mapping" not in value else ("conversation_id", "id")
        own = first(value, ids)
        begun = time(first_of(value, TIMES))
        return self._stretch(line, own, value.get("title"), visitor, messages, read, begun=begun)

    def _loose_message(self, line: int, value: dict[str, Any]) -> Iterator[Stretch | Unread]:
        visitor = None
        if self.visitor_from is not None:
            visitor = field(value, self.visitor_from)
            if visitor is None:
                yield Unread(line, f"no {self.visitor_from!r}: whose message it is")
                return
        whose = (first(value, CONVERSATION_IDS), visitor)
        if self.loose_of != whose or len(self.loose) >= STRETCH:
            yield from self._flush()
            self.loose_of = whose
        self.loose.append((line, value))

    def _flush(self) -> Iterator[Stretch]:
        if not self.loose or self.loose_of is None:
            return
        own, visitor = self.loose_of
        known = self.loose_ids.get(self.loose_of, own)
        messages = [value for _, value in self.loose]
        stretch = self._stretch(self.loose[0][0], known, "", visitor, messages, _plain, loose=True)
        self.loose_ids[self.loose_of] = stretch.conversation
        self.loose = []
        yield stretch

    def _stretch(
        self,
        line: int,
        own: str,
        title: Any,
        visitor: str | None,
        messages: Sequence[Any],
        read: Any,
        *,
        begun: datetime | None = None,
        loose: bool = False,
    ) -> Stretch:
        found = [read(each) for each in messages]
        kept = [each for each in found if isinstance(each, _Message)]
        conversation = own or self._name(kept)
        ids = self.loose_said.setdefault(conversation, MessageIds()) if loose else MessageIds()
        said, last = [], begun
        for each in kept:
            last = each.said.occurred_at or last
            number = ids.of(each.said.id or "", each.said.role, each.said.content)
            said.append(Said(each.said.role, each.said.content, number, last))
        return Stretch(
            line,
            conversation,
            title if isinstance(title, str) else "",
            visitor,
            tuple(said),
            tuple(each for each in found if isinstance(each, Refused)),
            sum(not each.timed for each in kept if each.said.role in ROLES),
        )

    def _name(self, kept: Sequence[_Message]) -> str:
        """An id for a conversation that has none: by how it begins."""
        spoken = [m.said for m in kept if m.said.role in ROLES][:2]
        return "import-" + digest_once_more([(s.role, s.content) for s in spoken], self.named)


# --- one message -----------------------------------------------------------------------------


def _plain(value: Any) -> _Message | Refused:
    """An OpenAI-style message."""
    if not isinstance(value, dict):
        return Refused(None, "expected a message (role, content)")
    number = first(value, MESSAGE_IDS)
    role = value.get("role")
    if not isinstance(role, str):
        return Refused(number or None, "role: missing")
    text = _text(value.get("content"))
    if text is None:
        why = "a tool call, no text" if value.get("tool_calls") else "content: expected text"
        return Refused(number or None, why)
    moment = time(first_of(value, TIMES))
    return _Message(Said(role, text, number, moment), moment is not None)


def _text(content: Any) -> str | None:
    """The words of a content: a text, or the text of its parts; None when it has none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [each if isinstance(each, str) else _part(each) for each in content]
    return "\n".join(each for each in parts if each) or None


def _part(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else ""


def _branch(value: dict[str, Any]) -> Iterator[Any]:
    """The nodes from the root to the one that was shown last, each once."""
    mapping: dict[str, Any] = value["mapping"]
    path: list[Any] = []
    seen: set[str] = set()
    at = value.get("current_node")
    if not isinstance(at, str) or at not in mapping:
        at = _newest(mapping)
    while isinstance(at, str) and at in mapping and at not in seen:
        seen.add(at)
        node = mapping[at] if isinstance(mapping[at], dict) else {}
        if isinstance(node.get("message"), dict):
            path.append(node["message"])
        at = node.get("parent")
    yield from reversed(path)


def _newest(mapping: dict[str, Any]) -> str | None:
    """The node that was made last, where the file does not say which was shown."""

    def made(item: tuple[int, str]) -> tuple[float, int]:
        node = mapping[item[1]]
        message = node.get("message") if isinstance(node, dict) else None
        moment = message.get("create_time") if isinstance(message, dict) else None
        return (moment if isinstance(moment, int | float) else 0.0, item[0])

    return max(enumerate(mapping), key=made, default=(0, None))[1]


def _exported(message: dict[str, Any]) -> _Message | Refused:
    """A message of ChatGPT's export: what a person saw as said, and nothing else."""
    number = first(message, MESSAGE_IDS)
    author, content = message.get("author"), message.get("content")
    role = author.get("role") if isinstance(author, dict) else None
    metadata = message.get("metadata")
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation"):
        return Refused(number or None, "hidden in the conversation")
    if role not in ROLES:
        return Refused(number or None, f"role: {str(role)[:40]!r} is not captured")
    sort = content.get("content_type") if isinstance(content, dict) else None
    if message.get("recipient") not in (None, "all"):
        return Refused(number or None, "a tool call")
    if not isinstance(content, dict) or sort not in ("text", "multimodal_text"):
        return Refused(number or None, f"content: {str(sort)[:40]!r} is not what was said")
    text = _text(content.get("parts"))
    if text is None:
        return Refused(number or None, "content: no text")
    moment = time(message.get("create_time"))
    return _Message(Said(role, text, number, moment), moment is not None)
