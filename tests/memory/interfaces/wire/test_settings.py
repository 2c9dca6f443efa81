"""Policies, grants, retention and usage over the wire: the contract's shapes, and what they do."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.models import AccessGrant, ConflictPolicy
from memory.sharing import usage
from tenants.models import AuditEntry, Tenant
from tests.wires import Wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def wire() -> Wire:
    return Wire()


def verbs(wire: Wire) -> list[str]:
    with wire.inside():
        return list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))


# --- policies -----------------------------------------------------------------------------------


def test_there_is_one_policy_of_a_workflow_and_one_of_the_organisation(wire: Wire) -> None:
    first = wire.call("PUT", "policies", {"policy": "planner_wins", "workflowId": "w"}).json()
    assert first.keys() == {"id", "workflow_id", "policy", "webhook_url", "created_at"}
    again = wire.call(
        "PUT", "policies",
        {"policy": "human_in_loop", "workflowId": "w", "webhookUrl": "https://example.com/hook"},
    ).json()  # fmt: skip
    whole = wire.call("PUT", "policies", {"policy": "timestamp_wins"}).json()
    assert again.pop("webhook_secret").startswith("whsec_")
    assert again == {
        **first, "policy": "human_in_loop", "webhook_url": "https://example.com/hook",
    }  # fmt: skip
    assert wire.call("GET", "policies").json() == {"policies": [whole, again]}
    assert whole["workflow_id"] is None
    assert verbs(wire) == ["policy.set"] * 3


def test_a_put_without_the_address_takes_the_address_away(wire: Wire) -> None:
    body = {"policy": "human_in_loop", "webhookUrl": "https://example.com/hook"}
    wire.call("PUT", "policies", body)
    assert wire.call("PUT", "policies", {"policy": "ignore"}).json()["webhook_url"] is None


def test_a_removed_policy_is_gone_and_removing_it_again_is_done_already(wire: Wire) -> None:
    made = wire.call("PUT", "policies", {"policy": "ignore"}).json()
    for _ in range(2):
        assert wire.call("DELETE", f"policies/{made['id']}").status_code == 204
    assert wire.call("GET", "policies").json() == {"policies": []}
    assert verbs(wire) == ["policy.set", "policy.removed"]


@pytest.mark.parametrize(
    "address",
    [
        "ftp://example.com/",
        "example.com",
        "javascript:alert(1)",
        "https://",
        "http:///x",
        "http://169.254.169.254/",
        "http://localhost/",
    ],
)
def test_an_address_that_no_hook_has_is_refused(wire: Wire, address: str) -> None:
    answer = wire.call("PUT", "policies", {"policy": "human_in_loop", "webhookUrl": address})
    assert (answer.status_code, answer.json()["field"]) == (400, "webhookUrl")
    with wire.inside():
        assert not ConflictPolicy.objects.exists()


# --- grants -------------------------------------------------------------------------------------


def grant(wire: Wire, **more: Any) -> Any:
    body = {"grantorRole": "planner", "granteeAgent": "auditor", "resourceScope": "private"}
    return wire.call("POST", "grants", {**body, **more})


def test_a_grant_begins_now_and_ends_when_it_says(wire: Wire) -> None:
    made = grant(wire, validTo="2199-01-01T00:00:00Z")
    assert made.status_code == 201
    body = made.json()
    assert body == {
        "id": body["id"],
        "grantor_role": "planner",
        "grantee_agent": "auditor",
        "resource_scope": "private",
        "valid_from": body["created_at"],
        "valid_to": "2199-01-01T00:00:00+00:00",
        "created_at": body["created_at"],
    }
    assert wire.call("GET", "grants").json() == {"grants": [body]}
    assert grant(wire).json()["valid_to"] is None


@pytest.mark.parametrize("ahead", [timedelta(hours=-1), timedelta(seconds=-1)])
def test_a_grant_that_is_over_is_refused(wire: Wire, ahead: timedelta) -> None:
    answer = grant(wire, validTo=(datetime.now(UTC) + ahead).isoformat())
    assert (answer.status_code, answer.json()["field"]) == (400, "validTo")
    with wire.inside():
        assert not AccessGrant.objects.exists()


def test_a_revoked_grant_is_gone(wire: Wire) -> None:
    made = grant(wire).json()
    for _ in range(2):
        assert wire.call("DELETE", f"grants/{made['id']}").status_code == 204
    assert wire.call("GET", "grants").json() == {"grants": []}
    assert verbs(wire) == ["grant.created", "grant.revoked"]


# --- retention and usage ------------------------------------------------------------------------


def test_retention_begins_with_the_contracts_numbers(wire: Wire) -> None:
    assert wire.call("GET", "org/retention").json() == {
        "memoriesDays": None, "auditDays": 365, "scratchDays": 30,
    }  # fmt: skip


def test_what_is_not_named_stays_as_it_is(wire: Wire) -> None:
    wire.call("PUT", "org/retention", {"memoriesDays": 90, "scratchDays": 7})
    kept = wire.call("PUT", "org/retention", {"auditDays": 30}).json()
    assert kept == {"memoriesDays": 90, "auditDays": 30, "scratchDays": 7}
    assert wire.call("PUT", "org/retention", {"memoriesDays": None}).json()["memoriesDays"] is None
    assert wire.call("PUT", "org/retention", {}).json() == wire.call("GET", "org/retention").json()
    with wire.inside():
        tenant = Tenant.objects.get(pk=wire.tenant.pk)
        assert (tenant.memories_days, tenant.audit_days, tenant.scratch_days) == (None, 30, 7)
        details = list(AuditEntry.objects.order_by("pk").values_list("detail", flat=True))
    assert details[0] == {"memories_days": 90, "scratch_days": 7}
    assert len(details) == 3


@pytest.mark.parametrize("days", [0, -1, 1.5, "30", True, [], 36_501])
@pytest.mark.parametrize("field", ["memoriesDays", "auditDays", "scratchDays"])
def test_days_that_are_none_change_nothing(wire: Wire, field: str, days: Any) -> None:
    answer = wire.call("PUT", "org/retention", {"memoriesDays": 5, "auditDays": 5, field: days})
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert wire.call("GET", "org/retention").json()["memoriesDays"] is None


def test_usage_is_told_by_workflow(wire: Wire) -> None:
    assert wire.call("GET", "org/usage/workflows").json() == {"workflows": {}}
    with wire.inside():
        usage.count("w", writes=3, searches=1)
    for asked in ("", "?days=1", "?days=365"):
        assert wire.call("GET", f"org/usage/workflows{asked}").json() == {
            "workflows": {"w": {"writes": 3, "searches": 1}}
        }


@pytest.mark.parametrize("days", ["0", "366", "-1", "x", "", "1.5", "9" * 5_000, "٣"])
def test_days_of_usage_are_a_number_up_to_a_year(wire: Wire, days: str) -> None:
    answer = wire.call("GET", "org/usage/workflows", query_params={"days": days})
    assert (answer.status_code, answer.json()["field"]) == (400, "days")
