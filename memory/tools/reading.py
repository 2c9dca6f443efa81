"""`list_memories`, and `status`: what became of a proposal that waited."""

from uuid import UUID

from django.db.models import Q

from memory.models import Mutation
from memory.tools.arguments import LIST_DEFAULT, unknown
from memory.tools.outcome import Listed, Outcome, Remembered
from memory.tools.person import Person, may_read, own_rows
from tenants.context import within


def list_memories(
    person: Person,
    *,
    category: str | None = None,
    query: str | None = None,
    limit: int = LIST_DEFAULT,
) -> Listed:
    """The person's profile: pinned first, newest next. `query` is part of the text, in any case."""
    with within(person.tenant_id):
        may_read(person)
        rows = own_rows(person)
        if category is not None:
            rows = rows.filter(label__iexact=category)
        if query:
            rows = rows.filter(content__icontains=query)
        found = list(rows.order_by("-pinned", "-created_at", "-id")[:limit])
        total = len(found) if len(found) < limit else rows.count()
    return Listed([Remembered.of(row) for row in found], total)


def status(person: Person, *, id: UUID) -> Outcome:
    """What a `pending` answer has become; the id of a memory that is there is `saved`."""
    with within(person.tenant_id):
        rows = Mutation.objects.filter(visitor_id=person.visitor_id, uid=id)
        if person.agent_id is not None:
            rows = rows.filter(agent_id=person.agent_id)
        mutation = rows.select_related("memory").first()
        if mutation is not None and mutation.is_of_person:
            return _became(mutation)
        row = own_rows(person).filter(uid=id).first()
    if row is None:
        raise unknown("id")
    return Outcome("saved", str(row.uid), "it is remembered")


def _became(mutation: Mutation) -> Outcome:
    own = str(mutation.uid)
    if mutation.status == Mutation.Status.PENDING:
        return Outcome("pending", own, "it waits for a person's decision")
    if mutation.undone_at is not None:
        again = Mutation.objects.filter(Q(("earlier", mutation))).order_by("-id").first()
        if again is not None:
            return _became(again)
    if mutation.status == Mutation.Status.REJECTED:
        return Outcome("refused", None, f"refused because {_WHY[mutation.resolution]}")
    memory = mutation.memory
    if memory is None or memory.deleted_at is not None:
        if mutation.operation == Mutation.Operation.DELETE:
            return Outcome("deleted", None, "a person agreed: it is deleted")
        return Outcome("deleted", None, "it was approved and has been deleted since")
    other = ", with other words" if mutation.resolution == Mutation.Resolution.EDITED else ""
    if mutation.operation == Mutation.Operation.ADD:
        return Outcome("saved", str(memory.uid), f"a person approved it{other}")
    if mutation.operation == Mutation.Operation.DELETE:
        return Outcome("saved", str(memory.uid), "it was deleted and has been restored since")
    return Outcome("updated", str(memory.uid), f"a person approved the change{other}")


_WHY: dict[str, str] = {
    Mutation.Resolution.REJECTED: "a person decided against it",
    Mutation.Resolution.STALE: "what it was about changed while it waited: look and say it again",
    Mutation.Resolution.EXPIRED: "nobody decided in time",
    Mutation.Resolution.ERASED: "the person was erased",
}
