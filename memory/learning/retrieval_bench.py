"""Measure retrieval against annotated conversations, through the product's own path.

The file is a list of conversations: `speakers`, `sessions[] {n, at, turns[] {id, speaker, text}}`,
`observations[] {speaker, session, statement, evidence}` and `questions[] {q, evidence, category}`.
Turns become captured messages, observations become proposals that a member approves. A question is
asked as it stands; the share of its evidence turns among the first k is its recall. A memory is a
hit if one of the turns it rests on is among the question's.
"""

import json
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.db.models.functions import Now

from agents.models import Agent, Visitor
from memory import review, store
from memory.learning.capture import Said, conversation_of, prepare, write
from memory.learning.observing_bench import said_at
from memory.models import Draft, Mutation, MutationSource, Observation, Presence
from memory.providers import embedder_for
from memory.recall.names import Names
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Membership, Role, Tenant, TenantRow

ASKED = (1, 2, 3, 4)  # categories with an answer in the text
_ID = re.compile(r"[^\s,;]+")
_EMBED_SECONDS = 60.0
DEEPEST = 20


@dataclass(frozen=True)
class Asked:
    """A question; `messages` and `memories` are the ids that answer it."""

    text: str
    messages: frozenset[int]
    memories: frozenset[int]


@dataclass
class Told:
    """One annotated conversation as rows of the scratch tenant."""

    name: str
    agent_id: int
    visitor_id: int
    names: Names
    questions: list[Asked] = field(default_factory=list)
    messages: int = 0
    memories: int = 0


def load(path: Path) -> list[dict[str, Any]]:
    """The conversations of a file. Raises ValueError for another shape."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, list) or not all(
        isinstance(each, dict)
        and {"speakers", "sessions", "observations", "questions"} <= set(each)
        for each in found
    ):
        raise ValueError("a list of conversations is expected, each with speakers, sessions, "
                         "observations and questions")  # fmt: skip
    return found


@contextmanager
def scratch_tenant() -> Iterator[Caller]:
    """A tenant of its own with an admin, gone afterwards with all its rows."""
    name = f"bench-{secrets.token_hex(6)}"
    tenant = Tenant.objects.start(slug=name, name=name)
    user = User.objects.create_user(name)
    try:
        with within(tenant.pk):
            caller = Caller.of(Membership.objects.create(user=user, role=Role.ADMIN))
        yield caller
    finally:
        _remove(tenant.pk)
        user.delete()


def _remove(tenant_id: int) -> None:
    """As the owner, whom no policy binds; keys between the tables are checked at the end."""
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        for model in apps.get_models():
            if issubclass(model, TenantRow):
                cursor.execute(
                    f'DELETE FROM "{model._meta.db_table}" WHERE tenant_id = %s',  # noqa: S608
                    [tenant_id],
                )
        cursor.execute("DELETE FROM tenants_tenant WHERE id = %s", [tenant_id])


def fill(caller: Caller, told: dict[str, Any], space: str) -> Told:
    """Capture the turns, approve the observations, and translate the questions' evidence."""
    tenant_id = caller.tenant_id
    first, second = (str(name) for name in told["speakers"][:2])
    number = secrets.token_hex(4)
    with within(tenant_id):
        agent = Agent.objects.create(
            slug=f"{second.casefold()}-{number}"[:60], name=second, memory_enabled=True
        )
        visitor = Visitor.objects.create(host_id=f"{first}-{number}", name=first)
    rows = Told(str(told.get("id", "")), agent.pk, visitor.pk, Names(visitor=first, agent=second))
    turns: dict[str, int] = {}
    talks: dict[Any, Any] = {}
    for session in told["sessions"]:
        start = said_at(session["at"])
        ready = prepare(
            [
                Said(
                    role="user" if turn["speaker"] == first else "assistant",
                    content=turn["text"],
                    id=turn["id"],
                    occurred_at=start + timedelta(seconds=30 * place),
                )
                for place, turn in enumerate(session["turns"])
            ],
            space=space,
            timeout=_EMBED_SECONDS,
        )
        with within(tenant_id):
            conversation = conversation_of(
                agent_id=agent.pk,
                visitor_id=visitor.pk,
                external_id=f"session {session['n']}",
                channel="import",
            )
            captured = write(ready, conversation=conversation)
        turns |= {str(m.external_id): m.pk for m in captured.messages}
        talks[session["n"]] = (conversation, start)
    rows.messages = len(turns)
    evidence = _approved(caller, rows, told, talks, turns, space)
    rows.memories = len(evidence)
    for question in told["questions"]:
        wanted = set(_ids(question["evidence"]))
        if question["category"] in ASKED and wanted & set(turns):
            rows.questions.append(
                Asked(
                    question["q"],
                    frozenset(turns[turn] for turn in wanted if turn in turns),
                    frozenset(memory for memory, rests in evidence.items() if rests & wanted),
                )
            )
    return rows


