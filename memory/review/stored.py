"""A conflict that was found after its write went in: the write stands already (D30).

`Mutation.made_by["stored"]` is the memory's number. Superseding ends what it contradicts, keeping
both changes nothing, dropping ends the memory itself, for it is what the conflict is about.
"""

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction

from memory import store
from memory.models import Memory, Mutation
from memory.review.refusals import CannotUndo, Unreadable
from memory.store.standing import still_live
from tenants.actor import Actor

STORED = "stored"


def settle(mutation: Mutation, outcome: str, by: Actor) -> Memory | None:
    """Act on a decision, inside the caller's locks; the memory that stands now, if one does."""
    stored = _locked(mutation)
    if stored is None or stored.deleted_at is not None or stored.superseded_by_id is not None:
        if outcome == "dropped":
            return None
        raise Unreadable("the memory it is about has ended since: drop it")
    if outcome == "dropped":
        store.close(stored, because=Memory.Closed.DELETED, by=by, mutation_id=mutation.pk)
        return None
    if outcome == "superseded":
        supersede_with(stored, mutation, by)
    return stored


def supersede_with(stored: Memory, mutation: Mutation, by: Actor) -> None:
    """End what the mutation contradicts in favour of a memory that stands already."""
    ends = still_live([each["id"] for each in mutation.conflicts], but=stored)
    store.supersede_all(ends, stored, because="conflict", by=by)


def take_back(mutation: Mutation, by: Actor) -> None:
    """What an undo undoes: what was ended by the decision stands again."""
    stored = _locked(mutation)
    if stored is None:
        raise CannotUndo("the memory it was about is gone")
    ended = [stored]
    if mutation.status == Mutation.Status.APPROVED:
        numbers = [each["id"] for each in mutation.conflicts]
        rows = Memory.objects.filter(superseded_by=stored, pk__in=numbers).order_by("pk")
        ended = list(rows.select_for_update(of=("self",), no_key=True))
    stand_again([each for each in ended if each.deleted_at is not None], mutation, by)


def stand_again(ended: Sequence[Memory], mutation: Mutation, by: Actor) -> None:
    """Restore what a decision had ended, all of it or nothing."""
    try:
        with transaction.atomic():
            for each in ended:
                store.restore(each, to=each.as_draft, by=by, mutation_id=mutation.pk)
    except IntegrityError as error:
        raise CannotUndo("the same text or fact was written since") from error


def is_stored(mutation: Mutation) -> bool:
    return STORED in mutation.made_by


def _locked(mutation: Mutation) -> Memory | None:
    rows: Any = Memory.objects.select_for_update(of=("self",), no_key=True)
    found: Memory | None = rows.filter(pk=mutation.made_by[STORED]).first()
    return found
