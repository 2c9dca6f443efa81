"""What texts name, and how the things they name relate: a provider's answer for the graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.providers.types import Made


@dataclass(frozen=True)
class Link:
    """Two named things and what the text says of them: `subject` `verb` `object`, as written."""

    subject: str
    verb: str
    object: str


@dataclass(frozen=True)
class Named:
    """What one text speaks of. The ends of `links` are names too, whether listed or not."""

    names: Sequence[str] = ()
    links: Sequence[Link] = ()


@dataclass(frozen=True)
class Entities:
    """For each text that was given, in that order, what it speaks of."""

    texts: Sequence[Named]
    made: "Made"
