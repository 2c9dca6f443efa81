"""How a text stands to what the profile holds: its key, the same said, the opposite (E7, E8)."""

from dataclasses import dataclass

from memory.models import Memory
from memory.people.duplicates import likeness, within_threshold
from memory.store import AtHand
from memory.tools.person import Person, own_rows

COMPARED = 200  # newest memories of the person that a text is compared with


@dataclass(frozen=True)
class Alike:
    """`holder` has the key that was given. All rows are locked."""

    key: str | None
    holder: Memory | None = None
    repeated: Memory | None = None
    contradicted: tuple[Memory, ...] = ()

    def to_change(self, *, may_touch_by_hand: bool) -> Memory | None:
        """The memory that says the new text from now on: the key's, else one that says the
        opposite and has no key of its own that differs. None: it is a new memory, or a repeat."""
        if self.holder is not None:
            # Said elsewhere word for word: that memory stays the only one.
            return self.holder if self.repeated in (None, self.holder) else None
        for row in self.contradicted:
            is_free = self.key is None or row.slug is None
            if is_free and (may_touch_by_hand or row.is_auto_generated):
                return row
        return None


def look(
    person: Person, text: str, text_hash: str, key: str | None, vector: AtHand | None
) -> Alike:
    """Inside `within`, with the person held."""
    locked = own_rows(person).select_for_update(of=("self",), no_key=True)
    rows = list(locked.order_by("-id")[:COMPARED])
    same = locked.filter(hash=text_hash).first()
    holder = None if key is None else locked.filter(slug=key).first()
    if holder is not None or same is not None:
        return Alike(key, holder=holder, repeated=same)
    near: list[Memory] = []
    if vector is not None:
        (near,) = within_threshold(rows, [vector.vector], vector.space)
    like = likeness(text, text_hash, rows, near)
    return Alike(key, repeated=like.repeated, contradicted=like.contradicted)
