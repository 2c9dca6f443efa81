"""Shared memory over HTTP: a write and a search, small and large tenants, and many at once.

A real server (uvicorn, two workers) on the loopback; the client and it share the two cores.
"""

import random
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.db import connections

from memory.models import SharedAgent
from memory.providers import embedder_for
from memory.providers.wordllama_space import SPACE
from memory.recall.terms import terms
from tenants.context import within
from tenants.models import Tenant, Token
from tests.benchmarks.measuring import p50, p95, table
from tests.factories import make_tenant
from tests.served import web

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

SMALL, LARGE, SCOPE = 2_000, 200_000, 2_000
ROUNDS, CLIENTS, SECONDS = 150, 8, 10
_THINGS = """deadline budget owner release invoice schema report login checkout queue cache
    backup certificate contract runner dashboard exporter importer survey newsletter warehouse
    shipment""".split()
_PEOPLE = "Alice Bob Chen Dara Emil Fatou Grace Hugo Ines Jonas Kofi Lena Mira Noor Otto".split()
_PLACES = "Lisbon Porto Berlin Nairobi Osaka Lima Oslo Turin Quito Hanoi".split()
_SHAPES = (
    "The {a} of the {b} moved to {p}.",
    "{w} owns the {a} migration until week {n}.",
    "Staging answers {n} errors an hour since the {a} was changed.",
    "We agreed with {w} to drop the {a} and keep the {b}.",
    "Customer {n} in {p} waits for the {a}.",
    "{w}: the {a} is done, the {b} is blocked.",
    "Nightly {a} took {n} minutes, twice as long as before.",
    "Do not touch the {a} before {w} is back from {p}.",
    "The {a} costs {n} euros a month.",
    "Root cause of ticket {n}: a full disk under the {a}.",
)


def note(dice: random.Random) -> str:
    """What an agent might write down about its work."""
    return dice.choice(_SHAPES).format(
        a=dice.choice(_THINGS),
        b=dice.choice(_THINGS),
        w=dice.choice(_PEOPLE),
        p=dice.choice(_PLACES),
        n=dice.randrange(10_000),
    )


def fill(tenant: Tenant, count: int, *, agent: str, workflow: str = "", seed: int = 1) -> None:
    """`count` global memories of one agent, as the store writes them, in bulk by the owner."""
    dice = random.Random(seed)
    with within(tenant.pk):
        writer, _ = SharedAgent.objects.get_or_create(name=agent)
    embedder = embedder_for(SPACE)
    with connections["owner"].cursor() as cursor:
        for start in range(0, count, 10_000):
            texts = [f"{note(dice)} #{start + n}" for n in range(min(10_000, count - start))]
            found = [terms(text) for text in texts]
            cursor.execute(
                """
                INSERT INTO memory_memory (tenant_id, uid, kind, key, description, content,
                    presence, trigger_patterns, label, pinned, is_auto_generated, hash, version,
                    length, source, confirmed, closed_because, writer_id, scope, role, workflow,
                    clock, extracted, unchecked)
                SELECT %s, gen_random_uuid(), 'shared', '', '', content, '', '{}', '', false, false,
                    md5(content), 1, length, '{}', 0, '', %s, 'global', '', %s, '{}', true, false
                FROM unnest(%s::text[], %s::int[]) AS texts(content, length)
                RETURNING id
                """,
                [tenant.pk, writer.pk, workflow, texts, [each.total() for each in found]],
            )
            ids = [row[0] for row in cursor.fetchall()]
            _copy(
                cursor,
                "memory_posting (tenant_id, term, memory_id, count)",
                ((tenant.pk, term, id, n) for id, each in zip(ids, found, strict=True)
                 for term, n in each.items()),
            )  # fmt: skip
            vectors = embedder.embed(texts, timeout=60)
            _copy(
                cursor,
                "memory_memoryvector (tenant_id, memory_id, piece, space, vector)",
                ((tenant.pk, id, 0, SPACE, str(vector.tolist()))
                 for id, vector in zip(ids, vectors, strict=True)),
            )  # fmt: skip


def _copy(cursor: Any, into: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with cursor.copy(f"COPY {into} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


class Caller:
    def __init__(self, base: str, tenant: Tenant) -> None:
        with within(tenant.pk):
            _, key = Token.objects.issue(
                kind=Token.Kind.ORGANISATION, name="bench", tier="enterprise"
            )
        self.http = httpx.Client(
            base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=30
        )

    def close(self) -> None:
        self.http.close()

    def post(self, path: str, **body: Any) -> float:
        started = time.perf_counter()
        answer = self.http.post(f"/v1/memory/{path}", json=body)
        taken = (time.perf_counter() - started) * 1000
        assert answer.status_code < 300, answer.text
        return taken


def test_shared_memory_over_http() -> None:
    small, large = make_tenant(), make_tenant()
    fill(small, SMALL, agent="filler", workflow="w")
    fill(large, SCOPE, agent="filler", workflow="w")
    fill(large, LARGE - SCOPE, agent="crowd", workflow="elsewhere", seed=2)
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    taken: dict[tuple[str, str], list[float]] = {}
    dice = random.Random(3)
    with web() as base:
        callers = {"2,000": Caller(base, small), "200,000": Caller(base, large)}
        for number in range(ROUNDS + 20):
            question, text = note(dice), f"{note(dice)} bench {number}"
            for size, caller in callers.items():
                search = caller.post("search", query=question, agentId="reader", workflowId="w")
                write = caller.post(
                    "write", content=text, agentId="writer", scope="global", workflowId="new"
                )
                if number >= 20:
                    taken.setdefault(("search", size), []).append(search)
                    taken.setdefault(("write", size), []).append(write)
        for caller in callers.values():
            caller.close()
        table(
            "Shared memory over HTTP, one client, 2,000 memories in the workflow (milliseconds)",
            ["call", "memories of the tenant", "p50", "p95", "to the small tenant"],
            [
                [
                    call, size, p50(times), p95(times),
                    f"{p50(times) / p50(taken[call, '2,000']):.2f} ×",
                ]
                for (call, size), times in sorted(taken.items())
            ],
        )  # fmt: skip
        rates = [[size, _throughput(base, tenant)] for size, tenant in
                 (("2,000", small), ("200,000", large))]  # fmt: skip
        table(
            f"Searches a second, {CLIENTS} clients, 2 web workers",
            ["memories of the tenant", "searches a second"],
            rates,
        )


def _throughput(base: str, tenant: Tenant) -> float:
    callers = [Caller(base, tenant) for _ in range(CLIENTS)]
    ends = time.monotonic() + SECONDS

    def run(number: int) -> int:
        dice, done = random.Random(number), 0
        while time.monotonic() < ends:
            callers[number].post(
                "search", query=note(dice), agentId=f"reader {number}", workflowId="w"
            )
            done += 1
        return done

    with ThreadPoolExecutor(CLIENTS) as pool:
        done = sum(pool.map(run, range(CLIENTS)))
    for caller in callers:
        caller.close()
    return done / SECONDS
