"""Makes the demonstration tenant once: somebody to sign in as, an agent, mutations to review.

Each step finds what an earlier, interrupted one left, and the last is noted in the tenant's audit:
what a person then deletes or decides does not come back at the next start.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from agents.models import Agent, Visitor
from config.demo.talk import APPROVED, FIRST, LATER, Talk
from config.kept_secrets import made_once
from memory import review
from memory.learning import observe, reconcile
from memory.learning.capture import conversation_of, prepare, write
from memory.models import Mutation
from memory.providers import default_space, using
from memory.providers.errors import Unavailable
from memory.providers.offline import OfflineLanguage
from memory.providers.types import Embedder, Vector
from memory.providers.wordllama_space import SPACE as OFFLINE_SPACE
from tenants.actor import COMMAND
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within
from tenants.directory import tenant_of_slug
from tenants.models import AuditEntry, Membership, Role, Tenant

SLUG = USER = "demo"
AGENT = "ava"
PASSWORD_FILE = "demo-password"  # noqa: S105  where it is kept, under KEEPSAKE_HOME
BEGUN, DONE = "demonstration.begun", "demonstration.prepared"
INSTRUCTIONS = "You are Ava, who helps the customers of a small shop for home goods. Be brief."


class SomebodyElses(Exception):
    """A tenant of this name is there and was not made here."""


@dataclass(frozen=True)
class Prepared:
    """The demonstration as it stands. `password` is "" when its user has chosen another."""

    tenant_id: int
    agent: Agent | None  # None when somebody removed it since
    password: str
    pending: int


def prepare_demonstration() -> Prepared:
    """Make what is missing. Needs no network: what people said is observed offline."""
    tenant_id = _tenant()
    user, password = _user()
    with within(tenant_id):
        member, _ = Membership.objects.get_or_create(user=user, defaults={"role": Role.OWNER})
        done = AuditEntry.objects.filter(verb=DONE).exists()
        agent = Agent.objects.filter(slug=AGENT).first()
        if not done and agent is None:
            agent = _agent()
    if not done and agent is not None:
        with using(language=OfflineLanguage(), embedder=_at_hand()):
            _seed(tenant_id, agent, Caller.of(member))
        with within(tenant_id):
            record(DONE, by=COMMAND, subject="tenant", subject_id=tenant_id)
    with within(tenant_id):
        pending = Mutation.objects.pending().count()
    return Prepared(tenant_id, agent, password, pending)


def _tenant() -> int:
    number = tenant_of_slug(SLUG)
    if number is None:
        with transaction.atomic():
            number = Tenant.objects.start(slug=SLUG, name="Demonstration").pk
            with within(number):
                record(BEGUN, by=COMMAND, subject="tenant", subject_id=number)
        return number
    with within(number):
        if not AuditEntry.objects.filter(verb=BEGUN).exists():
            raise SomebodyElses(f"tenant {SLUG!r} was made by somebody: it is left alone")
    return number


def _user() -> tuple[User, str]:
    password = made_once(settings.KEEPSAKE_HOME, PASSWORD_FILE, size=12)
    user, made = User.objects.get_or_create(username=USER)
    if made:
        user.set_password(password)
        user.save()
    return user, password if made or user.check_password(password) else ""


def _agent() -> Agent:
    return Agent.objects.create(
        slug=AGENT, name="Ava", memory_enabled=True, instructions=INSTRUCTIONS
    )


def _seed(tenant_id: int, agent: Agent, reviewer: Caller) -> None:
    """Last week's conversation, with one mutation approved; then the later ones, to be decided."""
    _capture(FIRST, tenant_id, agent)
    _learn(tenant_id)
    with within(tenant_id):
        first = Mutation.objects.pending().filter(draft__content__icontains=APPROVED).first()
    if first is not None and first.operation == Mutation.Operation.ADD:
        review.approve(mutation_id=first.pk, by=reviewer)
    for talk in LATER:
        _capture(talk, tenant_id, agent)
    _learn(tenant_id)


def _capture(talk: Talk, tenant_id: int, agent: Agent) -> None:
    prepared = prepare(talk.said(datetime.now(UTC)), space=default_space(), timeout=5)
    with within(tenant_id):
        visitor = Visitor.objects.meet(host_id=talk.visitor)
        conversation = conversation_of(
            agent_id=agent.pk, visitor_id=visitor.pk, external_id=talk.name, channel="chat"
        )
        write(prepared, conversation=conversation)


def _learn(tenant_id: int) -> None:
    """Both stages, by their steps: nobody's Run is counted for a demonstration."""
    while observe.step(tenant_id, ignore_cooldown=True).taken:
        pass
    while reconcile.step(tenant_id).taken:
        pass


def _at_hand() -> Embedder | None:
    """None leaves the offline embedder; any other would be asked over the network, so later."""
    return None if default_space() == OFFLINE_SPACE else _Later(default_space())


class _Later:
    """An embedder that is away: what it is asked for is left to the embed stage."""

    dimensions = 0
    token_limit: int | None = None
    batch_limit = 1_000

    def __init__(self, space: str) -> None:
        self.space = space

    def embed(self, texts: Sequence[str], *, timeout: float) -> Vector:
        raise Unavailable("left to the embed stage")