def _approved(
    caller: Caller,
    rows: Told,
    told: dict[str, Any],
    talks: dict[Any, Any],
    turns: dict[str, int],
    space: str,
) -> dict[int, set[str]]:
    """The observations as approved memories: which turns each rests on."""
    every = told["observations"]
    vectors = embedder_for(space).embed([o["statement"] for o in every], timeout=_EMBED_SECONDS)
    waiting: dict[int, set[str]] = {}
    with within(caller.tenant_id):
        for place, (one, vector) in enumerate(zip(every, vectors, strict=True)):
            conversation, start = talks[one["session"]]
            rests = set(_ids(one["evidence"]))
            evidence = [
                {
                    "message": turns.get(turn),
                    "conversation": conversation.pk,
                    "position": 0,
                    "role": "user",
                    "at": start.isoformat(),
                    "offset": 0,
                    "quote": "",
                    "found": True,
                }
                for turn in sorted(rests)
            ]
            observation = Observation.objects.create(
                agent_id=rows.agent_id,
                visitor_id=rows.visitor_id,
                conversation=conversation,
                position=1,
                statement=one["statement"],
                evidence=evidence,
                hash=store.hash_of(one["statement"], caller.tenant_id),
                said_at=start,
                status=Observation.Status.CONSOLIDATED,
                resolved_at=Now(),
                space=space,
                statement_vector=vector.tolist(),
            )
            draft = Draft(
                key=f"/notes/{place}",
                content=one["statement"],
                description="",
                presence=Presence.ON_DEMAND,
            )
            mutation = Mutation.objects.create(
                agent_id=rows.agent_id,
                visitor_id=rows.visitor_id,
                operation=Mutation.Operation.ADD,
                draft=draft.given(),
                evidence=evidence,
                approver=Mutation.Approver.MEMBER,
                made_by={"provider": "bench", "model": "", "prompt": ""},
                hash=observation.hash,
                space=space,
                vector=vector.tolist(),
                last_said_at=start,
            )
            MutationSource.objects.create(mutation=mutation, observation=observation)
            waiting[mutation.pk] = rests
    approved: dict[int, set[str]] = {}
    for number, rests in waiting.items():
        decided = review.approve(mutation_id=number, by=caller)
        if decided.memory is not None:
            approved[decided.memory.pk] = rests
    return approved


def _ids(evidence: Any) -> list[str]:
    entries = [evidence] if isinstance(evidence, str) else evidence
    return [turn for entry in entries for turn in _ID.findall(str(entry))]


Search = Callable[[Told, Asked], Sequence[int]]  # ids, best first


def quality(rows: Sequence[Told], find: Search, of: str) -> dict[str, float]:
    """R@5, R@10, R@20, hit@10 and MRR in percent, over the questions that have an answer."""
    ranks: list[list[float]] = []
    for told in rows:
        for asked in told.questions:
            wanted = asked.messages if of == "messages" else asked.memories
            if wanted:
                place = {found: rank for rank, found in enumerate(find(told, asked), start=1)}
                ranks.append([place.get(each, np.inf) for each in wanted])
    return measured(ranks)


def measured(ranks: Sequence[Sequence[float]]) -> dict[str, float]:
    """The figures from the ranks of what was wanted, question by question."""

    def mean(value: Callable[[Sequence[float]], float]) -> float:
        return round(100 * float(np.mean([value(each) for each in ranks])), 1) if ranks else 0.0

    figures = {
        f"R@{k}": mean(lambda each, k=k: float(np.mean([rank <= k for rank in each])))  # type: ignore[misc]
        for k in (5, 10, 20)
    }
    figures["hit@10"] = mean(lambda each: float(min(each) <= 10))
    figures["MRR"] = mean(lambda each: 1 / min(each))
    return figures


def times(find: Search, rows: Sequence[Told], most: int = 200) -> dict[str, float]:
    """Milliseconds of the whole search over up to `most` of the questions, one after the other."""
    asked = [(told, each) for told in rows for each in told.questions][:: max(1, len(rows))][:most]
    taken = []
    for told, each in asked:
        started = time.perf_counter()
        find(told, each)
        taken.append((time.perf_counter() - started) * 1000)
    if not taken:
        return {}
    p50, p95 = np.percentile(taken, [50, 95])
    return {"p50": round(float(p50), 2), "p95": round(float(p95), 2), "asked": len(taken)}
