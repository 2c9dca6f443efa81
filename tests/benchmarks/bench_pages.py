"""The reviewer's pages with 50,000 memories and 1,500 proposals, and 1,500 approvals in bulk."""

import time

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Visitor
from memory import store
from memory.models import Memory, Mutation, MutationSource, Observation
from tests.benchmarks.measuring import p50, p95, table, times
from tests.factories import NOON, World, make_conversation, make_member, make_visitor

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

MEMORIES, PROPOSALS, PEOPLE = 50_000, 1_500, 500
NAME = "rita"
BATCH = 50  # what the browser sends at a time (D25)


def fill(world: World) -> None:
    with world.inside():
        people = [make_visitor() for _ in range(PEOPLE)]
        Memory.objects.bulk_create(
            (_memory(world, people[n % PEOPLE], n) for n in range(MEMORIES)), batch_size=2_000
        )
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
            for n in range(PROPOSALS)
        ]  # fmt: skip
        observations = Observation.objects.bulk_create(
            Observation(
                agent=world.agent, visitor=people[n % PEOPLE], conversation=conversation,
                position=n % 20 + 1, statement=f"The user likes tea number {n}",
                evidence=evidence[n], hash=f"{n:064d}", said_at=NOON, status="consolidated",
                resolved_at=NOON,
            )
            for n in range(PROPOSALS)
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
            for n in range(PROPOSALS)
        )  # fmt: skip
        MutationSource.objects.bulk_create(
            MutationSource(mutation=mutation, observation=observation)
            for mutation, observation in zip(made, observations, strict=True)
        )
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum does


def _memory(world: World, visitor: Visitor, number: int) -> Memory:
    content = f"The user said something worth keeping, number {number}"
    return Memory(
        kind="learned", agent=world.agent, visitor=visitor, key=f"/notes/{number}",
        description="a note", content=content, presence="on-demand",
        hash=store.hash_of(content, world.tenant.pk),
    )  # fmt: skip


def test_pages_and_bulk(client: Client) -> None:
    world = World()
    fill(world)
    with world.inside():
        make_member("admin", NAME)
    client.force_login(User.objects.get(username=NAME))
    base = f"/t/{world.tenant.slug}"
    rows = []
    for path in (
        "/review/", "/review/?q=tea", "/review/?lane=rest", f"/agents/{world.agent.slug}/",
        "/agents/", "/admin/", "/admin/memory/memory/", "/admin/memory/mutation/",
        "/admin/memory/mutation/?status__exact=pending",
    ):  # fmt: skip
        with CaptureQueriesContext(connection) as asked:
            assert client.get(base + path).status_code == 200, path
            statements = len(asked)
        taken = times(lambda _, p=path: client.get(base + p), rounds=15, warm=3)  # type: ignore[misc]
        rows.append((path, p50(taken), p95(taken), statements))
    table(
        f"Pages, {MEMORIES:,} memories and {PROPOSALS:,} proposals",
        ("page", "p50 ms", "p95 ms", "statements"), rows,
    )  # fmt: skip
    _bulk(client, world, base)


def _bulk(client: Client, world: World, base: str) -> None:
    with world.inside():
        items = [f"{m.pk}:{m.version}" for m in Mutation.objects.pending().only("pk", "version")]
    started, approved = time.perf_counter(), 0
    for at in range(0, len(items), BATCH):
        answer = client.post(
            f"{base}/review/bulk/", {"item": items[at : at + BATCH]},
            headers={"accept": "application/json"},
        )  # fmt: skip
        approved += sum(result["ok"] for result in answer.json()["results"])
    seconds = time.perf_counter() - started
    table(
        "Approvals in bulk", ("approved", "seconds", "ms each"),
        [(approved, seconds, 1000 * seconds / len(items))],
    )  # fmt: skip
