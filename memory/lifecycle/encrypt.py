"""The encrypt stage: what was shared before a customer's key was set comes under it (D35).

A row a transaction, oldest first; a run that breaks off has left whole rows, and the next one goes
on. Closed and superseded memories are sealed like live ones: their text is in the table as well.
"""

from django.db import IntegrityError
from django.db.models import Exists, OuterRef

from memory import sealing, store
from memory.lifecycle.customer_key import in_the_clear, proposals_in_the_clear
from memory.models import Entity, Mention, Mutation, Relation, Unextracted
from memory.sealing import DataKey
from memory.stages import Tally
from tenants.context import within

STAGE = "encrypt"
BATCH = 100
ENTITIES = 1_000


def step(tenant_id: int) -> Tally:
    """One batch of one tenant. `processed` counts memories and proposals that were sealed."""
    with within(tenant_id):
        if sealing.key_in_use() is None:
            return Tally()
        memories = list(in_the_clear().order_by("pk").values_list("pk", flat=True)[:BATCH])
        rows = proposals_in_the_clear().order_by("pk").values_list("pk", flat=True)
        proposals = list(rows[: BATCH - len(memories)])
    tally = Tally(taken=len(memories) + len(proposals))
    for number in memories:
        with within(tenant_id):
            key = sealing.key_in_use(for_write=True)
            tally.processed += key is not None and _seal_memory(number, key)
    for number in proposals:
        with within(tenant_id):
            key = sealing.key_in_use(for_write=True)
            tally.processed += key is not None and _seal_proposal(number, key)
    if memories:
        _end_entities(tenant_id)
    tally.stop = tally.processed == 0
    return tally


def _seal_memory(number: int, key: DataKey) -> bool:
    notes = Unextracted.objects.filter(memory=number)  # first: the graph stage's order
    list(notes.select_for_update(of=("self",)).values_list("pk", flat=True))
    rows = in_the_clear().filter(pk=number)
    memory = rows.select_for_update(of=("self",), no_key=True, skip_locked=True).first()
    if memory is None:
        return False
    store.seal(memory, key)
    return True


def _seal_proposal(number: int, key: DataKey) -> bool:
    """A conflict's, whether it waits or was decided: its draft, and what was said about it."""
    rows = proposals_in_the_clear().filter(pk=number)
    mutation = rows.select_for_update(of=("self",), no_key=True, skip_locked=True).first()
    if mutation is None:
        return False
    columns = sealing.sealed_proposal(mutation.proposal, key, uid=mutation.uid)
    columns |= sealing.hushed(mutation.conflicts)
    Mutation.objects.filter(pk=number).update(**columns)
    return True


def _end_entities(tenant_id: int) -> None:
    """Names that only sealed memories spoke of. One that is spoken of meanwhile stays."""
    spoken_of = (
        Exists(Mention.objects.filter(entity=OuterRef("pk")))
        | Exists(Relation.objects.filter(subject=OuterRef("pk")))
        | Exists(Relation.objects.filter(object=OuterRef("pk")))
    )
    try:
        while True:
            with within(tenant_id):
                rows = Entity.objects.exclude(spoken_of).order_by("pk")
                numbers = list(rows.values_list("pk", flat=True)[:ENTITIES])
                Entity.objects.filter(pk__in=numbers).delete()
            if len(numbers) < ENTITIES:
                return
    except IntegrityError:
        return  # the next batch looks again
