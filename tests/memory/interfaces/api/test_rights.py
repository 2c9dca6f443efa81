"""Export and erase over REST: who may, of whom, in which form; and nobody by accident."""

import io
import json
import zipfile
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client

from agents.models import Visitor
from memory.models import Erasure, Memory
from tenants.models import AuditEntry, Role, Token
from tests.factories import make_memory, make_user, make_visitor
from tests.orgs import CREDENTIALS, Org

pytestmark = pytest.mark.django_db
EXPORT = "users/user123/export/"
MEMORY = "users/user123/memory/"
FACT = "harbour-lime is my shed code"
MAY = {"admin", "owner", "organisation", "person"}


def body_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


@pytest.mark.parametrize("who", CREDENTIALS)
def test_who_may_export(org: Org, who: str) -> None:
    org.about(org.visitor, FACT)
    answer = org.get(EXPORT, who=who)
    assert answer.status_code == (200 if who in MAY else 403)
    if who in MAY:
        assert json.loads(body_of(answer))["memories"][0]["content"] == FACT
        assert answer["Content-Type"] == "application/json"
        assert answer["Cache-Control"] == "no-store"
        assert answer["Content-Disposition"].startswith('attachment; filename="memory-')
        assert "user123" not in answer["Content-Disposition"]
    with org.inside():
        assert AuditEntry.objects.filter(verb="person.exported").exists() == (who in MAY)


@pytest.mark.parametrize("who", CREDENTIALS)
def test_who_may_erase(org: Org, who: str) -> None:
    memory = org.about(org.visitor, FACT)
    org.key(who)
    answer = org.call("DELETE", MEMORY, who=who)
    assert answer.status_code == (200 if who in MAY else 403)
    with org.inside():
        assert Memory.objects.filter(pk=memory.pk).exists() == (who not in MAY)
        assert Visitor.objects.filter(host_id="user123").exists() == (who not in MAY)
    if who in MAY:
        told = answer.json()
        assert told["rows"]["memory_memory"] == 1
        with org.inside():
            assert str(Erasure.objects.get().uid) == told["receipt"]


def test_csv_is_asked_for_by_format_whatever_is_accepted(org: Org) -> None:
    org.about(org.visitor, FACT)
    answer = Client().get(
        f"{org.api}{EXPORT}",
        query_params={"format": "csv"},
        headers={"Authorization": f"Token {org.key()}", "Accept": "text/html,application/zip"},
    )
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(body_of(answer)))
    assert FACT in archive.read("memories.csv").decode()


@pytest.mark.django_db(transaction=True)
def test_the_server_sends_it_in_pieces_and_closes_it(org: Org, monkeypatch: Any) -> None:
    monkeypatch.setattr("memory.interfaces.api.rights.PIECE", 100)
    org.about(org.visitor, FACT)

    async def asked() -> tuple[Any, list[bytes]]:
        answer: Any = await AsyncClient().get(
            org.api + EXPORT, headers={"Authorization": f"Token {org.key()}"}
        )
        assert answer.is_async
        return answer, [piece async for piece in answer.streaming_content]

    org.key()
    answer, pieces = async_to_sync(asked)()
    answer.close()
    assert len(pieces) > 5
    assert json.loads(b"".join(pieces))["memories"][0]["content"] == FACT


@pytest.mark.parametrize("format", ["xml", "", "CSV", "json "])
def test_another_format_is_refused(org: Org, format: str) -> None:
    answer = org.get(EXPORT, format=format)
    assert (answer.status_code, answer.json()["field"]) == (400, "format")


@pytest.mark.parametrize("spelling", ["ai-agent", "ai-mentor"])
def test_both_spellings_answer(org: Org, spelling: str) -> None:
    base = f"/api/{spelling}/orgs/{org.tenant.slug}/"
    assert b"user123" in body_of(org.get(base + EXPORT))
    assert org.call("DELETE", base + MEMORY).status_code == 200


def test_the_key_of_an_erased_person_ends_with_them(org: Org) -> None:
    assert org.call("DELETE", MEMORY, who="person").status_code == 200
    assert org.call("DELETE", MEMORY, who="person").status_code == 401
    assert org.call("DELETE", MEMORY).status_code == 404
    assert org.get(EXPORT).status_code == 404
    with org.inside():
        assert not Token.objects.filter(kind="person").exists()
        assert Erasure.objects.count() == 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_another_person_and_another_organisation_are_not_there(org: Org, method: str) -> None:
    route = "export" if method == "GET" else "memory"
    other = Org("other")
    with org.inside():
        make_visitor("userA1")
    for person in ("userA1", "nobody", "user_23", "%", "user123%"):
        answer = org.call(method, f"users/{person}/{route}/", who="person")
        assert (answer.status_code, answer.json()) == (404, {"error": "not found"})
    assert org.call(method, f"{other.api}users/user123/{route}/").status_code == 404
    with other.inside():
        assert Visitor.objects.filter(host_id="user123").exists()
    with org.inside():
        assert Visitor.objects.filter(host_id="userA1").exists()


@pytest.mark.parametrize("nobody", ["users//", "users/%20/", "users/%09%0A/"])
@pytest.mark.parametrize("who", ["organisation", "admin", "person"])
def test_delete_mine_with_an_empty_name_deletes_nobody(org: Org, nobody: str, who: str) -> None:
    org.about(org.visitor, FACT)
    for method, route in (("DELETE", "memory/"), ("GET", "export/")):
        answer = org.call(method, nobody + route, who=who)
        assert (answer.status_code, answer.json()["field"]) == (400, "user_id")
    for path in ("memory/", "users/memory/", "users/user123/"):
        assert org.call("DELETE", path, who=who).status_code == 404
    with org.inside():
        assert Memory.objects.filter(content=FACT).exists()


def test_a_second_person_with_the_same_words_keeps_theirs(org: Org) -> None:
    with org.inside():
        second = make_visitor("userB")
    org.about(org.visitor, FACT)
    kept = org.about(second, FACT)
    with org.inside():
        make_memory(org.agent, org.visitor, FACT)
    assert org.call("DELETE", MEMORY, who="person").status_code == 200
    with org.inside():
        assert list(Memory.objects.all()) == [kept]
        assert kept.postings.exists()


def test_a_signed_in_admin_needs_the_csrf_token_and_a_stranger_a_key(org: Org) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.delete(org.api + MEMORY).status_code == 401
    user = make_user("boss")
    with org.inside():
        org.member_key(user, Role.ADMIN)
    client.force_login(user)
    assert b"user123" in body_of(client.get(org.api + EXPORT))
    assert client.delete(org.api + MEMORY).status_code == 403
    with org.inside():
        assert Visitor.objects.filter(host_id="user123").exists()
