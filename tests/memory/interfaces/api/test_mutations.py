"""The reviewer's verbs as a program calls them: who may, what is answered, what is read."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from memory.models import Memory, Mutation
from tenants.models import AuditEntry, Role
from tests.factories import (
    World,
    make_agent,
    make_draft,
    make_key,
    make_member,
    make_memory,
    make_mutation,
    make_user,
    make_visitor,
)  # fmt: skip

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def signed_in(user: Any, *, csrf: bool = False) -> Client:
    client = Client(enforce_csrf_checks=csrf)
    client.force_login(user)
    return client


def editor(world: World, role: Role = Role.ADMIN) -> Client:
    user = make_user()
    with world.inside():
        make_member(role, user=user)
    return signed_in(user)


def proposal(world: World, *, wide: bool = False, **fields: Any) -> Mutation:
    with world.inside():
        return make_mutation(world.agent, None if wide else world.visitor, **fields)


def post(client: Client, path: str, body: Any = None, **headers: str) -> Any:
    return client.post(
        path, json.dumps(body if body is not None else {}), "application/json", headers=headers
    )


def bearer(world: World, **fields: Any) -> dict[str, str]:
    with world.inside():
        return {"Authorization": f"Bearer {make_key(**fields)}"}


def test_an_approval_answers_the_mutation_as_it_became(world: World) -> None:
    mutation = proposal(world)
    answer = post(editor(world, Role.EDITOR), f"/api/mutations/{mutation.pk}/approve")
    body = answer.json()
    assert (answer.status_code, body["id"], body["status"]) == (200, mutation.pk, "approved")
    assert body["resolution"] == "approved"
    assert body["resolvedAt"]
    with world.inside():
        assert body["memory"] == Memory.objects.get().pk


def test_a_rejection_keeps_its_reason_and_writes_no_memory(world: World) -> None:
    mutation = proposal(world)
    answer = post(editor(world), f"/api/mutations/{mutation.pk}/reject", {"reason": "a joke"})
    assert (answer.status_code, answer.json()["reason"]) == (200, "a joke")
    with world.inside():
        assert not Memory.objects.exists()


@pytest.mark.parametrize("second", ["approve", "reject"])
def test_what_is_decided_says_by_whom_and_when(world: World, second: str) -> None:
    mutation = proposal(world)
    user = make_user("ingrid")
    with world.inside():
        make_member(Role.ADMIN, user=user)
    client = signed_in(user)
    post(client, f"/api/mutations/{mutation.pk}/approve")
    answer = post(client, f"/api/mutations/{mutation.pk}/{second}")
    assert answer.status_code == 409
    assert answer.json()["code"] == "decided"
    assert "ingrid" in answer.json()["error"]
    assert str(timezone.now().year) in answer.json()["error"]


def test_stale_and_out_of_scope_are_409_and_stay_recorded(world: World) -> None:
    with world.inside():
        other = make_memory(world.agent, make_visitor())
        mine = make_memory(world.agent, world.visitor)
        outside = make_mutation(world.agent, world.visitor, operation="delete", target=other)
        late = make_mutation(world.agent, world.visitor, operation="delete", target=mine)
        Memory.objects.filter(pk=mine.pk).update(version=9)
    client = editor(world)
    answers = [post(client, f"/api/mutations/{m.pk}/approve") for m in (outside, late)]
    assert [(a.status_code, a.json()["code"]) for a in answers] == [
        (409, "out-of-scope"),
        (409, "stale"),
    ]
    with world.inside():
        assert set(Mutation.objects.values_list("resolution", flat=True)) == {"rejected", "stale"}
        assert Memory.objects.live().count() == 2


def test_the_version_that_was_shown_counts(world: World) -> None:
    mutation = proposal(world)
    answer = post(editor(world), f"/api/mutations/{mutation.pk}/approve", {"version": 7})
    assert (answer.status_code, answer.json()["code"]) == (409, "changed")


@pytest.mark.parametrize("verb", ["approve", "reject"])
@pytest.mark.parametrize(
    ("who", "wide"),
    [("key", False), ("person", False), ("viewer", False), ("viewer", True), ("editor", True)],
)
def test_who_may_not_decide_is_answered_403_and_audited(
    world: World, verb: str, who: str, wide: bool
) -> None:
    mutation = proposal(world, wide=wide)
    client, headers = Client(), dict[str, str]()
    if who == "key":
        headers = bearer(world)
    elif who == "person":
        headers = bearer(world, kind="person", visitor_id=world.visitor.pk)
    else:
        client = editor(world, Role(who))
    answer = post(client, f"/api/mutations/{mutation.pk}/{verb}", **headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    with world.inside():
        assert Mutation.objects.get().status == "pending"
        assert AuditEntry.objects.filter(
            verb="mutation.decision_refused", subject_id=mutation.pk
        ).exists()


def test_a_members_token_decides_and_is_named(world: World) -> None:
    mutation = proposal(world)
    assert world.admin.user_id is not None
    headers = bearer(
        world,
        kind="member",
        user_id=world.admin.user_id,
        expires_at=timezone.now() + timedelta(hours=1),
    )
    answer = post(Client(), f"/api/mutations/{mutation.pk}/approve", **headers)
    assert (answer.status_code, answer.json()["byToken"]) == (200, True)


@pytest.mark.parametrize("verb", ["approve", "reject", ""])
def test_foreign_and_unknown_ids_are_the_same_404(world: World, verb: str) -> None:
    foreign = proposal(World())
    client = editor(world)
    bodies = set()
    for number in (foreign.pk, 10**9, 10**30):
        path = f"/api/mutations/{number}/{verb}"
        answer = post(client, path) if verb else client.get(path)
        assert answer.status_code == 404
        bodies.add(answer.content)
    assert len(bodies) == 1
    with world.inside():
        assert not Memory.objects.exists()


@pytest.mark.parametrize("id_", ["not-a-number", "' OR 1=1 --", "1.5", "-1", "%00"])
def test_ids_of_the_wrong_kind_are_404_in_json(world: World, id_: str) -> None:
    answer = post(editor(world), f"/api/mutations/{id_}/approve")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"version": "1"}, "version"),
        ({"version": True}, "version"),
        ({"version": 0}, "version"),
        ({"reason": 5}, "reason"),
        ({"reason": "x" * 501}, "reason"),
        ([1], None),
        ("text", None),
    ],
)
def test_a_bad_body_is_400_and_changes_nothing(world: World, body: Any, field: str | None) -> None:
    mutation = proposal(world)
    answer = post(editor(world), f"/api/mutations/{mutation.pk}/reject", body)
    assert (answer.status_code, answer.json().get("field")) == (400, field)
    with world.inside():
        assert Mutation.objects.get().status == "pending"


def test_malformed_json_is_400_and_is_not_repeated(world: World) -> None:
    mutation = proposal(world)
    answer = editor(world).post(
        f"/api/mutations/{mutation.pk}/reject", '{"reason": "secret words', "application/json"
    )
    assert answer.status_code == 400
    assert b"secret" not in answer.content


# --- who is calling ---------------------------------------------------------------------------


def test_a_session_without_the_csrf_token_writes_nothing(world: World) -> None:
    mutation = proposal(world)
    user = make_user()
    with world.inside():
        make_member(Role.ADMIN, user=user)
    client = signed_in(user, csrf=True)
    assert post(client, f"/api/mutations/{mutation.pk}/approve").status_code == 403
    assert client.get("/api/mutations/").status_code == 200
    with world.inside():
        assert Mutation.objects.get().status == "pending"
    client.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    answer = post(client, f"/api/mutations/{mutation.pk}/approve", **{"X-CSRFToken": "a" * 32})
    assert answer.status_code == 200


def test_a_key_beside_an_admins_session_is_only_a_key(world: World) -> None:
    mutation = proposal(world)
    answer = post(editor(world), f"/api/mutations/{mutation.pk}/approve", **bearer(world))
    assert answer.status_code == 403


def test_without_anything_it_is_401_in_json(world: World) -> None:
    mutation = proposal(world)
    for headers in ({}, {"Authorization": "Bearer ksk_unknown"}, {"Authorization": "Basic eDp5"}):
        answer = post(Client(), f"/api/mutations/{mutation.pk}/approve", **headers)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("name", ["token", "access_token", "key"])
def test_a_key_in_the_address_is_refused_even_beside_a_good_one(world: World, name: str) -> None:
    answer = Client().get(f"/api/mutations/?{name}=ksk_x", headers=bearer(world))
    assert answer.status_code == 400
    assert "ksk_x" not in answer.content.decode()


def test_the_tenant_comes_from_token_prefix_or_only_membership(world: World) -> None:
    other = World()
    mutation, foreign = proposal(world), proposal(other)
    user = make_user()
    with world.inside():
        make_member(Role.ADMIN, user=user)
    with other.inside():
        make_member(Role.VIEWER, user=user)
    client = signed_in(user)

    def seen(path: str, **headers: str) -> Any:
        answer = client.get(path, headers=headers)
        rows = answer.json().get("results") if answer.status_code == 200 else None
        return answer.status_code if rows is None else [each["id"] for each in rows]

    assert seen("/api/mutations/") == 400
    assert seen(f"/t/{world.tenant.slug}/api/mutations/") == [mutation.pk]
    assert seen(f"/t/{other.tenant.slug}/api/mutations/") == [foreign.pk]
    assert seen("/t/no-such/api/mutations/") == 404
    assert seen("/api/mutations/", **bearer(world)) == [mutation.pk]
    client.logout()
    assert seen(f"/t/{world.tenant.slug}/api/mutations/") == 401
    assert seen(f"/t/{world.tenant.slug}/api/mutations/", **bearer(world)) == [mutation.pk]
    assert seen(f"/t/{other.tenant.slug}/api/mutations/", **bearer(world)) == 404


def test_a_member_of_no_tenant_is_403() -> None:
    assert signed_in(make_user()).get("/api/mutations/").status_code == 403


# --- the queue --------------------------------------------------------------------------------


def walk(client: Client, path: str, **headers: str) -> Iterator[int]:
    cursor = ""
    while True:
        answer = client.get(path + cursor, headers=headers).json()
        yield from [each["id"] for each in answer["results"]]
        if answer["next"] is None:
            return
        cursor = f"&cursor={answer['next']}"


def test_every_row_once_whatever_the_times_and_what_happens_between(world: World) -> None:
    with world.inside():
        made = [
            make_mutation(world.agent, world.visitor, created_at="2026-01-01T00:00:00Z")
            for _ in range(12)
        ]
    pages = walk(editor(world), "/api/mutations/?limit=5")
    seen = [next(pages) for _ in range(5)]
    with world.inside():
        Mutation.objects.filter(pk=seen[2]).delete()
        new = make_mutation(world.agent, world.visitor)
    assert seen + list(pages) == [each.pk for each in made] + [new.pk]


def test_a_page_costs_the_same_however_long_and_fetches_no_vector(
    world: World, django_assert_num_queries: Any
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    headers, costs = bearer(world), []
    Client().get("/api/mutations/", headers=headers)
    for _ in range(2):
        for _ in range(4):
            proposal(world)
        with CaptureQueriesContext(connection) as queries:
            assert Client().get("/api/mutations/", headers=headers).status_code == 200
        costs.append(len(queries))
        assert not any('"vector"' in query["sql"] for query in queries)
    assert costs[0] == costs[1]


def test_it_is_filtered_by_agent_and_status_and_by_what_the_caller_may_see(world: World) -> None:
    mine = proposal(world)
    with world.inside():
        agent = make_agent("other")
        theirs = make_mutation(agent, make_visitor(), draft=make_draft("x"))
    client = editor(world)
    post(client, f"/api/mutations/{mine.pk}/reject")
    assert list(walk(client, "/api/mutations/?limit=9")) == [theirs.pk]
    assert list(walk(client, "/api/mutations/?status=rejected")) == [mine.pk]
    assert list(walk(client, "/api/mutations/?agent=other")) == [theirs.pk]
    assert list(walk(client, f"/api/mutations/?agent={world.agent.uid}")) == []
    assert client.get("/api/mutations/?agent=unknown").status_code == 404
    narrowed = bearer(world, agent_id=world.agent.pk)
    assert list(walk(Client(), "/api/mutations/?limit=9", **narrowed)) == []
    assert Client().get("/api/mutations/?agent=other", headers=narrowed).status_code == 404
    assert post(Client(), f"/api/mutations/{theirs.pk}/approve", **narrowed).status_code == 404
    person = bearer(world, kind="person", visitor_id=world.visitor.pk)
    assert list(walk(Client(), "/api/mutations/?status=rejected", **person)) == [mine.pk]
    assert list(walk(Client(), "/api/mutations/?limit=9", **person)) == []


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "limit=-1", "limit=", "status=all", "cursor=x", "cursor=",
     "cursor=MjAyNi0wMS0wMXwx", "limit=" + "9" * 5000, "cursor=%00"],
)  # fmt: skip
def test_a_bad_query_is_400(world: World, query: str) -> None:
    answer = editor(world).get(f"/api/mutations/?{query}")
    assert (answer.status_code, answer.json()["field"]) == (400, query.partition("=")[0])
