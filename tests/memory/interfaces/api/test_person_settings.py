"""A person's switches, whether memory is on, and the person's tokens."""

import pytest
from django.test import Client

from agents.models import Visitor
from tenants.models import AuditEntry, Tenant, Token
from tests.factories import make_visitor
from tests.orgs import Org

pytestmark = pytest.mark.django_db

SETTINGS = "users/user123/memsearch-settings/"
TOKENS = "users/user123/tokens/"
ON = {"auto_capture_enabled": True, "use_memory_in_responses": True, "updated_at": None}


def test_both_switches_start_on_and_one_is_set_without_the_other(org: Org) -> None:
    assert org.get(SETTINGS).json() == ON
    answer = org.call("PUT", SETTINGS, {"use_memory_in_responses": False})
    assert answer.status_code == 200
    assert answer.json() == org.get(SETTINGS).json()
    assert (answer.json()["auto_capture_enabled"], answer.json()["use_memory_in_responses"]) == (
        True,
        False,
    )
    assert answer.json()["updated_at"].endswith("Z")
    with org.inside():
        entry = AuditEntry.objects.get(verb="person.settings_changed")
        assert entry.detail == {"use_memory_in_responses": False}
        org.visitor.refresh_from_db()
        assert not org.visitor.use_memory_in_responses


def test_asking_makes_nobody_and_setting_does(org: Org) -> None:
    path = "users/new/memsearch-settings/"
    assert org.get(path).json() == ON
    with org.inside():
        assert not Visitor.objects.filter(host_id="new").exists()
    assert org.call("PUT", path, {"auto_capture_enabled": False}).status_code == 200
    with org.inside():
        assert not Visitor.objects.get(host_id="new").auto_capture_enabled


def test_the_status_is_the_organisations_switch(org: Org) -> None:
    path = "users/user123/memsearch-status/"
    assert org.get(path, who="person").json() == {"memory_enabled": True}
    with org.inside():
        Tenant.objects.update(memory_enabled=False)
    assert org.get(path).json() == {"memory_enabled": False}


def test_a_token_of_the_person_works_until_it_is_revoked(org: Org) -> None:
    made = org.call("POST", TOKENS, {"name": "link", "days": 30})
    assert made.status_code == 201
    assert made["Cache-Control"] == "no-store"
    body = made.json()
    key = body.pop("token")
    assert body["expires_at"] is not None
    assert org.get("users/user123/global-memories/", key=key).status_code == 200
    listed = org.get(TOKENS).json()["results"]
    assert [each["id"] for each in listed] == [body["id"]]
    assert key not in str(listed)
    assert org.call("DELETE", f"{TOKENS}{body['id']}/").status_code == 204
    assert org.get("users/user123/global-memories/", key=key).status_code == 401
    assert org.get(TOKENS).json()["results"][0]["revoked_at"] is not None
    with org.inside():
        verbs = AuditEntry.objects.filter(subject="token").values_list("verb", flat=True)
        assert sorted(verbs) == ["token.created", "token.revoked"]


def test_only_this_persons_tokens_are_listed_and_revoked(org: Org) -> None:
    with org.inside():
        other = make_visitor("other")
        theirs = Token.objects.issue(kind=Token.Kind.PERSON, name="theirs", visitor_id=other.pk)[0]
    keys = org.key("organisation")
    assert org.get(TOKENS, key=keys).json()["count"] == 0
    with org.inside():
        whole = Token.objects.get(kind=Token.Kind.ORGANISATION)
    for number in (theirs.pk, whole.pk, 999_999_999_999_999_999_999):
        assert org.call("DELETE", f"{TOKENS}{number}/").status_code == 404
    with org.inside():
        assert not Token.objects.exclude(revoked_at=None).exists()


@pytest.mark.parametrize("who", ["viewer", "editor", "narrowed", "person"])
def test_no_one_else_makes_or_sees_tokens(org: Org, who: str) -> None:
    assert org.call("POST", TOKENS, {}, who=who).status_code == 403
    assert org.get(TOKENS, who=who).status_code == 403


def test_a_key_in_the_address_is_refused(org: Org) -> None:
    key = org.key()
    answer = Client().get(f"{org.api}{SETTINGS}", query_params={"token": key})
    assert answer.status_code == 400
