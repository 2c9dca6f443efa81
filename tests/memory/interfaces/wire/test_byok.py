"""A customer's key on the wire: taken, never shown again, by those who may."""

import base64
import json
import logging
import os
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from memory import sealing
from memory.models import TenantKey
from tenants.models import AuditEntry, Role, Token
from tests.factories import World, make_key, make_member
from tests.sealed import make_shared

pytestmark = pytest.mark.django_db
ADDRESS = "/v1/org/byok"


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def key(world: World) -> str:
    with world.inside():
        return make_key()


def call(key: str, method: str = "post", body: Any = None) -> Any:
    raw = body if isinstance(body, str) else json.dumps(body)
    return Client().generic(
        method.upper(),
        ADDRESS,
        raw if body is not None else "",
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )


def members_key(user_id: int | None) -> str:
    ends = "2999-01-01T00:00:00+00:00"
    return make_key(kind=Token.Kind.MEMBER, user_id=user_id, expires_at=ends)


def test_set_look_rotate_remove(world: World, key: str) -> None:
    assert call(key, "get").json() == {"active": False, "created_at": None, "waiting": 0}
    with world.inside():
        make_shared("The harbour is closed")
    given = base64.b64encode(os.urandom(32)).decode()
    answer = call(key, body={"customerKey": given})
    assert answer.status_code == 200
    state = answer.json()
    made = state.pop("created_at")
    assert state == {"ok": True, "outcome": "set", "active": True, "waiting": 1}
    assert call(key, "get").json() == {"active": True, "created_at": made, "waiting": 1}
    assert call(key, body={"customerKey": given}).json()["outcome"] == "unchanged"
    other = base64.b64encode(os.urandom(32)).decode()
    assert call(key, body={"customerKey": other}).json()["outcome"] == "rotated"
    for _ in range(2):
        answer = call(key, "delete")
        assert (answer.status_code, answer.content) == (204, b"")
    assert call(key, "get").json()["active"] is False
    with world.inside():
        verbs = AuditEntry.objects.filter(verb__startswith="customer_key").order_by("pk")
        assert list(verbs.values_list("verb", "actor")) == [
            ("customer_key.set", "token"),
            ("customer_key.rotated", "token"),
            ("customer_key.removed", "token"),
        ]


@pytest.mark.parametrize(
    "given",
    [
        None, 5, True, "", [], {}, "not base64!", "x" * 10_000, "\0",
        base64.b64encode(b"k" * 31).decode(),
        base64.b64encode(b"k" * 33).decode(),
        base64.b64encode(b"k" * 32).decode().rstrip("="),
        base64.b64encode(b"k" * 32).decode() + "\n",
        base64.b64encode(b"k" * 32).decode() + "é",
    ],
)  # fmt: skip
def test_anything_but_32_bytes_is_refused_and_not_told(world: World, key: str, given: Any) -> None:
    answer = call(key, body={"customerKey": given})
    assert answer.status_code == 400
    assert answer.json() == {"error": "expected the base64 of 32 bytes", "field": "customerKey"}
    assert call(key, body={}).status_code == 400
    with world.inside():
        assert not TenantKey.objects.exists()


def test_a_body_that_is_no_object_is_refused(key: str) -> None:
    for body in ("[]", '"x"', "{", "null"):
        assert call(key, body=body).status_code == 400


def test_the_key_is_in_no_answer_no_log_and_no_table(
    world: World, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    secret = os.urandom(32)
    given = base64.b64encode(secret).decode()
    with caplog.at_level(logging.DEBUG):
        answers = [call(key, body={"customerKey": given}), call(key, "get"), call(key, "delete")]
        answers.append(call(key, body={"customerKey": f"{given}!"}))
    told = " ".join(answer.content.decode() for answer in answers) + caplog.text
    with world.inside(), connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT string_agg(t::text, chr(10)) FROM "{table}" t')
            told += cursor.fetchone()[0] or ""
    for form in (given, given.rstrip("="), secret.hex(), repr(secret)):
        assert form not in told


def test_another_master_key_is_503_and_says_so(world: World, key: str, settings: Any) -> None:
    given = {"customerKey": base64.b64encode(os.urandom(32)).decode()}
    assert call(key, body=given).status_code == 200
    settings.MASTER_KEY = "another"
    answer = call(key, body={"customerKey": base64.b64encode(os.urandom(32)).decode()})
    assert answer.status_code == 503
    assert "MASTER_KEY" in answer.json()["error"]
    assert call(key, body=given).json()["outcome"] == "repaired"


def test_who_may(world: World) -> None:
    body = {"customerKey": base64.b64encode(os.urandom(32)).decode()}
    with world.inside():
        narrowed = [
            make_key(shared_agent="planner-1"),
            make_key(scope="global"),
            make_key(agent_id=world.agent.pk),
            make_key(kind=Token.Kind.PERSON, visitor_id=world.visitor.pk),
        ]
        for role in (Role.VIEWER, Role.EDITOR):
            user = make_member(role).user_id
            narrowed.append(members_key(user))
        admin = members_key(world.admin.user_id)
    for each in narrowed:
        for method in ("get", "post", "delete"):
            assert call(each, method, body).status_code == 403, (each, method)
    assert call("ksk_nobody", body=body).status_code == 401
    with world.inside():
        assert sealing.key_in_use() is None
    assert call(admin, body=body).status_code == 200


def test_a_tenants_key_is_its_own(world: World, key: str) -> None:
    other = World()
    with other.inside():
        others = make_key()
    call(key, body={"customerKey": base64.b64encode(os.urandom(32)).decode()})
    assert call(others, "get").json()["active"] is False
    assert call(others, "delete").status_code == 204
    assert call(key, "get").json()["active"] is True
