"""`remember`, `update_memory` and `forget`: read, embed outside of the block, look again, write.

The second block holds the person's row, so that of two calls with one key the later one finds
what the earlier one wrote.
"""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from memory import store
from memory.lifecycle.forget import NoSuchMemory
from memory.lifecycle.forget import forget as forget_for_good
from memory.models import Draft, Memory, Tombstone
from memory.people import texts
from memory.people.by_hand import LABEL
from memory.providers.cleaning import clean, contains_secret, instruction_like
from memory.store import AtHand, New
from memory.tools import proposing
from memory.tools.alike import Alike, look
from memory.tools.arguments import unknown
from memory.tools.outcome import NO_SECRETS, Outcome, ToolError
from memory.tools.person import Person, Standing, own_rows, stand
from tenants.audit import record
from tenants.context import within
from tenants.races import settled


def remember(
    person: Person,
    *,
    content: str,
    key: str | None = None,
    category: str | None = None,
    pinned: bool | None = None,
) -> Outcome:
    """Save a text about the person; with a `key` that exists, that memory says it from now on.

    ToolError for a secret and for a person who is not there.
    """
    _refuse_secrets(content=content, key=key, category=category)
    wanted = _Wanted(clean(content).text.strip(), key, category, pinned)
    text_hash = store.hash_of(wanted.text, person.tenant_id)
    with within(person.tenant_id):
        standing = stand(person)
        refused = _refused(person, standing, wanted.text, text_hash)
        is_known = own_rows(person).filter(hash=text_hash).exists()
    if refused is not None:
        return refused
    vector = None if is_known else texts.embed(wanted.text, standing.space)

    def write() -> Outcome:
        standing = stand(person, hold=True)
        refused = _refused(person, standing, wanted.text, text_hash)
        if refused is not None:
            return refused
        alike = look(person, wanted.text, text_hash, key, vector)
        if standing.is_reviewed:
            return _propose(person, wanted, alike, vector)
        return _store(person, wanted, alike, vector)

    return _once(person, write)


def update_memory(
    person: Person,
    *,
    id: UUID | None = None,
    key: str | None = None,
    content: str | None = None,
    category: str | None = None,
    pinned: bool | None = None,
) -> Outcome:
    """Change fields of the memory that `id` or `key` names. ToolError when it is not theirs."""
    _refuse_secrets(content=content, category=category)
    text = None if content is None else clean(content).text.strip()
    text_hash = "" if text is None else store.hash_of(text, person.tenant_id)
    with within(person.tenant_id):
        standing = stand(person)
        row = _row(person, id, key)
        refused = _refused(person, standing, text, text_hash)
        says_it = text is None or text == row.content
    if refused is not None:
        return refused
    vector = None if says_it or text is None else texts.embed(text, standing.space)

    def write() -> Outcome:
        standing = stand(person, hold=True)
        row = _row(person, id, key, lock=True)
        refused = _refused(person, standing, text, text_hash)
        if refused is not None:
            return refused
        patch = _patch(row, text=text, category=category, pinned=pinned)
        if not patch.given():
            return Outcome("duplicate", str(row.uid), "it says this already: nothing was changed")
        twin = own_rows(person).filter(hash=text_hash).exclude(pk=row.pk).first()
        if text is not None and twin is not None:
            return _duplicate(twin)
        if standing.is_reviewed:
            return proposing.change(person, row, patch, vector, tool="update_memory")
        return _changed(person, row, patch, vector)

    return _once(person, write)


def forget(person: Person, *, id: UUID | None = None, key: str | None = None) -> Outcome:
    """Delete the memory that `id` or `key` names. ToolError when it is not theirs.

    By the person, and by the model of an automatic agent for them, it is gone for good and is not
    learned again (E9); by hand it is closed and restorable for 30 days.
    """
    with within(person.tenant_id):
        standing = stand(person, hold=True)
        row = _row(person, id, key, lock=True)
        if standing.is_reviewed:
            if standing.shut is not None:
                return _no(standing.shut.reason)
            return proposing.delete(person, row)
        if person.is_own or person.is_by_model:
            try:
                forget_for_good(memory_id=row.pk, by=person.by, visitor_id=person.visitor_id)
            except NoSuchMemory:
                raise unknown("id" if id is not None else "key") from None
            return Outcome("deleted", None, "deleted for good; it will not be learned again")
        store.close(row, because=Memory.Closed.DELETED, by=person.by)
        _record("deleted", person, row)
    return Outcome("deleted", None, "deleted; a member can restore it for 30 days")


# --- remember --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Wanted:
    text: str
    key: str | None
    category: str | None
    pinned: bool | None

    def patch(self, row: Memory, *, key: str | None = None, text: str | None = None) -> Draft:
        return _patch(row, text=text, category=self.category, pinned=self.pinned, slug=key)

    @property
    def draft(self) -> Draft:
        return Draft(
            content=self.text,
            label=self.category or LABEL,
            slug=self.key,
            pinned=bool(self.pinned),
        )


