"""Memories of a person, added, changed and deleted by hand (E3: stored in either mode)."""

from dataclasses import dataclass

from django.http import Http404

from memory import store
from memory.lifecycle.forget import NoSuchMemory, forget
from memory.models import Category, Draft, Memory, Tombstone
from memory.models.memory import MemoryQuerySet
from memory.people import rights, texts
from memory.people.persons import Who, hold
from memory.providers import space_of
from memory.store import AtHand, New
from tenants.answers import Refused
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Tenant

LABEL = "general"  # of what every agent knows; the free label of contract 3, not shown here


@dataclass(frozen=True)
class Written:
    """`needs_vector`: the embed stage has something to do."""

    memory: Memory
    needs_vector: bool


def add_by_hand(
    *,
    by: Caller,
    who: Who,
    content: str,
    agent_id: int | None = None,
    category: str | None = None,
    at_least: int = texts.AT_LEAST,
) -> Written:
    """Store a memory of the person: what one agent knows, by category, or what every agent does.

    The person is made if new. Refused: a text too short or too long, an unknown or inactive
    category (`category_slug`), the same text in the same store (409).
    """
    text = texts.checked(content, at_least=at_least)
    with within(by.tenant_id):
        visitor = who.find(by)
        rights.may_write_person(by, visitor)
        _check_reach(by, agent_id)
        space = space_of(Tenant.objects.get(pk=by.tenant_id))
        _category(agent_id, category)
        if visitor is not None:
            texts.refuse_twin(_store_of(agent_id, visitor.pk), text, by=by)
    vector = texts.embed(text, space)
    with within(by.tenant_id):
        visitor = who.meet(by)
        rights.may_write_person(by, visitor)
        hold(visitor)
        found = _category(agent_id, category)
        draft = (
            Draft(content=text, label=LABEL)
            if found is None
            else Draft(content=text, category=found.slug)
        )
        new = New(
            Memory.Kind.PERSON,
            draft,
            agent_id=agent_id,
            visitor_id=visitor.pk,
            vector=vector,
            category=found,
            source={"origin": "by hand", "by": by.sort},
        )
        with texts.once(_store_of(agent_id, visitor.pk), text, by=by):
            (memory,) = store.add_many([new], tenant_id=by.tenant_id, by=by.actor)
        if rights.is_own(by, visitor):  # they say themselves again what they once took back
            forgotten = Tombstone.objects.in_scope(agent_id, visitor.pk)
            forgotten.filter(mutation=None, hash=memory.hash).delete()
        _record("added", by, memory)
    return Written(memory, vector is None)


def change_by_hand(
    *,
    by: Caller,
    who: Who,
    memory_id: int,
    agent_id: int | None = None,
    content: str | None = None,
    category: str | None = None,
    at_least: int = texts.AT_LEAST,
) -> Written:
    """Change what a memory says, or its category. `agent_id` is the agent it has to belong to.

    The category it has already may be inactive; one it moves to may not.
    """
    if content is None and category is None:
        raise Refused("expected content, category_slug, or both", field="content")
    text = None if content is None else texts.checked(content, at_least=at_least)
    with within(by.tenant_id):
        memory = _found(by, who, memory_id, agent_id)
        space = space_of(Tenant.objects.get(pk=by.tenant_id))
        if text is not None:
            own_store = _store_of(agent_id, memory.visitor_id)
            texts.refuse_twin(own_store, text, by=by, but=memory_id)
        needs_vector = text is not None and text != memory.content
    vector: AtHand | None = None
    if needs_vector:
        assert text is not None
        vector = texts.embed(text, space)
    with within(by.tenant_id):
        memory = _found(by, who, memory_id, agent_id, to_write=True)
        changes: dict[str, str] = {}
        if text is not None:
            changes["content"] = text
        if category is not None and (memory.category is None or category != memory.category.slug):
            moved = _category(agent_id, category)
            if moved is not None:
                changes["category"] = moved.slug
        before = memory.version
        said = memory.content if text is None else text
        with texts.once(_store_of(agent_id, memory.visitor_id), said, by=by):
            store.change(memory, Draft.model_validate(changes), by=by.actor, vector=vector)
        if memory.version != before:
            _record("changed", by, memory, fields=sorted(changes))
    return Written(memory, needs_vector and vector is None)


def delete_by_hand(*, by: Caller, who: Who, memory_id: int, agent_id: int | None = None) -> None:
    """By the person: text, vectors and versions go at once; a keyed hash keeps it from being
    learned again. By anybody else: closed, and restorable for 30 days (E9)."""
    with within(by.tenant_id):
        visitor = who.find(by)
        if visitor is not None and rights.is_own(by, visitor):
            memory = _found(by, who, memory_id, agent_id)
            try:
                forget(memory_id=memory.pk, by=by.actor, visitor_id=visitor.pk)
            except NoSuchMemory:
                raise Http404("no such memory") from None
            return
        memory = _found(by, who, memory_id, agent_id, to_write=True, is_end=True)
        store.close(memory, because=Memory.Closed.DELETED, by=by.actor)
        _record("deleted", by, memory)


def _found(
    by: Caller,
    who: Who,
    memory_id: int,
    agent_id: int | None,
    *,
    to_write: bool = False,
    is_end: bool = False,
) -> Memory:
    """The live memory of this person in this store, locked for a write; else 404."""
    visitor = who.find(by)
    rights.may_write_person(by, visitor)
    _check_reach(by, agent_id)
    if visitor is None:
        raise Http404("no such memory")
    rows = _store_of(agent_id, visitor.pk).as_of().select_related("category", "visitor")
    if to_write:
        hold(visitor, is_end=is_end)
        rows = rows.select_for_update(of=("self",), no_key=True)
    memory = rows.filter(pk=memory_id).first()
    if memory is None:
        raise Http404("no such memory")
    return memory


def _check_reach(by: Caller, agent_id: int | None) -> None:
    if agent_id is None:
        rights.may_reach_every_agent(by)
    elif by.agent_id not in (None, agent_id):
        raise Http404("no such agent")


def _category(agent_id: int | None, slug: str | None) -> Category | None:
    if agent_id is None:
        return None
    if slug is None:
        raise Refused("expected the slug of a category", field="category_slug")
    found = next((each for each in Category.objects.of(agent_id) if each.slug == slug), None)
    if found is None:
        raise Refused("the agent has no such category", field="category_slug")
    if not found.is_active:
        raise Refused("this category takes no more memories", field="category_slug")
    return found


def _store_of(agent_id: int | None, visitor_id: int | None) -> MemoryQuerySet:
    return Memory.objects.live().in_scope(agent_id, visitor_id).filter(kind=Memory.Kind.PERSON)


def _record(what: str, by: Caller, memory: Memory, **detail: object) -> None:
    record(
        f"person_memory.{what}",
        by=by.actor,
        subject="memory",
        subject_id=memory.pk,
        visitor=memory.visitor_id,
        agent=memory.agent_id,
        **detail,
    )
