"""Rows for tests, each with the least that makes it valid. Call inside `within` unless said."""

import itertools
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from agents.models import Agent, Conversation, Message, Visitor
from memory import store
from memory.models import Draft, Memory, Mutation, MutationSource, Observation, Presence
from tenants.actor import SYSTEM
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Membership, Role, Tenant, Token

_numbers = itertools.count(1)
NOON = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)


def make_tenant(slug: str = "", **fields: Any) -> Tenant:
    """Opens its own block."""
    slug = slug or f"tenant-{next(_numbers)}"
    return Tenant.objects.start(slug=slug, name=fields.pop("name", slug.title()), **fields)


def make_user(name: str = "", **fields: Any) -> User:
    """Needs no tenant. The password is the name, unless given."""
    name = name or f"user-{next(_numbers)}"
    password = fields.pop("password", name)
    return User.objects.create_user(name, password=password, **fields)


def make_member(role: Role | str = Role.ADMIN, name: str = "", user: User | None = None) -> Caller:
    """A signed-in member of the open tenant, as the review verbs take one."""
    return Caller.of(Membership.objects.create(user=user or make_user(name), role=role))


def make_key(**fields: Any) -> str:
    """The key itself: an organisation's, or with `kind=…` another."""
    return Token.objects.issue(**{"kind": Token.Kind.ORGANISATION, "name": "test", **fields})[1]


def make_agent(slug: str = "", *, memory: bool = True, **fields: Any) -> Agent:
    slug = slug or f"agent-{next(_numbers)}"
    return Agent.objects.create(
        slug=slug, name=fields.pop("name", slug.title()), memory_enabled=memory, **fields
    )


def make_visitor(host_id: str | None = "", **fields: Any) -> Visitor:
    if host_id == "":
        host_id = f"person-{next(_numbers)}"
    if host_id is None:
        fields.setdefault("cookie", uuid.uuid4())
    return Visitor.objects.create(host_id=host_id, **fields)


def make_conversation(
    agent: Agent, visitor: Visitor | None, *lines: str, idle: bool = True, **fields: Any
) -> Conversation:
    """`lines` are "user: …" or "assistant: …", a minute apart; `idle` puts it past any cooldown."""
    conversation = Conversation.objects.create(agent=agent, visitor=visitor, **fields)
    for number, line in enumerate(lines, start=1):
        role, _, content = line.partition(": ")
        Message.objects.create(
            conversation=conversation,
            position=number,
            role=role,
            content=content,
            occurred_at=NOON + timedelta(minutes=number),
        )
    conversation.last_position = len(lines)
    if idle:
        conversation.last_received_at = datetime.now(UTC) - timedelta(days=1)
    conversation.save()
    return conversation


def make_observation(
    agent: Agent, visitor: Visitor | None, statement: str = "The user likes tea.", **fields: Any
) -> Observation:
    conversation = fields.pop("conversation", None) or make_conversation(
        agent, visitor, f"user: {statement}"
    )
    evidence = {
        "message": conversation.messages.values_list("pk", flat=True).first(),
        "position": 1,
        "role": "user",
        "at": NOON.isoformat(),
        "offset": 0,
        "quote": statement,
        "found": True,
    }
    fields.setdefault("evidence", [evidence])
    return Observation.objects.create(
        agent=agent,
        visitor=visitor,
        conversation=conversation,
        position=fields.pop("position", 1),
        statement=statement,
        hash=store.hash_of(statement, agent.tenant_id),
        said_at=NOON,
        **fields,
    )


def make_draft(content: str = "The user likes tea.", key: str = "", **fields: Any) -> Draft:
    return Draft(
        key=key or f"/notes/{next(_numbers)}",
        description=fields.pop("description", content[:60]),
        content=content,
        presence=fields.pop("presence", Presence.ON_DEMAND),
        trigger_patterns=tuple(fields.pop("trigger_patterns", ())),
        **fields,
    )


def make_memory(
    agent: Agent, visitor: Visitor | None = None, content: str = "The user likes tea.", **kw: Any
) -> Memory:
    """`vector` is an AtHand; everything else goes into the draft."""
    vector, source = kw.pop("vector", None), kw.pop("source", None)
    return store.add(
        tenant_id=agent.tenant_id,
        kind=Memory.Kind.LEARNED,
        agent_id=agent.pk,
        visitor_id=visitor.pk if visitor is not None else None,
        draft=make_draft(content, **kw),
        by=SYSTEM,
        vector=vector,
        source=source,
    )


def make_mutation(
    agent: Agent,
    visitor: Visitor | None = None,
    *,
    operation: str = "add",
    draft: Draft | None = None,
    target: Memory | None = None,
    observation: Observation | None = None,
    **fields: Any,
) -> Mutation:
    """A pending proposal with one source; for modify and delete give the target."""
    if draft is None:
        draft = make_draft() if operation == "add" else Draft()
    observation = observation or make_observation(
        agent,
        visitor,
        draft.content or f"About {next(_numbers)}",
        status=Observation.Status.CONSOLIDATED,
        resolved_at=NOON,
    )
    mutation = Mutation(
        agent=agent,
        visitor=visitor,
        operation=operation,
        draft=draft.given(),
        target=target,
        target_version=target.version if target is not None else None,
        before=target.as_draft.given() if target is not None else {},
        evidence=observation.evidence,
        approver="org-admin" if visitor is None else "member",
        made_by={"provider": "test", "model": "test", "prompt": ""},
        last_said_at=NOON,
        **fields,
    )
    mutation.hash = store.hash_of(mutation.burial_text, agent.tenant_id)
    mutation.save()
    MutationSource.objects.create(mutation=mutation, observation=observation)
    return mutation


class World:
    """A tenant with an agent, a visitor and an admin: what most tests begin with."""

    def __init__(self, slug: str = "") -> None:
        self.tenant = make_tenant(slug)
        with self.inside():
            self.agent = make_agent()
            self.visitor = make_visitor()
            self.admin = make_member(Role.ADMIN)

    def inside(self) -> Any:
        return within(self.tenant.pk)
