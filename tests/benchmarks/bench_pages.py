"""The reviewer's pages with 50,000 memories and 1,500 pending mutations, then 1,500 approvals in
bulk. Everything through the product's own addresses, statistics as autovacuum keeps them."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Visitor
from memory import store
from memory.models import (
    Category,
    Memory,
    MemoryVersion,
    Mutation,
    MutationSource,
    Observation,
    Posting,
    RecallTrace,
)
from memory.recall.terms import terms
from tests.benchmarks.measuring import p50, p95, table, times
from tests.factories import NOON, World, make_conversation, make_member, make_visitor

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

MEMORIES, WAITING, PEOPLE = 50_000, 1_500, 500
OF_PEOPLE = 10_000  # of the memories: by category, as the User Memories tab lists them
TRACES = 5_000
AT_ONCE = 2_000
NAME = "rita"
BATCH = 50  # what the browser sends at a time (D25)


def fill(world: World) -> None:
    """In short blocks: a slow machine would be cut off in a long one."""
    with world.inside():
        people = [make_visitor() for _ in range(PEOPLE)]
        Category.objects.of(world.agent.pk)
        category = Category.objects.get(agent=world.agent, slug="preferences")
    learned = MEMORIES - OF_PEOPLE
    _write(world, [_memory(world, people[n % PEOPLE], n) for n in range(learned)])
    _write(world, [_of_person(world, people[n % PEOPLE], category, n) for n in range(OF_PEOPLE)])
    with world.inside():
        _recalled(world, people)
    with world.inside():
        conversation = make_conversation(
            world.agent, people[0], *[f"user: I like tea number {n}" for n in range(20)]
        )
        numbers = list(conversation.messages.order_by("position").values_list("pk", flat=True))
        evidence = [
            [
                {
                    "message": numbers[n % 20], "position": n % 20 + 1, "role": "user",
                    "at": NOON.isoformat(), "offset": 0, "quote": "I like tea", "found": True,
                }
            ]
            for n in range(WAITING)
        ]  # fmt: skip
        observations = Observation.objects.bulk_create(
            Observation(
                agent=world.agent, visitor=people[n % PEOPLE], conversation=conversation,
                position=n % 20 + 1, statement=f"The user likes tea number {n}",
                evidence=evidence[n], hash=f"{n:064d}", said_at=NOON, status="consolidated",
                resolved_at=NOON,
            )
            for n in range(WAITING)
        )  # fmt: skip
        made = Mutation.objects.bulk_create(
            Mutation(
                agent=world.agent, visitor=people[n % PEOPLE], operation="add",
                draft={
                    "key": f"/drinks/new/{n}", "description": "tea", "presence": "on-demand",
                    "content": f"The user likes tea number {n}", "trigger_patterns": [],
                },
                evidence=evidence[n], approver="member", hash=f"{n:064d}", last_said_at=NOON,
            )
            for n in range(WAITING)
        )  # fmt: skip
        MutationSource.objects.bulk_create(
            MutationSource(mutation=mutation, observation=observation)
            for mutation, observation in zip(made, observations, strict=True)
        )
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum does


def _write(world: World, memories: list[Memory]) -> None:
    """With their index entries, and a version each, as `store` writes them."""
    for start in range(0, len(memories), AT_ONCE):
        with world.inside():
            made = Memory.objects.bulk_create(memories[start : start + AT_ONCE])
            Posting.objects.bulk_create(
                Posting(memory=each, term=term, count=count)
                for each in made
                for term, count in terms(f"{each.key} {each.content}").items()
            )
            MemoryVersion.objects.bulk_create(
                MemoryVersion(memory=each, version=1, draft=each.as_draft.given(), because="added")
                for each in made
            )


def _recalled(world: World, people: list[Visitor]) -> None:
    """Recalls as chat leaves them, five memories each."""
    numbers = list(Memory.objects.order_by("pk").values_list("pk", flat=True)[:2_000])
    RecallTrace.objects.bulk_create(
        RecallTrace(
            agent=world.agent, visitor=people[n % PEOPLE], channel="chat", took_ms=4.0,
            tokens=120, memories=[
                {
                    "id": numbers[(n * 5 + k) % len(numbers)], "version": 1, "shown": "body",
                    "reason": "searched", "score": 0.5,
                }
                for k in range(5)
            ],
        )
        for n in range(TRACES)
    )  # fmt: skip


def _memory(world: World, visitor: Visitor, number: int) -> Memory:
    content = f"The user said something worth keeping, number {number}"
    return Memory(
        kind="learned", agent=world.agent, visitor=visitor, key=f"/notes/{number}",
        description="a note", content=content, presence="on-demand",
        hash=store.hash_of(content, world.tenant.pk),
    )  # fmt: skip


def _of_person(world: World, visitor: Visitor, category: Category, number: int) -> Memory:
    content = f"The user prefers something of their own, number {number}"
    return Memory(
        kind="person", agent=world.agent, visitor=visitor, category=category, content=content,
        hash=store.hash_of(content, world.tenant.pk), is_auto_generated=True,
    )  # fmt: skip


def test_pages_and_bulk(client: Client) -> None:
    world = World()
    fill(world)
    with world.inside():
        make_member("admin", NAME)
        memory = Memory.objects.filter(kind="learned").order_by("pk")[700]
        person = memory.visitor
        assert person is not None
    client.force_login(User.objects.get(username=NAME))
    base = f"/t/{world.tenant.slug}"
    agent = f"/agents/{world.agent.slug}"
    asked: dict[str, str] = {
        "the queue": "/review/",
        "… text": "/review/?q=tea",
        "… a lane": "/review/?lane=rest",
        "agent: Setup": f"{agent}/",
        "agent: Memory tab, both panels": f"{agent}/memory/",
        "… Stored Memories, text": f"{agent}/memory/?q=number+1234",
        "… Stored Memories, a word in all": f"{agent}/memory/?q=keeping",
        "… Stored Memories, a visitor": f"{agent}/memory/?visitor=%23{person.pk}",
        "agent: User Memories": f"{agent}/memory/people/",
        "… a person": f"{agent}/memory/people/?person=%23{person.pk}",
        "… a part of an id": f"{agent}/memory/people/?person={person.host_id}",
        "people": "/memory/settings/",
        "… a part of an id ": f"/memory/settings/?person={person.host_id}",
        "agents": "/agents/",
        "a memory's history": f"/memories/{memory.pk}/",
        "my decisions": "/review/mine/",
        "admin: front": "/admin/",
        "admin: memories": "/admin/memory/memory/",
        "… search, rare": "/admin/memory/memory/?q=1234",
        "… search, in all": "/admin/memory/memory/?q=keeping",
        "… search, nothing": "/admin/memory/memory/?q=xylophone",
        "… filter": "/admin/memory/memory/?presence=on-demand",
        "admin: mutations": "/admin/memory/mutation/",
        "… pending": "/admin/memory/mutation/?status__exact=pending",
        "… search ": "/admin/memory/mutation/?q=1234",
        "admin: versions": "/admin/memory/memoryversion/",
        "admin: recall traces": "/admin/memory/recalltrace/",
    }
    rows = []
    for name, path in asked.items():
        rows.append((name, *_measured(lambda p=path: client.get(base + p))))  # type: ignore[misc]
    form = {"message": "What do they want to keep, number 1234?", "visitor": f"#{person.pk}"}
    rows.append(
        ("recall inspector", *_measured(lambda: client.post(f"{base}{agent}/recall/", form)))
    )
    table(
        f"Pages, {MEMORIES:,} memories and {WAITING:,} pending mutations",
        ("page", "p50 ms", "p95 ms", "statements"), rows,
    )  # fmt: skip
    _bulk(client, world, base)


def _measured(ask: Callable[[], Any]) -> tuple[float, float, int]:
    """p50 and p95 of a page in milliseconds, and its statements besides the block's own."""
    with CaptureQueriesContext(connection) as caught:
        answer = ask()
    assert answer.status_code == 200, answer.status_code
    statements = len(_told(caught))  # now: what is asked next writes over them
    taken = times(lambda _: ask(), rounds=15, warm=3)
    return p50(taken), p95(taken), statements


