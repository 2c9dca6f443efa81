"""Whose memory a call is about, who calls, and whether it may: read anew in every block."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.models import Agent, Mode, Visitor
from memory.gate import GONE, MEMORY_OFF, PERSON_OFF, Shut, gate
from memory.models import Memory, Reader
from memory.models.memory import MemoryQuerySet
from memory.providers import space_of
from memory.tools.outcome import ToolError
from tenants.actor import Actor
from tenants.models import Tenant


@dataclass(frozen=True)
class Person:
    """The person a call is about, from a credential or a conversation, never from arguments.

    `agent_id` is the agent whose model calls; without one the call is the person's own, or by
    hand. `by` is named in the audit. `channel` and `conversation` say where it came from;
    `evidence` is what a reviewer is shown of it, as `Observation.evidence`.
    """

    tenant_id: int
    visitor_id: int
    by: Actor
    channel: str
    agent_id: int | None = None
    conversation: str | None = None
    evidence: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_by_model(self) -> bool:
        return self.agent_id is not None

    @property
    def is_own(self) -> bool:
        """The person themselves called, without a model of ours between."""
        return self.agent_id is None and self.by.sort == "person"

    @property
    def source(self) -> dict[str, Any]:
        """Provenance of a row."""
        source: dict[str, Any] = {"origin": self.channel}
        if self.conversation:
            source["conversation"] = self.conversation
        return source


@dataclass(frozen=True)
class Standing:
    """How a call stands in this transaction. `shut` says why nothing may be learned."""

    is_reviewed: bool
    space: str
    shut: Shut | None


def stand(person: Person, *, hold: bool = False) -> Standing:
    """Inside `within`. With `hold` the person's row is locked: an erase waits, and so does
    another call about this person, so that two calls with one key become one memory."""
    if hold and not _locked(person.visitor_id):
        raise no_such_person()
    shut = gate(agent_id=person.agent_id, visitor_id=person.visitor_id)
    if shut is GONE:
        raise no_such_person()
    if shut is PERSON_OFF and not person.is_by_model:
        shut = None  # what a person says by hand is not held up by their own switch
    is_reviewed = False
    if person.agent_id is not None:
        mode = Agent.objects.filter(pk=person.agent_id).values_list("mode", flat=True).first()
        is_reviewed = mode != Mode.AUTOMATIC
    return Standing(is_reviewed, space_of(Tenant.objects.get(pk=person.tenant_id)), shut)


def may_read(person: Person) -> None:
    """Inside `within`: a model is told nothing of a person who switched that off (E12)."""
    used = Visitor.objects.filter(pk=person.visitor_id)
    found = used.values_list("use_memory_in_responses", flat=True).first()
    if found is None:
        raise no_such_person()
    if not person.is_by_model:
        return
    shut = gate(agent_id=person.agent_id, visitor_id=person.visitor_id)
    if shut is GONE:
        raise no_such_person()
    if shut is MEMORY_OFF or not found:
        raise ToolError(MEMORY_OFF.reason if shut else PERSON_OFF.reason, status=409)


def own_rows(person: Person) -> MemoryQuerySet:
    """What the tools reach: the profile that every agent knows, of this person alone."""
    rows = Memory.objects.visible_to(Reader.for_person(person.visitor_id))
    return rows.filter(kind=Memory.Kind.PERSON, agent=None)


def no_such_person() -> ToolError:
    return ToolError("there is no such person", status=404)


def _locked(visitor_id: int) -> bool:
    rows = Visitor.objects.select_for_update(of=("self",), no_key=True)
    return rows.filter(pk=visitor_id).values_list("pk", flat=True).first() is not None
