"""Keys over the wire: told once, listed without what they open, and none that widens itself."""

import uuid

import pytest

from tenants.models import AuditEntry, Role, Token
from tests.wires import Wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def wire() -> Wire:
    return Wire()


def test_a_made_key_works_and_is_told_once(wire: Wire) -> None:
    made = wire.call("POST", "keys", {"name": "support", "tier": "pro"})
    assert made.status_code == 201
    assert made.json().keys() == {"id", "key"}
    key = made.json()["key"]
    listed = wire.call("GET", "keys", key=key)
    assert key not in listed.content.decode()
    (row,) = [each for each in listed.json()["keys"] if each["id"] == made.json()["id"]]
    assert row.pop("created_at") is not None
    assert row.pop("last_used_at") is not None
    assert row == {
        "id": made.json()["id"],
        "name": "support",
        "key_prefix": key[:12],
        "tier": "pro",
        "scoped_agent": None,
        "scoped_scope": None,
        "revoked_at": None,
    }
    with wire.inside():
        assert key not in str(list(Token.objects.values()))
        assert AuditEntry.objects.get(verb="token.created").detail["tier"] == "pro"


def test_a_revoked_key_opens_nothing_and_stays_in_the_list(wire: Wire) -> None:
    made = wire.call("POST", "keys", {"name": "old"}).json()
    for _ in range(2):
        assert wire.call("DELETE", f"keys/{made['id']}").status_code == 204
    assert wire.call("GET", "keys", key=made["key"]).status_code == 401
    rows = {row["id"]: row["revoked_at"] for row in wire.call("GET", "keys").json()["keys"]}
    assert rows[made["id"]] is not None
    with wire.inside():
        assert AuditEntry.objects.filter(verb="token.revoked").count() == 1


@pytest.mark.parametrize("narrowed", [{"scopedAgent": "a"}, {"scopedScope": "team"}])
def test_a_narrowed_key_makes_lists_and_revokes_none(wire: Wire, narrowed: dict[str, str]) -> None:
    made = wire.call("POST", "keys", {"name": "narrow", **narrowed}).json()
    key = made["key"]
    assert wire.call("POST", "keys", {"name": "wide"}, key=key).status_code == 403
    assert wire.call("GET", "keys", key=key).status_code == 403
    assert wire.call("DELETE", f"keys/{made['id']}", key=key).status_code == 403
    (row,) = [each for each in wire.call("GET", "keys").json()["keys"] if each["name"] == "narrow"]
    assert (row["scoped_agent"], row["scoped_scope"]) == (
        narrowed.get("scopedAgent"), narrowed.get("scopedScope"),
    )  # fmt: skip


def test_only_keys_of_the_organisation_are_listed_and_revoked(wire: Wire) -> None:
    others = [
        wire.person_key(),
        wire.member_key(Role.OWNER),
        wire.make_key(agent_id=wire.agent.pk, name="of one chat agent"),
    ]
    assert len(wire.call("GET", "keys").json()["keys"]) == 1
    with wire.inside():
        found = Token.objects.filter(prefix__in=[key[:12] for key in others])
        uids = list(found.values_list("uid", flat=True))
    assert len(uids) == 3
    for uid in uids:
        assert wire.call("DELETE", f"keys/{uid}").status_code == 204
    with wire.inside():
        assert not Token.objects.exclude(revoked_at=None).exists()


@pytest.mark.parametrize("role", list(Role))
def test_of_members_admins_and_owners_manage_keys(wire: Wire, role: Role) -> None:
    key = wire.member_key(role)
    may = role in (Role.ADMIN, Role.OWNER)
    assert wire.call("GET", "keys", key=key).status_code == (200 if may else 403)
    assert wire.call("POST", "keys", {"name": "x"}, key=key).status_code == (201 if may else 403)


@pytest.mark.parametrize("uid", [str(uuid.uuid4()), "7", "not-a-uuid", "%00", "x" * 300])
def test_revoking_what_is_not_there_is_done_already(wire: Wire, uid: str) -> None:
    assert wire.call("DELETE", f"keys/{uid}").status_code == 204
    assert wire.call("GET", "keys").status_code == 200
