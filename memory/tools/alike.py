"""How a text stands to what the profile holds: its key, the same said, the opposite (E7, E8)."""

from dataclasses import dataclass

from memory.models import Memory
from memory.people.duplicates import likeness, within_threshold
from memory.recall.terms import terms
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

    def to_change(self, person: Person, *, is_reviewed: bool) -> Memory | None:
        """The memory that says the new text from now on. None: it is a new memory, or a repeat.

        The key's; else, for a model, one that says the opposite and has no key of its own that
        differs: what a machine wrote is brought up to date, what a person wrote by hand only when
        a person agrees. A person's own words are kept beside what they seem to contradict: the
        comparison may be wrong, and the answer names the other.
        """
        if self.holder is not None:
            # Said elsewhere word for word: that memory stays the only one.
            return self.holder if self.repeated in (None, self.holder) else None
        for row in self.contradicted:
            is_free = self.key is None or row.slug is None
            if is_free and (is_reviewed or (person.is_by_model and row.is_auto_generated)):
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
    repeated = like.repeated
    if repeated is not None and repeated not in near and not _says_all_of(repeated, text):
        repeated = None  # alike but for a word: that word may be the point of it
    return Alike(key, repeated=repeated, contradicted=like.contradicted)


def _says_all_of(row: Memory, text: str) -> bool:
    return terms(text).keys() <= terms(row.content).keys()
