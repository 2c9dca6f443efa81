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
PROFILE = "## What you remember about this user"
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
    profile: Sequence[Item] = ()  # instead of information, for agents with tools; all of it
    profile_more: int = 0  # entries of it that were not even read
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
    """The block in at most `budget` tokens; `information_characters` bounds what is known of the
    person, as User Information or as their profile."""
    room = budget - _reserved(sections.tree, budget, omnipresent)
    parts: list[str] = []
    shown: dict[int, Shown] = {}
    for heading, items, characters, more in (
        (KNOWLEDGE, sections.knowledge, None, 0),
        (INFORMATION, sections.information, information_characters, 0),
        (PROFILE, sections.profile, information_characters, sections.profile_more),
        (CONTEXT, sections.context, None, 0),
    ):
        lines = _fitting(heading, items, room, characters, shown, more)
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
    more: int = 0,
) -> list[str]:
    """The lines that fit, best first, and a note of how many did not, `more` among them."""
    fresh = [item for item in items if shown.get(item.id, "hidden") == "hidden"]
    left = room - estimate(heading + "\n")
    lines: list[str] = []
    length = 0
    for item in fresh:
        line = item.line
        cost = estimate(line + "\n")
        if cost > left or (characters is not None and length + len(line) > characters):
            break
        left -= cost
        length += len(line) + 1
        lines.append(line)
    shown_here = len(lines)
    while shown_here and (note := _note(len(fresh) - shown_here + more)):
        if estimate(note + "\n") <= left:
            lines.append(note)
            break
        shown_here -= 1  # the note says what the last line's room is better for
        left += estimate(lines.pop() + "\n")
    shown.update((item.id, "body") for item in fresh[:shown_here])
    shown.update((item.id, "hidden") for item in fresh[shown_here:])
    return lines


def _note(hidden: int) -> str:
    return f"- ({hidden} more not shown)" if hidden else ""
