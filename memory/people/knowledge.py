"""What an agent knows for everyone it serves: written by hand only, never extracted."""

from django.http import Http404

from memory import store
from memory.models import Draft, Memory
from memory.models.memory import MemoryQuerySet
from memory.people import rights, texts
from memory.people.by_hand import Written
from memory.providers import space_of
from memory.store import New
from tenants.answers import Refused
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Tenant


def add_knowledge(*, by: Caller, agent_id: int, content: str) -> Written:
    """Store an entry; its creator is `by` (G12). The same text again is `AlreadyThere`."""
    text = texts.checked(content)
    _check(by, agent_id)
    with within(by.tenant_id):
        space = _space(by)
        texts.refuse_twin(_entries(agent_id), text, by=by)
    vector = texts.embed(text, space)
    with within(by.tenant_id):
        _space(by)
        new = New(
            Memory.Kind.KNOWLEDGE,
            Draft(content=text),
            agent_id=agent_id,
            vector=vector,
            source={"origin": "by hand", "by": by.sort},
        )
        with texts.once(_entries(agent_id), text, by=by):
            (memory,) = store.add_many([new], tenant_id=by.tenant_id, by=by.actor)
        _record("added", by, memory)
    return Written(memory, vector is None)


def change_knowledge(*, by: Caller, agent_id: int, memory_id: int, content: str) -> Written:
    """Replace what an entry says; a collision with another of the agent's is `AlreadyThere`."""
    text = texts.checked(content)
    _check(by, agent_id)
    with within(by.tenant_id):
        space = _space(by)
        memory = _found(agent_id, memory_id)
        texts.refuse_twin(_entries(agent_id), text, by=by, but=memory_id)
        is_new = text != memory.content
    vector = texts.embed(text, space) if is_new else None
    with within(by.tenant_id):
        memory = _found(agent_id, memory_id, to_write=True)
        before = memory.version
        with texts.once(_entries(agent_id), text, by=by):
            store.change(memory, Draft(content=text), by=by.actor, vector=vector)
        if memory.version != before:
            _record("changed", by, memory)
    return Written(memory, is_new and vector is None)


def delete_knowledge(*, by: Caller, agent_id: int, memory_id: int) -> None:
    """Close an entry: nobody receives it from now on; restorable for 30 days."""
    _check(by, agent_id)
    with within(by.tenant_id):
        memory = _found(agent_id, memory_id, to_write=True)
        store.close(memory, because=Memory.Closed.DELETED, by=by.actor)
        _record("deleted", by, memory)


def _check(by: Caller, agent_id: int) -> None:
    rights.may_curate(by)
    if by.agent_id not in (None, agent_id):
        raise Http404("no such agent")


def _space(by: Caller) -> str:
    tenant = Tenant.objects.get(pk=by.tenant_id)
    if not tenant.memory_enabled:
        raise Refused("memory is off for this organisation", status=409)
    return space_of(tenant)


def _entries(agent_id: int) -> MemoryQuerySet:
    return Memory.objects.live().in_scope(agent_id, None).filter(kind=Memory.Kind.KNOWLEDGE)


def _found(agent_id: int, memory_id: int, *, to_write: bool = False) -> Memory:
    rows = _entries(agent_id).as_of()
    if to_write:
        rows = rows.select_for_update(of=("self",), no_key=True)
    memory = rows.filter(pk=memory_id).first()
    if memory is None:
        raise Http404("no such entry")
    return memory


def _record(what: str, by: Caller, memory: Memory) -> None:
    record(
        f"knowledge.{what}",
        by=by.actor,
        subject="memory",
        subject_id=memory.pk,
        agent=memory.agent_id,
    )
