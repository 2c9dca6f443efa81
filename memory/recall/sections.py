"""The whole block of a prompt: what an agent knows, what it knows of the person, then the tree.

    ## Agent Knowledge
    - Our refund window is 30 days

    ## User Information
    - The user is a software engineer with 5 years of experience

    ## Relevant Context from Previous Conversations
    - [Knowledge Gaps] The user struggled with understanding recursion

    ## Relevant Memory
    [/preferences/answers] Prefers short answers.

A pure function over one budget (E11, G15): the bodies of omnipresent memories are reserved first
though printed last, then each section takes what is left, cut at whole entries with a note of how
many were left out. A section without an entry is not there at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.recall.formats import Entry, Shown, line_of, render
from memory.recall.tokens import estimate

KNOWLEDGE = "## Agent Knowledge"
INFORMATION = "## User Information"
CONTEXT = "## Relevant Context from Previous Conversations"


@dataclass(frozen=True)
class Item:
    """One line of a list section; `tag` is a category's name, or "" for none."""

    id: int
    text: str
    tag: str = ""

    @property
    def line(self) -> str:
        text = line_of(self.text)
        tag = line_of(self.tag).replace("\\[", "(").replace("]", ")")
        return f"- [{tag}] {text}" if tag else f"- {text}"


@dataclass(frozen=True)
class Sections:
    """What was chosen for each section, in the order in which it is to be shown."""

    knowledge: Sequence[Item] = ()
    information: Sequence[Item] = ()
    context: Sequence[Item] = ()
    tree: Sequence[Entry] = ()


@dataclass(frozen=True)
class Block:
    """`text` is "" when nothing is shown. `shown` says of every memory how much of it is seen."""

    text: str = ""
    shown: dict[int, Shown] = field(default_factory=dict)
    tokens: int = 0


def block_of(
    sections: Sections, *, budget: int, omnipresent: int, information_characters: int
) -> Block:
    """The block in at most `budget` tokens; `information_characters` bounds User Information."""
    room = budget - _reserved(sections.tree, budget, omnipresent)
    parts: list[str] = []
    shown: dict[int, Shown] = {}
    for heading, items, characters in (
        (KNOWLEDGE, sections.knowledge, None),
        (INFORMATION, sections.information, information_characters),
        (CONTEXT, sections.context, None),
    ):
        lines = _fitting(heading, items, room, characters, shown)
        if lines:
            part = "\n".join([heading, *lines])
            parts.append(part)
            room -= estimate(part + "\n\n")
    spent = estimate("\n\n".join(parts) + "\n\n") if parts else 0
    tree = render(sections.tree, budget=budget - spent, omnipresent=omnipresent)
    shown.update(tree.shown)
    if tree.block:
        parts.append(tree.block)
    text = "\n\n".join(parts)
    return Block(text, shown, estimate(text) if text else 0)


def _reserved(tree: Sequence[Entry], budget: int, omnipresent: int) -> int:
    """Tokens that the bodies of omnipresent memories will take, printed last."""
    standing = [entry for entry in tree if entry.reason == "omnipresent"]
    return render(standing, budget=budget, omnipresent=omnipresent).tokens if standing else 0


def _fitting(
    heading: str,
    items: Sequence[Item],
    room: int,
    characters: int | None,
    shown: dict[int, Shown],
) -> list[str]:
    """The lines that fit, best first, and a note of how many did not."""
    left = room - estimate(heading + "\n")
    lines: list[str] = []
    for place, item in enumerate(items):
        if item.id in shown and shown[item.id] != "hidden":
            continue
        line = item.line
        cost = estimate(line + "\n")
        length = sum(len(each) + 1 for each in lines) + len(line)
        if cost > left or (characters is not None and length > characters):
            hidden = items[place:]
            shown.update((each.id, "hidden") for each in hidden)
            note = f"- ({len(hidden)} more not shown)"
            if lines and estimate(note + "\n") <= left:
                lines.append(note)
            break
        left -= cost
        lines.append(line)
        shown[item.id] = "body"
    return lines
