"""Stage 2: an observation becomes pending mutations, more evidence, or nothing.

One worker a scope: a claim looks for a live lease in the scope under the scope's lock (D20), so
two observations of one person never decide side by side. The points at which a worker may die:
1. claimed: the lease runs out, the observation is taken again;
2. decided, not written: the same;
3. written: status and mutations changed in one transaction.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import Func
from django.db.models.fields import DateTimeField
from django.db.models.functions import Now
from django.db.models.lookups import IsNull

from agents.models import Agent, Visitor
from memory.gate import GONE, MEMORY_OFF, gate
from memory.learning import propose
from memory.models import Memory, Mutation, Observation
from memory.providers import language_for, space_of, try_embed
from memory.providers.errors import ProviderError, Unparseable
from memory.providers.types import Decision, Made, Question, Vector
from memory.recall.neighbours import KnownRow, excerpts, known, siblings
from memory.stages import Tally, claim, free, give_up, release, still_mine
from memory.store import confirm
from tenants.context import within
from tenants.models import Tenant

log = logging.getLogger(__name__)

DEFERS = 3  # after the third the observation is discarded
LANGUAGE_SECONDS = 90.0
EMBED_SECONDS = 30.0
LEASE = timedelta(seconds=300)
LOOKAHEAD = 50  # waiting observations looked through for a scope that nobody works on


@dataclass(frozen=True)
class Case:
    """A claimed observation with all that was known when the model was asked."""

    observation: Observation
    tenant: Tenant
    space: str
    known: Mapping[int, KnownRow]  # by the number the model is shown
    question: Question


def step(tenant_id: int, *, agent_id: int | None = None) -> Tally:
    """Decide one observation. `processed` counts it, `mutated` the mutations it led to."""
    with within(tenant_id):
        observation = _claim(agent_id)
        case = None if observation is None else _case(tenant_id, observation)
    if observation is None or case is None:
        return Tally()
    tally = Tally(taken=1)
    try:
        decision, vectors = _decide(case, tally)
        with within(tenant_id):
            written = _write(case, decision, vectors)
    except Exception as error:
        tally.fail(error)
        if not isinstance(error, ProviderError):
            log.exception("reconcile: observation %s", observation.pk)
        with within(tenant_id):
            give_up(observation, error)
        return tally
    if written is not None:
        tally.processed, tally.mutated = 1, written
    return tally


def due(agent_id: int | None) -> QuerySet[Observation]:
    """What waits for a decision, oldest first."""
    rows = Observation.objects.waiting().filter(
        agent__memory_enabled=True, tenant__memory_enabled=True
    )
    if agent_id is not None:
        rows = rows.filter(agent_id=agent_id)
    return rows.order_by("created_at", "id")


# --- claim and look --------------------------------------------------------------------------


def _claim(agent_id: int | None) -> Observation | None:
    """The oldest waiting observation of a scope in which nobody is at work."""
    scopes: set[tuple[int, int | None]] = set()
    same = Q(visitor_id=OuterRef("visitor_id")) | Q(
        IsNull(F("visitor_id"), True), IsNull(OuterRef("visitor_id"), True)
    )
    busy = Observation.objects.filter(same, agent_id=OuterRef("agent_id"), lease_until__gt=Now())
    idle = due(agent_id).filter(free(), ~Exists(busy))
    looked = idle.values_list("agent_id", "visitor_id")[:LOOKAHEAD]
    for scope in looked:
        if scope in scopes:
            continue
        scopes.add(scope)
        if not _hold_scope(*scope):
            continue
        own = Observation.objects.in_scope(*scope)
        if own.filter(lease_until__gt=Now()).exists():
            continue
        held = claim(
            due(agent_id).filter(agent_id=scope[0], visitor_id=scope[1]), limit=1, lease=LEASE
        )
        if held:
            return held[0]
    return None


def _hold_scope(agent_id: int, visitor_id: int | None) -> bool:
    """Lock the visitor's row, or the agent's, for this claim; False when somebody has it."""
    rows: QuerySet[Agent] | QuerySet[Visitor] = (
        Agent.objects.filter(pk=agent_id)
        if visitor_id is None
        else Visitor.objects.filter(pk=visitor_id)
    )
    held = rows.select_for_update(skip_locked=True, of=("self",), no_key=True).first()
    return held is not None


def _case(tenant_id: int, observation: Observation) -> Case:
    tenant = Tenant.objects.get(pk=tenant_id)
    space = space_of(tenant)
    few, many = settings.NEIGHBOURS
    scope = (observation.agent_id, observation.visitor_id)
    same_space = observation.space == space
    about = observation.statement_vector if same_space else None
    said = observation.evidence_vector if same_space else None
    rows = dict(enumerate(known(*scope, about, space), start=1))
    quote = " ".join(item["quote"] for item in observation.evidence)
    question = Question(
        statement=observation.statement,
        quote=quote,
        said_at=observation.said_at,
        wide=observation.visitor_id is None,
        siblings=siblings(observation, few),
        excerpts=excerpts(*scope, said, space, many),
        known=[row.as_known(number) for number, row in rows.items()],
    )
    return Case(observation, tenant, space, rows, question)


# --- decide ----------------------------------------------------------------------------------


def _decide(case: Case, tally: Tally) -> tuple[Decision, list[Vector | None]]:
    """The model's decision with the vectors of what it proposes. No block is open."""
    try:
        decision = _without_asking(case)
        if decision is None:
            decision = language_for(case.tenant).reconcile(case.question, timeout=LANGUAGE_SECONDS)
    except Unparseable as error:
        tally.fail(error)
        return Decision("defer", "the model's reply could not be read", _nobody()), []
    return decision, _embed(decision, case.space)


