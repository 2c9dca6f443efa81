"""What changed between two texts, word by word: pure, for the before and after of a card."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Words, runs of white space, and everything else one character at a time, so that scripts
# without spaces and punctuation are compared by the character.
_TOKEN = re.compile(
    r"[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+|\s+|.", re.DOTALL
)
_MOST = 250_000  # pairs of tokens that are compared; beyond, the middle counts as replaced


@dataclass(frozen=True)
class Piece:
    """A stretch of text and on which side it stands: both, only before, only after."""

    kind: Literal["same", "gone", "new"]
    text: str


def compare(before: str, after: str) -> list[Piece]:
    """Pieces in reading order. Joining same+gone gives `before`, same+new gives `after`."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    head = _common(old, new)
    old, new, start = old[head:], new[head:], old[:head]
    tail = _common(old[::-1], new[::-1])
    end = old[len(old) - tail :]
    old, new = old[: len(old) - tail], new[: len(new) - tail]
    pieces = [("same", "".join(start))]
    if len(old) * len(new) > _MOST:
        pieces += [("gone", "".join(old)), ("new", "".join(new))]
    else:
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "equal":
                pieces.append(("same", "".join(old[a:b])))
            else:
                pieces += [("gone", "".join(old[a:b])), ("new", "".join(new[c:d]))]
    pieces.append(("same", "".join(end)))
    return _merged(pieces)


def before_of(pieces: list[Piece]) -> list[Piece]:
    """The left column: what stays and what goes."""
    return [piece for piece in pieces if piece.kind != "new"]


def after_of(pieces: list[Piece]) -> list[Piece]:
    """The right column: what stays and what comes."""
    return [piece for piece in pieces if piece.kind != "gone"]


def _common(one: list[str], other: list[str]) -> int:
    """How many tokens at the start are equal."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _merged(pieces: list[tuple[str, str]]) -> list[Piece]:
    """A lone space between two changed words changes with them, or the eye sees confetti."""
    merged: list[tuple[str, str]] = []
    gone = new = ""
    waiting = ""  # white space after a change, not yet known to be between two
    for kind, text in [*((k, t) for k, t in pieces if t), ("same", "")]:
        if kind == "same" and text.isspace() and (gone or new):
            waiting += text
            continue
        if kind == "same":
            if gone:
                merged.append(("gone", gone))
            if new:
                merged.append(("new", new))
            merged.append(("same", waiting + text))
            gone = new = waiting = ""
            continue
        if waiting:
            gone, new, waiting = gone + waiting, new + waiting, ""
        if kind == "gone":
            gone += text
        else:
            new += text
    return _joined(merged)


def _joined(pieces: list[tuple[str, str]]) -> list[Piece]:
    result: list[Piece] = []
    for kind, text in pieces:
        if not text:
            continue
        if result and result[-1].kind == kind:
            result[-1] = Piece(result[-1].kind, result[-1].text + text)
        else:
            result.append(Piece(kind, text))  # type: ignore[arg-type]
    return result
