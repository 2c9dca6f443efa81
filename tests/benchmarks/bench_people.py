"""Lists of contract 2 in process, with 50,000 memories in the tenant."""

from collections.abc import Callable

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from agents.models import Agent, Visitor
from memory import store
from memory.models import Category, Memory
from tests.benchmarks.measuring import p50, p95, table, times
from tests.factories import make_agent, make_visitor
from tests.orgs import Org, stub_embedding

pytestmark = [
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

ROUNDS = 60
PEOPLE = 300  # with 100 memories each: half about them, half of one agent
HEAVY = 5_000  # one person's
KNOWN = 15_000  # one agent's knowledge


def write(rows: list[Memory]) -> None:
    Memory.objects.bulk_create(rows, batch_size=2_000)


def about(
    org: Org, visitor: Visitor, agent: Agent | None, category: Category, count: int
) -> list[Memory]:
    where = {"label": "general"} if agent is None else {"agent": agent, "category": category}
    return [
        Memory(
            kind="person",
            visitor=visitor,
            content=f"The user said something worth keeping, number {number}",
            hash=store.hash_of(f"{number}", org.tenant.pk),
            source={"conversation": f"session {number % 7}"},
            is_auto_generated=True,
            **where,
        )
        for number in range(count)
    ]


def fill(org: Org) -> None:
    with org.inside():
        Category.objects.of(org.agent.pk)
        category = Category.objects.get(agent=org.agent, slug="preferences")
        write(about(org, org.visitor, None, category, HEAVY // 2))
        write(about(org, org.visitor, org.agent, category, HEAVY // 2))
        for _ in range(PEOPLE):
            visitor = make_visitor()
            write(about(org, visitor, None, category, 50))
            write(about(org, visitor, org.agent, category, 50))
        other = make_agent()
        for agent, count in ((org.agent, KNOWN // 2), (other, KNOWN // 2)):
            write(
                [
                    Memory(
                        kind="knowledge",
                        agent=agent,
                        creator_id=org.admin.user_id,
                        content=f"Our refund window is {number} days",
                        hash=store.hash_of(f"{number}", org.tenant.pk),
                    )
                    for number in range(count)
                ]
            )
        assert Memory.objects.count() == 50_000
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE memory_memory")  # as autovacuum does


def test_lists() -> None:
    with stub_embedding():
        org = Org()
        fill(org)
        agent = org.agent.slug
        one = f"users/user123/agents/{agent}/agent-memories/"
        asked = {
            "a person's global memories (2,500)": "users/user123/global-memories/",
            "… whose text contains": "users/user123/global-memories/?content=number%202",
            "… of a session": "users/user123/global-memories/?session_id=session%203",
            "… of a day": "users/user123/global-memories/?start_date=2026-01-01",
            "… page 100": "users/user123/global-memories/?page=100",
            "a person's of all agents (2,500)": "users/user123/agent-memories/",
            "a person's of one agent (2,500)": one,
            "… in a category": f"{one}?category=preferences",
            "… the flat list": f"users/user123/agents/{agent}/agent-memories-list/",
            "an agent's knowledge (7,500)": f"agents/{agent}/agent-memories/",
            "… page 300": f"agents/{agent}/agent-memories/?page=300",
            "… 100 rows": f"agents/{agent}/agent-memories/?page_size=100",
            "an agent's categories": f"agents/{agent}/memory-categories/",
        }
        rows = []
        for name, path in asked.items():
            taken = times(call(org, path), rounds=ROUNDS)
            with CaptureQueriesContext(connection) as caught:
                call(org, path)(0)
            told = [
                sql
                for sql in (each["sql"] for each in caught)
                if not sql.startswith(("BEGIN", "COMMIT")) and "set_config" not in sql
            ]
            rows.append([name, p50(taken), p95(taken), len(told)])
    table(
        "Lists in process, 50,000 memories in the tenant (ms)",
        ["list", "p50", "p95", "statements"],
        rows,
    )


def call(org: Org, path: str) -> Callable[[int], object]:
    def once(number: int) -> None:
        assert org.get(path).status_code == 200

    return once