def _nobody() -> Made:
    return Made(provider="keepsake", model="exact")


def _without_asking(case: Case) -> Decision | None:
    """An exact restatement needs no model: same hash as a memory, a proposal or a tombstone."""
    for number, row in case.known.items():
        if row.hash and row.hash == case.observation.hash:
            return Decision("repeat", "says the same", _nobody(), about=number)
    return None


def _embed(decision: Decision, space: str) -> list[Vector | None]:
    """A vector for each proposal's content; None where there is none, or no provider."""
    contents = [each.draft.content or "" for each in decision.proposals]
    found = try_embed(contents, space, timeout=EMBED_SECONDS) if any(contents) else None
    return found or [None] * len(contents)


# --- write -----------------------------------------------------------------------------------


def _write(case: Case, decision: Decision, vectors: list[Vector | None]) -> int | None:
    """Apply the decision under the scope's lock. None when the claim was lost or must wait."""
    observation = case.observation
    shut = gate(agent_id=observation.agent_id, visitor_id=observation.visitor_id)
    said = _said_before(case, decision)
    mine = still_mine(observation)
    if mine is None or mine.status not in Observation.WAITING or shut is GONE:
        log.info("reconcile: observation %s: result dropped, claim lost", observation.pk)
        return None
    release(mine)
    if shut is MEMORY_OFF:
        mine.save()
        return None
    if shut is not None:
        return _end(mine, Observation.Status.DISCARDED, shut.reason)
    if decision.action == "defer":
        return _defer(mine, decision)
    if decision.action == "discard":
        return _end(mine, Observation.Status.DISCARDED, decision.reasoning)
    if decision.action == "repeat":
        return _repeat(case, mine, decision, said)
    made = propose.write(mine, decision, case.known, vectors, case.space)
    if made is None:
        mine.save()  # what it was decided from has changed meanwhile: the next run asks again
        return None
    if not made:
        return _end(mine, Observation.Status.DISCARDED, "nothing to propose that was not rejected")
    _end(mine, Observation.Status.CONSOLIDATED, decision.reasoning)
    return len(made)


def _end(observation: Observation, status: Observation.Status, because: str) -> int:
    observation.status = status
    observation.resolved_because = because[:300]
    observation.resolved_at = Now()
    observation.save()
    return 0


def _defer(observation: Observation, decision: Decision) -> int:
    """Back to the queue, not before the next period; after the third time it is dropped (G7)."""
    observation.defers += 1
    if observation.defers >= DEFERS:
        return _end(observation, Observation.Status.DISCARDED, "deferred three times")
    observation.status = Observation.Status.DEFERRED
    observation.resolved_because = decision.reasoning[:300]
    observation.not_before = next_period()
    observation.save()
    return 0


def next_period() -> Func:
    """The start of the next hour, by the database's clock."""
    return Func(
        template="(date_bin('1 hour', now(), 'epoch'::timestamptz) + interval '1 hour')",
        output_field=DateTimeField(),
    )


def _said_before(case: Case, decision: Decision) -> Memory | Mutation | None:
    """The row that says so already, if it still stands.

    Locked before the observation: a reviewer who finds a proposal stale has locked it, and its
    memory, before the observations that go back.
    """
    row = None if decision.about is None else case.known.get(decision.about)
    if decision.action != "repeat" or row is None or row.state == "rejected":
        return None
    if row.state == "memory":
        memories = Memory.objects.live().select_for_update(of=("self",), no_key=True)
        return memories.filter(Q(("pk", row.memory_id))).first()
    mutations = Mutation.objects.pending().select_for_update(of=("self",), no_key=True)
    return mutations.filter(Q(("pk", row.mutation_id))).first()


def _repeat(
    case: Case, observation: Observation, decision: Decision, said: Memory | Mutation | None
) -> int:
    """It was said before: count it where it was said, or drop it where it was rejected."""
    row = None if decision.about is None else case.known.get(decision.about)
    if row is None:
        return _defer(observation, decision)
    if row.state == "rejected":
        return _end(observation, Observation.Status.DISCARDED, "it was rejected before")
    if said is None:  # decided or closed meanwhile: the next run asks again
        observation.save()
        return 0
    if isinstance(said, Memory):
        confirm(said)
        return _end(observation, Observation.Status.CONSOLIDATED, "a memory says so already")
    propose.attach(observation, said)
    return _end(observation, Observation.Status.CONSOLIDATED, "more evidence for a proposal")
