"""The Stored Memories of an agent: across its visitors, newest first, a page at a time."""

from dataclasses import dataclass

from memory.models import Memory, Reader

PAGE = 25


class BadPlace(ValueError):
    """A cursor that no page of ours contains."""


@dataclass(frozen=True)
class Page:
    rows: list[Memory]
    after: str


def page(agent_id: int, after: str = "", size: int = PAGE) -> Page:
    """Inside `within`. The key is the cursor: a decision between two pages moves nothing."""
    rows = Memory.objects.visible_to(Reader.for_member(agent_id)).filter(kind=Memory.Kind.LEARNED)
    if after:
        if not (after.isascii() and after.isdigit() and len(after) < 19):
            raise BadPlace(after)
        rows = rows.filter(pk__lt=int(after))
    found = list(rows.select_related("visitor").order_by("-pk")[: size + 1])
    return Page(found[:size], str(found[size - 1].pk) if len(found) > size else "")
