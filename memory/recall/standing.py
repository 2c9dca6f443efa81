"""What one more always-shown memory does to the others: a pure sum over their budget.

Omnipresent bodies share `OMNIPRESENT_TOKENS`, the oldest first; what no longer fits shows only
its label. So a longer text pushes out what comes after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.recall.formats import Entry, body_cost, render


@dataclass(frozen=True)
class Effect:
    """`tokens` of the budget that bodies take, before and after. The keys are of memories that
    lose their body, and of those that get it back; `fits` says whether the change's own is seen."""

    before: int
    after: int
    budget: int
    pushed_out: tuple[str, ...] = ()
    let_in: tuple[str, ...] = ()
    fits: bool = True


def effect(
    now: Sequence[Entry],
    then: Sequence[Entry],
    *,
    own: int,
    budget: int,
    omnipresent: int,
) -> Effect:
    """From the omnipresent entries as they are to what they would be, both in recall's order.

    `own` is the id of the entry that the change is about: it is neither pushed out nor let in.
    """
    bodies_now, bodies_then = (
        _bodies(entries, budget=budget, omnipresent=omnipresent) for entries in (now, then)
    )
    others = {entry.id: entry.key for entry in then if entry.id != own}
    return Effect(
        before=sum(bodies_now.values()),
        after=sum(bodies_then.values()),
        budget=omnipresent,
        pushed_out=tuple(
            key for pk, key in others.items() if pk in bodies_now and pk not in bodies_then
        ),
        let_in=tuple(
            key for pk, key in others.items() if pk in bodies_then and pk not in bodies_now
        ),
        fits=own in bodies_then or all(entry.id != own for entry in then),
    )


def _bodies(entries: Sequence[Entry], *, budget: int, omnipresent: int) -> dict[int, int]:
    """What each body that is shown costs, by id."""
    shown = render(entries, budget=budget, omnipresent=omnipresent).shown
    return {entry.id: body_cost(entry) for entry in entries if shown.get(entry.id) == "body"}