def _store(person: Person, wanted: _Wanted, alike: Alike, vector: AtHand | None) -> Outcome:
    row = alike.to_change(person, is_reviewed=False)
    if row is not None:
        patch = wanted.patch(row, key=wanted.key, text=wanted.text)
        outcome = _changed(person, row, patch, vector) if patch.given() else _duplicate(row)
        for other in alike.contradicted:
            if other.pk != row.pk and other.is_auto_generated and person.is_by_model:
                store.close(other, because=Memory.Closed.CORRECTED, by=person.by)
                _record("corrected", person, other)
        return outcome
    if alike.repeated is not None:
        return _repeated(person, wanted, alike.repeated)
    new = New(
        Memory.Kind.PERSON,
        wanted.draft,
        visitor_id=person.visitor_id,
        vector=vector,
        source=person.source,
        is_auto_generated=person.is_by_model,
    )
    (memory,) = store.add_many([new], tenant_id=person.tenant_id, by=person.by)
    if person.is_own:  # they say themselves again what they once took back
        forgotten = Tombstone.objects.in_scope(None, person.visitor_id)
        forgotten.filter(mutation=None, hash=memory.hash).delete()
    _record("added", person, memory)
    detail = "saved"
    if alike.contradicted:
        others = ", ".join(str(row.uid) for row in alike.contradicted)
        detail = f"saved; it may contradict what is known, look whether that still holds: {others}"
    return Outcome("saved", str(memory.uid), detail, needs_vector=vector is None)


def _propose(person: Person, wanted: _Wanted, alike: Alike, vector: AtHand | None) -> Outcome:
    row = alike.to_change(person, is_reviewed=True)
    if row is not None:
        patch = wanted.patch(row, key=wanted.key, text=wanted.text)
        if not patch.given():
            return _duplicate(row)
        return proposing.change(person, row, patch, vector, tool="remember")
    if alike.repeated is not None:
        return _duplicate(alike.repeated)
    return proposing.add(person, wanted.draft, vector)


def _repeated(person: Person, wanted: _Wanted, row: Memory) -> Outcome:
    """It is known already. Without a key yet, it takes the one that is given now."""
    if wanted.key is None or row.slug is not None:
        return _duplicate(row)
    patch = wanted.patch(row, key=wanted.key)
    return _changed(person, row, patch, None, said=f"known already; its key is now {wanted.key}")


# --- what the three share ----------------------------------------------------------------------


def _once(person: Person, write: Callable[[], Outcome]) -> Outcome:
    """In a transaction of its own. Another door that took the key or the text between look and
    write makes it look again."""

    def act() -> Outcome:
        with within(person.tenant_id):
            return write()

    return settled(act)


def _changed(
    person: Person, row: Memory, patch: Draft, vector: AtHand | None, *, said: str = "updated"
) -> Outcome:
    is_new_text = patch.content is not None
    store.change(row, patch, by=person.by, vector=vector if is_new_text else None)
    _record("changed", person, row, fields=sorted(patch.given()))
    return Outcome("updated", str(row.uid), said, needs_vector=is_new_text and vector is None)


def _patch(
    row: Memory,
    *,
    text: str | None,
    category: str | None,
    pinned: bool | None,
    slug: str | None = None,
) -> Draft:
    """Only what differs."""
    now = {"content": row.content, "label": row.label, "pinned": row.pinned, "slug": row.slug}
    wanted = {"content": text, "label": category, "pinned": pinned, "slug": slug}
    differs = {k: v for k, v in wanted.items() if v is not None and v != now[k]}
    return Draft.model_validate(differs)


def _row(person: Person, id: UUID | None, key: str | None, *, lock: bool = False) -> Memory:
    rows = own_rows(person)
    if lock:
        rows = rows.select_for_update(of=("self",), no_key=True)
    row = rows.filter(uid=id).first() if id is not None else rows.filter(slug=key or "").first()
    if row is None:
        raise unknown("id" if id is not None else "key")
    return row


def _refused(
    person: Person, standing: Standing, text: str | None, text_hash: str
) -> Outcome | None:
    """Why this is not kept, whatever it says otherwise; inside `within`."""
    if standing.shut is not None:
        return _no(standing.shut.reason)
    if text is None or not person.is_by_model:
        return None
    if not standing.is_reviewed and instruction_like(text):
        return _no("it reads like an order to the assistant, not like something about the person")
    buried = Tombstone.objects.standing().covering(person.agent_id, person.visitor_id)
    if buried.filter(hash=text_hash).exists():
        return _no("it was taken back or decided against before")
    return None


def _refuse_secrets(**given: str | None) -> None:
    for field, text in given.items():
        if text is not None and contains_secret(text):
            raise ToolError(NO_SECRETS, field=field)


def _no(why: str) -> Outcome:
    return Outcome("refused", None, f"refused because {why}")


def _duplicate(row: Memory) -> Outcome:
    return Outcome("duplicate", str(row.uid), "known already: nothing was changed")


def _record(what: str, person: Person, memory: Memory, **detail: object) -> None:
    record(
        f"person_memory.{what}",
        by=person.by,
        subject="memory",
        subject_id=memory.pk,
        visitor=person.visitor_id,
        agent=person.agent_id,
        channel=person.channel,
        **detail,
    )
