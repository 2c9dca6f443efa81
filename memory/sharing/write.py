"""One write of shared memory: cleaned, compared where a policy asks for it, stored or blocked.

No provider is called inside a block. Without a model the comparison is plain Python and runs
under the workflow's lock; with one it runs before, and the lock only looks for what came since.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from memory import store
from memory.conflicts import Checked
from memory.events.outbox import announce_conflict
from memory.models import ConflictPolicy, Draft, Event, Reader, Role, SharedAgent, Webhook
from memory.providers import language_for
from memory.providers.cleaning import clean
from memory.providers.errors import ProviderError
from memory.providers.types import Language
from memory.recall.query import Query
from memory.recall.query import prepare as prepare_query
from memory.recall.query import prepare_many as prepare_queries
from memory.sealing import key_in_use
from memory.sharing import usage
from memory.sharing.agents import agent_called, reader_of
from memory.sharing.contradicted import Found, Near, compare, nearest, newest, standing
from memory.sharing.proposals import detail_of, raise_conflict
from memory.store import AtHand
from memory.store.lock import hold_workflow
from memory.store.standing import fact_of, replaced, twin_of
from tenants.actor import Actor
from tenants.audit import record
from tenants.context import within
from tenants.races import settled

EMBED_SECONDS = 10.0
CHECK_SECONDS = 15.0
TRIES = 3  # checks by a model until a write goes in unchecked (D30)

Policy = ConflictPolicy.Policy


@dataclass(frozen=True)
class Prepared:
    """A write whose text is clean, and embedded if the provider answered. `agent` is a name."""

    agent: str
    draft: Draft
    query: Query
    vector: AtHand | None


@dataclass(frozen=True)
class Written:
    id: UUID
    is_duplicate: bool = False


@dataclass(frozen=True)
class Blocked:
    """`write` is the id under which a person's decision will answer, if one is asked for."""

    policy: str
    found: tuple[Found, ...]
    is_told: bool  # does anybody hear of it
    write: UUID | None = None


def prepare(agent: str, draft: Draft, *, space: str, timeout: float = EMBED_SECONDS) -> Prepared:
    """Outside any block. Raises ValueError when nothing is left of the text."""
    draft = cleaned(draft)
    return _of(agent, draft, prepare_query(draft.content or "", space=space, timeout=timeout))


def prepare_many(
    wanted: Sequence[tuple[str, Draft]], *, space: str, timeout: float = EMBED_SECONDS
) -> list[Prepared]:
    """`prepare` of several whose drafts are `cleaned`, embedded together."""
    texts = [draft.content or "" for _, draft in wanted]
    queries = prepare_queries(texts, space=space, timeout=timeout)
    return [_of(*each, query) for each, query in zip(wanted, queries, strict=True)]


def cleaned(draft: Draft) -> Draft:
    """Fit to be kept. Raises ValueError when nothing is left of the text."""
    text = clean(draft.content or "").text.strip()
    if not text:
        raise ValueError("content: expected a text that is not empty")
    return Draft.model_validate({**draft.given(), "content": text})


def _of(agent: str, draft: Draft, query: Query) -> Prepared:
    vector = AtHand(query.space, query.vector) if query.vector is not None else None
    return Prepared(agent, draft, query, vector)


def write(prepared: Prepared, *, tenant_id: int, by: Actor) -> Written | Blocked:
    """Store it, or say what blocks it. Opens its own blocks.

    A twin or a fact written between look and insert, or a deadlock with a team's move, is settled
    by looking again. Raises StillRaced.
    """
    return settled(lambda: _write(prepared, tenant_id, by))


def _write(prepared: Prepared, tenant_id: int, by: Actor) -> Written | Blocked:
    draft = prepared.draft
    with within(tenant_id):
        policy = policy_for(draft.workflow)
        language = language_that_compares() if policy is not None else None
        if policy is None or language is None:
            return _Attempt(prepared, tenant_id, by, policy).offline()
    for _ in range(TRIES):
        with within(tenant_id):
            attempt = _Attempt(prepared, tenant_id, by, policy)
            near, seen = attempt.look(), newest(attempt.reader)
        found, checked = compare(
            draft.content or "", near, language=language, timeout=CHECK_SECONDS
        )
        with within(tenant_id):
            attempt = _Attempt(prepared, tenant_id, by, policy)
            attempt.hold()
            if newest(attempt.reader) <= seen:
                return attempt.decide(standing(found), checked)
    with within(tenant_id):
        attempt = _Attempt(prepared, tenant_id, by, policy)
        attempt.hold()
        return attempt.decide([], None)


def policy_for(workflow: str | None) -> ConflictPolicy | None:
    """A workflow's own, else the organisation's; None where nothing is to be compared."""
    rows = ConflictPolicy.objects.filter(workflow__in={workflow or "", ""}).order_by("-workflow")
    found = rows.first()
    return None if found is None or found.policy == Policy.IGNORE else found