def _told(caught: Any) -> list[str]:
    """Statements but those that open, name and close a block (D46)."""
    frame = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    said = [each["sql"] for each in caught]
    return [sql for sql in said if not sql.startswith(frame) and "set_config" not in sql]


def _bulk(client: Client, world: World, base: str) -> None:
    with world.inside():
        items = [f"{m.pk}:{m.version}" for m in Mutation.objects.pending().only("pk", "version")]

    def send(batch: list[str]) -> int:
        answer = client.post(
            f"{base}/review/bulk/", {"item": batch}, headers={"accept": "application/json"}
        )
        return sum(result["ok"] for result in answer.json()["results"])

    with CaptureQueriesContext(connection) as caught:
        approved = send(items[:BATCH])
    of_all, of_tables = len(caught), len(_told(caught))
    started = time.perf_counter()
    for at in range(BATCH, len(items), BATCH):
        approved += send(items[at : at + BATCH])
    seconds = time.perf_counter() - started
    each = seconds / (len(items) - BATCH)
    table(
        f"Approvals in bulk, {BATCH} a request",
        ("approved", "seconds for 1,500", "ms each", "statements each", "with the blocks' own"),
        [(approved, each * len(items), 1000 * each, of_tables / BATCH, of_all / BATCH)],
    )
    assert approved == len(items)
