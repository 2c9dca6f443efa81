"""Lists in pages: every row once, whatever comes and goes; a constant number of statements."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import store
from memory.models import Category, Memory
from tests.orgs import Org

pytestmark = pytest.mark.django_db

GLOBAL = "users/user123/global-memories/"
TOGETHER = "2026-01-15T10:30:00Z"


def many(org: Org, count: int) -> list[int]:
    """Rows of one `bulk_create`, all made at the same instant."""
    with org.inside():
        rows = Memory.objects.bulk_create(
            Memory(
                kind="person",
                visitor=org.visitor,
                label="general",
                content=f"Fact number {number}",
                hash=store.hash_of(f"Fact number {number}", org.tenant.pk),
            )
            for number in range(count)
        )
        Memory.objects.update(created_at=TOGETHER)
    return [row.pk for row in rows]


def walk(org: Org, first: str, *, between: Any = None) -> list[int]:
    """The ids of all pages, by `next`; `between` is called after each page."""
    seen: list[int] = []
    url: str | None = first
    while url is not None:
        body = org.get(url).json()
        seen += [row["id"] for row in body["results"]]
        url = body["next"]
        if between is not None and url is not None:
            between(seen)
    return seen


def test_rows_of_one_instant_come_once_each_by_next_and_by_number(org: Org) -> None:
    ids = many(org, 250)
    assert walk(org, f"{GLOBAL}?page_size=50") == sorted(ids, reverse=True)
    by_number = [
        row["id"]
        for page in range(1, 6)
        for row in org.get(GLOBAL, page=str(page), page_size="50").json()["results"]
    ]
    assert by_number == sorted(ids, reverse=True)


def test_rows_that_come_and_go_between_pages_repeat_and_hide_none(org: Org) -> None:
    ids = many(org, 250)
    gone: list[int] = []

    def between(seen: list[int]) -> None:
        org.about(org.visitor, f"New beside {len(seen)}")  # the newest: before everything seen
        for number in (seen[-1], min(set(ids) - set(seen) - set(gone))):
            org.call("DELETE", f"{GLOBAL}{number}/")
            gone.append(number)

    seen = walk(org, f"{GLOBAL}?page_size=50", between=between)
    assert len(seen) == len(set(seen))
    assert set(ids) - set(gone) <= set(seen) <= set(ids)


def test_the_addresses_of_pages_keep_the_filters_and_lead_back(org: Org) -> None:
    many(org, 45)
    first = org.get(GLOBAL, content="Fact", page_size="20", end_date="2026-02-01").json()
    assert (first["count"], len(first["results"]), first["previous"]) == (45, 20, None)
    assert first["next"].startswith("http://testserver/api/ai-agent/orgs/acme/users/user123/")
    second = org.get(first["next"]).json()
    last = org.get(second["next"]).json()
    assert [len(each["results"]) for each in (second, last)] == [20, 5]
    assert last["next"] is None
    assert org.get(last["previous"]).json()["results"] == second["results"]
    for asked in ("content=Fact", "end_date=2026-02-01", "page_size=20"):
        assert asked in urlsplit(second["next"]).query
        assert asked in urlsplit(last["previous"]).query


def test_the_place_of_another_list_shows_nothing_of_it(org: Org) -> None:
    """A cursor is a place in time, not a right: what it was made for does not come with it."""
    many(org, 30)
    url = org.get(GLOBAL).json()["next"]
    after = re.findall(r"after=([^&]+)", url)[0]
    answer = org.get("users/nobody/global-memories/", after=after)
    assert answer.json()["results"] == []


def test_categories_come_in_pages_too(org: Org) -> None:
    with org.inside():
        Category.objects.of(org.agent.pk)
        Category.objects.bulk_create(
            Category(agent=org.agent, slug=f"c{number}", name=f"C {number}") for number in range(40)
        )
        ids = list(Category.objects.order_by("id").values_list("pk", flat=True))
    assert walk(org, f"agents/{org.agent.slug}/memory-categories/?page_size=7") == ids


def test_a_list_asks_as_often_for_many_rows_as_for_one(org: Org) -> None:
    paths = [
        GLOBAL,
        "users/user123/agent-memories/",
        f"users/user123/agents/{org.agent.slug}/agent-memories/",
        f"users/user123/agents/{org.agent.slug}/agent-memories-list/",
        f"agents/{org.agent.slug}/agent-memories/",
        f"agents/{org.agent.slug}/memory-categories/",
        "users/user123/tokens/",
    ]
    counted: list[dict[str, int]] = []
    for count in (1, 30):
        for number in range(count):
            org.about(org.visitor, f"Fact {count} {number}")
            org.about(org.visitor, f"Fact {count} {number}", agent=org.agent)
            org.knows(f"Known {count} {number}")
            org.call("POST", "users/user123/tokens/", {})
        counted.append({path: statements(org, path) for path in paths})
    assert counted[0] == counted[1]
    assert max(counted[0].values()) <= 9, counted[0]


@pytest.mark.parametrize(
    ("path", "index", "column"),
    [
        (GLOBAL, "memory_of_person_by_time", "visitor_id"),
        ("agents/{agent}/agent-memories/", "memory_known_by_time", "agent_id"),
    ],
)
def test_the_application_finds_a_page_in_an_index(
    org: Org, path: str, index: str, column: str
) -> None:
    """Under the policy, by leakproof operators: in the order of the list, nothing to sort."""
    org.about(org.visitor, "The user likes green tea")
    path = path.format(agent=org.agent.slug)
    with CaptureQueriesContext(connection) as caught:
        org.get(path)
    (paged,) = [q["sql"] for q in caught if q["sql"].endswith('"memory_memory"."id" DESC')]
    with org.inside(), connection.cursor() as cursor:
        for way in ("seqscan", "bitmapscan", "sort"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
        cursor.execute("EXPLAIN " + paged)
        plan = [row[0] for row in cursor.fetchall()]
    wanted = f"Index Only Scan using {index} "
    at = next(number for number, line in enumerate(plan) if wanted in line)
    assert "tenant_id = " in plan[at + 1]
    assert f"{column} = " in plan[at + 1]


def statements(org: Org, path: str) -> int:
    org.get(path, who="admin")  # the key's own writing of when it was used
    with CaptureQueriesContext(connection) as caught:
        assert org.get(path, who="admin", page_size="100").status_code == 200
    told = [each["sql"] for each in caught]
    # No vector is fetched by a list.
    assert not any("memory_memoryvector" in sql for sql in told)
    return len([s for s in told if not s.startswith(_NOISE) and "set_config" not in s])


_NOISE = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
