"""What was written before its conflicts were known is compared again, and a person told (D30).

A write that met newer memories three times goes in flagged `unchecked`. The sweep compares it with
what stands beside it now; a high contradiction becomes a proposal in the review queue. Nothing is
deleted here: whoever waits for an answer was given one.
"""

from memory import sealing, store
from memory.models import Draft, Memory, SharedAgent
from memory.providers import space_of
from memory.recall.query import prepare
from memory.review.stored import STORED
from memory.sharing.agents import agent_called, reader_of
from memory.sharing.contradicted import compare, nearest, standing
from memory.sharing.proposals import raise_conflict
from memory.sharing.write import (
    CHECK_SECONDS,
    EMBED_SECONDS,
    language_that_compares,
    named,
    policy_for,
)
from memory.stages import Tally
from memory.store.lock import hold_workflow
from tenants.context import within
from tenants.models import Tenant

BATCH = 20


def step(tenant_id: int) -> Tally:
    """One batch of one tenant. `processed` counts what was compared, `mutated` new proposals."""
    with within(tenant_id):
        space = space_of(Tenant.objects.get(pk=tenant_id))
        rows = Memory.objects.filter(unchecked=True, deleted_at=None)
        numbers = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
    tally = Tally(taken=len(numbers))
    for number in numbers:
        try:
            raised = _recheck(tenant_id, number, space)
        except Exception as error:  # one that cannot be compared does not hold up the others
            tally.fail(error)
            continue
        tally.processed += 1
        tally.mutated += raised
    tally.stop = tally.processed == 0
    return tally


def _recheck(tenant_id: int, number: int, space: str) -> bool:
    """Compare one; whether a proposal was raised. No provider is called inside a block."""
    with within(tenant_id):
        memory = _one(number)
        text = sealing.opened([memory])[0][1] if memory is not None else None
        if memory is None or text is None:  # it has ended, or nothing opens it any more
            store.checked(number)
            return False
    query = prepare(text, space=space, timeout=EMBED_SECONDS)
    with within(tenant_id):
        reader = reader_of(_writer(memory), workflow=memory.workflow)
        near = [each for each in nearest(reader, query) if each[0].pk != number]
    found, checked = compare(text, near, language=language_that_compares(), timeout=CHECK_SECONDS)
    made_by = {"provider": "conflict check", "model": checked.by, STORED: number}
    with within(tenant_id):
        hold_workflow(memory.workflow)
        held = _one(number, locked=True)
        if held is None or not held.unchecked:
            return False
        store.checked(number)
        policy = policy_for(held.workflow)
        high = [each for each in standing(found) if each.is_high]
        if not high or policy is None:
            return False
        key = sealing.key_in_use(for_write=True)
        raise_conflict(
            Draft.model_validate({**held.as_draft.given(), "content": text}),
            writer=_writer(held),
            hash=held.hash,
            key=key,
            found=high,
            made_by=made_by,
            policy=named(policy),
        )
    return True


def _one(number: int, *, locked: bool = False) -> Memory | None:
    rows = Memory.objects.live().as_of().select_related("writer")
    if locked:
        rows = rows.select_for_update(of=("self",), no_key=True)
    return rows.filter(pk=number).first()


def _writer(memory: Memory) -> SharedAgent:
    """With what `reader_of` needs to know of its organisation."""
    assert memory.writer is not None
    return agent_called(memory.writer.name)