def language_that_compares() -> Language | None:
    """The language model that compares; None where the offline comparison does."""
    try:
        language = language_for()
    except ProviderError:  # none is to be had: a check never stops a write
        return None
    return None if language.made.provider == "offline" else language


class _Attempt:
    """One try inside an open block: who writes, what they see, what stands there."""

    def __init__(
        self, prepared: Prepared, tenant_id: int, by: Actor, policy: ConflictPolicy | None
    ) -> None:
        self.prepared, self.draft = prepared, prepared.draft
        self.by, self.policy = by, policy
        self.agent: SharedAgent = agent_called(prepared.agent)
        had_keys = self.agent.sees is None or self.agent.sees.has_keys
        self.key = key_in_use(for_write=True) if had_keys else None
        self.hash = store.hash_of(self.draft.content or "", tenant_id, self.key)

    @property
    def reader(self) -> Reader:
        return reader_of(self.agent, workflow=self.draft.workflow or "")

    def hold(self) -> None:
        hold_workflow(self.draft.workflow or "")

    def look(self) -> list[Near]:
        return nearest(self.reader, self.prepared.query)

    def offline(self) -> Written | Blocked:
        """All of it under one lock, where there is something to hold it for."""
        if self.policy is None:
            if self.draft.fact_key is not None:
                self.hold()
            return self._store([])
        self.hold()
        found, checked = compare(self.draft.content or "", self.look(), language=None, timeout=0)
        return self.decide(found, checked)

    def decide(self, found: list[Found], checked: Checked | None) -> Written | Blocked:
        """Under the lock: what the policy makes of the contradictions. `checked` None: unknown."""
        assert self.policy is not None
        twin = self._twin()
        if twin is not None:
            return twin
        high = [each for each in found if each.is_high]
        match self.policy.policy:
            case Policy.PLANNER_WINS if self.draft.role != Role.PLANNER:
                planners = [each for each in high if each.memory.role == Role.PLANNER]
                if planners:
                    return self._block(planners)
            case Policy.TIMESTAMP_WINS:
                return self._store(high, unchecked=checked is None)
            case Policy.HUMAN_IN_LOOP if high:
                return self._ask(high, checked)
        return self._store([], unchecked=checked is None)

    def _store(self, ends: list[Found], *, unchecked: bool = False) -> Written:
        twin = self._twin()
        if twin is not None:
            return twin
        fact, uid = fact_of(self.draft, self.agent), uuid4()
        memory = store.share(
            self.draft,
            writer=self.agent,
            by=self.by,
            instead_of=replaced(fact, [each.memory.pk for each in ends]),
            vector=self.prepared.vector,
            uid=uid,
            unchecked=unchecked,
            sealed=self.key.seal(self.draft.content or "", uid=uid) if self.key else None,
        )
        usage.count(self.draft.workflow, writes=1)
        return Written(memory.uid)

    def _twin(self) -> Written | None:
        """The memory that says it already; the fact that the write names, it states from now on."""
        twin = twin_of(self.draft, self.agent, self.hash)
        if twin is None:
            return None
        store.state_fact(twin, self.draft, writer=self.agent, by=self.by)
        return Written(twin.uid, is_duplicate=True)

    def _block(self, found: list[Found]) -> Blocked:
        assert self.policy is not None
        kind = Event.Kind.CONFLICT_BLOCKED
        detail = detail_of(self.draft, self.agent, found, named(self.policy))
        announce_conflict(kind, write=None, detail=detail)
        record("memory.conflict_blocked", by=self.by, subject="policy", subject_id=self.policy.pk)
        return Blocked(self.policy.policy, tuple(found), _is_heard(kind))

    def _ask(self, found: list[Found], checked: Checked | None) -> Blocked:
        assert self.policy is not None
        mutation = raise_conflict(
            self.draft,
            writer=self.agent,
            hash=self.hash,
            key=self.key,
            found=found,
            made_by=_made_by(checked),
            vector=self.prepared.vector,
            policy=named(self.policy),
        )
        told = bool(self.policy.webhook_url) or _is_heard(Event.Kind.CONFLICT_DETECTED)
        return Blocked(self.policy.policy, tuple(found), told, mutation.uid)


def named(policy: ConflictPolicy) -> dict[str, str]:
    """What blocked a write, for those who are told of it."""
    return {"policy": policy.policy, "policyId": str(policy.uid)}


def _is_heard(kind: Event.Kind) -> bool:
    return Webhook.objects.filter(active=True, events__contains=[str(kind)]).exists()


def _made_by(checked: Checked | None) -> dict[str, str]:
    """Who compared, and what became of the model when it could not."""
    if checked is None:
        return {}
    fell_back = {"fell_back": checked.fell_back} if checked.fell_back else {}
    return {"provider": "conflict check", "model": checked.by, **fell_back}
