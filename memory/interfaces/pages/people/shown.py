"""A memory as a page shows it: the text, whose, how it came, how long ago. The template escapes."""

from dataclasses import dataclass

from django.utils import timezone

from memory.interfaces.pages import words
from memory.models import Memory
from memory.people import rights
from tenants.caller import Caller


@dataclass(frozen=True)
class Shown:
    """`came` is "learned" or "added by hand". Deleting one's own forgets it for good."""

    memory: Memory
    came: str
    age: str
    is_own: bool

    @property
    def edit_form(self) -> str:
        return f"edit-{self.memory.pk}"

    @property
    def delete_form(self) -> str:
        return f"delete-{self.memory.pk}"


def shown(memory: Memory, caller: Caller) -> Shown:
    by_hand = not memory.is_auto_generated and memory.kind != Memory.Kind.LEARNED
    return Shown(
        memory,
        "added by hand" if by_hand else "learned",
        words.ago(memory.created_at, timezone.now()),
        rights.is_own(caller, memory.visitor),
    )
