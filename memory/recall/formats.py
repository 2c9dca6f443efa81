"""What a prompt gets to see of chosen memories: a slash-keyed tree within a budget of tokens.

    ## Relevant Memory
    [/contact/preferences/style] Prefers short, bulleted answers.
    [/contact/history] Asked about enterprise pricing twice ...
    [/orders] [... 4 more here]

A pure function. Memory text is data: each memory is one line that begins with its own key, and
nothing a text holds can begin a line, a heading, an entry or another speaker's turn.

Who gets what: omnipresent bodies first, until their own share is spent; then what was triggered
and what was searched, best first, with its body while the budget lasts. What has no room for its
body shows its description; of more than three such entries in one folder the rest are counted in
one line, as is what has no room at all.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.recall.tokens import estimate

HEADING = "## Relevant Memory"
LISTED = 3  # entries of one folder that show only their description

Reason = Literal["omnipresent", "triggered", "searched", "knowledge", "profile"]
Shown = Literal["body", "description", "hidden"]
_ORDER: dict[Reason, int] = {
    "omnipresent": 0, "triggered": 1, "searched": 2, "knowledge": 3, "profile": 4,
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A memory that was chosen, and why. The order of entries of one reason is their rank."""

    id: int
    key: str
    description: str
    content: str
    reason: Reason


@dataclass(frozen=True)
class Rendered:
    """`block` is "" when nothing is shown. `shown` says of every entry how much of it is seen."""

    block: str = ""
    shown: dict[int, Shown] = field(default_factory=dict)
    tokens: int = 0


def render(entries: Iterable[Entry], *, budget: int, omnipresent: int) -> Rendered:
    """The block for these entries in at most `budget` tokens, of which `omnipresent` are reserved
    for the bodies of omnipresent ones. A memory given twice appears once, for its first reason."""
    ranked = _once(sorted(entries, key=lambda entry: _ORDER[entry.reason]))
    page = _Page(budget - _cost(HEADING))
    for entry in ranked:
        if entry.reason == "omnipresent":
            page.place(entry, body_room=omnipresent)
    for entry in ranked:
        if entry.reason != "omnipresent":
            page.place(entry, body_room=None)
    lines = page.lines()
    if not lines:
        return Rendered(shown=page.shown)
    block = "\n".join([HEADING, *lines])
    return Rendered(block, page.shown, estimate(block))


def line_of(text: str) -> str:
    """A text as the rest of one line: nothing in it can pass for structure.

    White space and line breaks of every kind fold to one space, control and direction characters
    go (joiners inside words and emoji stay), `[` is escaped wherever it stands, a leading `#` or
    list sign too, and the brackets of chat templates come apart.
    """
    if not text.isprintable():
        text = "".join(" " if char.isspace() else char for char in text if _is_kept(char))
    line = " ".join(text.split()).replace("[", "\\[")
    line = line.replace("<|", "< |").replace("|>", "| >")
    return f"\\{line}" if line.startswith(_LEADING) else line


_LEADING = ("#", ">", "-", "*", "+", "=", "`", "~")
_JOINERS = "\u200c\u200d"
_KEY = re.compile(r"[^\w./-]")


def _is_kept(char: str) -> bool:
    if char.isspace() or char in _JOINERS:
        return True
    return unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"}


def _key_of(key: str) -> str:
    return "/" + _KEY.sub("-", key).strip("/")


def body_cost(entry: Entry) -> int:
    """What an entry's line costs with its body."""
    return _cost(f"[{_key_of(entry.key)}] {line_of(entry.content)}")


def _cost(line: str) -> int:
    return estimate(line + "\n")


def _once(entries: Sequence[Entry]) -> list[Entry]:
    return list({entry.id: entry for entry in reversed(entries)}.values())[::-1]


class _Page:
    """Lines as they find room; what is counted comes last, and only where room is left."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.spent_on_bodies = 0
        self.shown: dict[int, Shown] = {}
        self._lines: list[tuple[str, int, str]] = []
        self._listed: Counter[str] = Counter()
        self._more: Counter[str] = Counter()

    def place(self, entry: Entry, *, body_room: int | None) -> None:
        """Show the body if it fits, else the description, else count it."""
        key = _key_of(entry.key)
        body, label = line_of(entry.content), line_of(entry.description)
        line = f"[{key}] {body}"
        cost = _cost(line)
        fits = body_room is None or self.spent_on_bodies + cost <= body_room
        if body and fits and self._put(key, line):
            self.spent_on_bodies += cost
            self.shown[entry.id] = "body"
            return
        folder = key.rpartition("/")[0] or "/"
        if label and self._listed[folder] < LISTED and self._put(key, f"[{key}] {label} ..."):
            self._listed[folder] += 1
            self.shown[entry.id] = "description"
            return
        self.shown[entry.id] = "hidden"
        self._more[folder] += 1

    def _put(self, key: str, line: str) -> bool:
        cost = _cost(line)
        if cost > self.room:
            return False
        self.room -= cost
        self._lines.append((key, 0, line))
        return True

    def lines(self) -> list[str]:
        """In the order of the tree, each folder's count after its entries; never counts alone."""
        if not self._lines:
            return []
        for folder, count in sorted(self._more.items()):
            self._put_count(folder, count)
        return [line for _, _, line in sorted(self._lines)]

    def _put_count(self, folder: str, count: int) -> None:
        line = f"[{folder}] [... {count} more here]"
        if _cost(line) <= self.room:
            self.room -= _cost(line)
            self._lines.append((f"{folder}/\uffff", 1, line))
