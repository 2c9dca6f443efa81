"""`/v1/webhooks`: the contract's shapes, the secret once, and what is refused."""

import uuid
from typing import Any

import pytest
from django.db import connection

from memory.events import deliver, subscriptions, targets
from memory.events.envelope import SUBSCRIBABLE
from memory.models import ConflictPolicy, Delivery, Event, Webhook
from memory.sharing.agents import agent_called
from tenants.models import AuditEntry, Role
from tests.receivers import receiving
from tests.wires import Wire

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.com/memory?a=b"
BODY = {"url": URL, "events": ["memory.written", "memory.expired"]}
FIELDS = {"id", "url", "events", "active", "created_at"}


@pytest.fixture
def wire() -> Wire:
    return Wire()


def make(wire: Wire, **more: Any) -> Any:
    answer = wire.call("POST", "webhooks", {**BODY, **more})
    assert answer.status_code == 201, answer.content
    return answer.json()


def listed(wire: Wire) -> list[dict[str, Any]]:
    return wire.call("GET", "webhooks").json()["webhooks"]  # type: ignore[no-any-return]


def audited(wire: Wire) -> list[str]:
    with wire.inside():
        return list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))


def test_the_secret_is_answered_once_and_kept_sealed(wire: Wire) -> None:
    made = make(wire)
    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    assert len(secret) > 40
    assert made.keys() == FIELDS
    assert (made["url"], made["events"], made["active"]) == (URL, BODY["events"], True)
    assert listed(wire) == [made]
    with connection.cursor() as cursor, wire.inside():
        cursor.execute("SELECT w::text FROM memory_webhook w")
        (row,) = cursor.fetchone()
    assert secret not in row
    assert secret.encode().hex() not in row
    assert make(wire)["secret"] != secret


def test_it_can_be_paused_resumed_and_removed_and_each_is_audited(wire: Wire) -> None:
    made = make(wire)
    path = f"webhooks/{made['id']}"
    off = wire.call("PATCH", path, {"active": False})
    assert (off.status_code, off.json()["active"], off.json().keys()) == (200, False, FIELDS)
    assert [each["active"] for each in listed(wire)] == [False]
    assert wire.call("PATCH", path, {"active": True}).json()["active"] is True
    for _ in range(2):
        assert wire.call("DELETE", path).status_code == 204
    assert listed(wire) == []
    assert audited(wire) == [
        "webhook.created",
        "webhook.paused",
        "webhook.resumed",
        "webhook.deleted",
    ]


def test_resuming_clears_why_it_was_paused(wire: Wire) -> None:
    made = make(wire)
    with wire.inside():
        Webhook.objects.update(active=False, paused_because="5 deliveries", failures=5)
    assert listed(wire)[0]["active"] is False
    wire.call("PATCH", f"webhooks/{made['id']}", {"active": True})
    with wire.inside():
        hook = Webhook.objects.get()
    assert (hook.active, hook.paused_because, hook.failures) == (True, "", 0)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"url": None}, "url"),
        ({"url": 5}, "url"),
        ({"url": ""}, "url"),
        ({"url": "ftp://example.com/"}, "url"),
        ({"url": "http://169.254.169.254/"}, "url"),
        ({"url": "http://[::ffff:127.0.0.1]:6379/"}, "url"),
        ({"url": "http://2130706433/"}, "url"),
        ({"url": "http://localhost:8000/"}, "url"),
        ({"url": "https://user:pass@example.com/"}, "url"),
        ({"url": "https://example.com/" + "x" * 2_000}, "url"),
        ({"url": "https://example.com/\ud800"}, "url"),
        ({"events": None}, "events"),
        ({"events": []}, "events"),
        ({"events": "memory.written"}, "events"),
        ({"events": ["memory.read"]}, "events"),
        ({"events": ["memory.created"]}, "events"),
        ({"events": ["memory.written", 5]}, "events"),
        ({"events": [["memory.written"]]}, "events"),
        ({"events": {"memory.written": True}}, "events"),
    ],
)
def test_what_cannot_be_subscribed_names_the_field(
    wire: Wire, more: dict[str, Any], field: str
) -> None:
    answer = wire.call("POST", "webhooks", {**BODY, **more})
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert answer.json()["error"]
    assert listed(wire) == []
    assert audited(wire) == []


def test_a_name_that_leads_inside_is_refused_at_save(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "look_up", lambda *_: ["93.184.216.34", "10.0.0.1"])
    answer = wire.call("POST", "webhooks", BODY)
    assert (answer.status_code, answer.json()["field"]) == (400, "url")


@pytest.mark.parametrize("active", [None, 1, 0, "true", []])
def test_a_switch_is_true_or_false(wire: Wire, active: Any) -> None:
    made = make(wire)
    answer = wire.call("PATCH", f"webhooks/{made['id']}", {"active": active})
    assert (answer.status_code, answer.json()["field"]) == (400, "active")


@pytest.mark.parametrize("number", [str(uuid.uuid4()), "5", "no-uuid", "%00"])
def test_an_unknown_one_is_404_to_change_and_204_to_remove(wire: Wire, number: str) -> None:
    assert wire.call("PATCH", f"webhooks/{number}", {"active": True}).status_code == 404
    assert wire.call("DELETE", f"webhooks/{number}").status_code == 204


def test_another_tenant_sees_and_reaches_nothing(wire: Wire) -> None:
    made, other = make(wire), Wire()
    assert listed(other) == []
    path = f"webhooks/{made['id']}"
    assert other.call("PATCH", path, {"active": False}).status_code == 404
    assert other.call("DELETE", path).status_code == 204
    assert [each["active"] for each in listed(wire)] == [True]


def test_who_may(wire: Wire) -> None:
    keys = {
        wire.make_key(scope="team"): 403,
        wire.make_key(shared_agent="planner"): 403,
        wire.member_key(Role.VIEWER): 403,
        wire.member_key(Role.EDITOR): 403,
        wire.member_key(Role.ADMIN): 201,
        wire.member_key(Role.OWNER): 201,
        "ksk_nonsense": 401,
    }
    for key, status in keys.items():
        assert wire.call("POST", "webhooks", BODY, key=key).status_code == status
        assert wire.call("GET", "webhooks", key=key).status_code == (
            200 if status == 201 else status
        )


def test_there_are_not_too_many(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MOST", 2)
    make(wire), make(wire)
    answer = wire.call("POST", "webhooks", BODY)
    assert (answer.status_code, answer.json()) == (409, {"error": "there are 2 webhooks already"})


def test_every_event_of_the_contract_can_be_heard(wire: Wire) -> None:
    names = ["written", "deleted", "expired", "conflict_blocked", "conflict_detected"]
    wanted = [f"memory.{name}" for name in [*names, "superseded", "conflict_resolved"]]
    assert {str(kind) for kind in SUBSCRIBABLE} == set(wanted)
    assert make(wire, events=wanted + wanted[:1])["events"] == wanted


def test_a_write_over_the_wire_is_told_and_so_is_its_end(wire: Wire, settings: Any) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        secret = make(wire, url=receiver.url, events=[str(kind) for kind in SUBSCRIBABLE])["secret"]
        body = {
            "content": "The build is green.",
            "agentId": "ci",
            "workflowId": "w",
            "scope": "team",
        }
        written = wire.call("POST", "memory/write", body).json()["writeId"]
        wire.call("DELETE", f"memory/{written}")
        while deliver.step(wire.tenant.pk).taken:
            pass
        first, second = sorted(receiver.taken, key=lambda taken: taken.json["timestamp"])
    first.verify(secret)
    assert (first.json["event"], second.json["event"]) == ("memory.written", "memory.deleted")
    told = first.json["payload"]
    assert told["content"] == body["content"]
    assert (told["memoryId"], told["agentId"]) == (written, "ci")
    assert (told["workflowId"], told["scope"], told["role"]) == ("w", "team", None)
    assert second.json["payload"] == {
        "memoryId": written,
        "agentId": "ci",
        "scope": "team",
        "role": None,
        "workflowId": "w",
    }


def test_a_policys_own_address_hears_of_a_detected_conflict_once(wire: Wire, settings: Any) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        body = {"policy": "human_in_loop", "webhookUrl": receiver.url}
        put = wire.call("PUT", "policies", body).json()
        with wire.inside():
            agent_called("a")
        for text in ("Deadline is Friday.", "Deadline is Monday."):
            body = {"content": text, "agentId": "a", "scope": "global"}
            answer = wire.call("POST", "memory/write", body)
        assert answer.status_code == 409
        assert answer.json()["webhookFired"] is True
        while deliver.step(wire.tenant.pk).taken:
            pass
        (taken,) = receiver.taken
    taken.verify(put["webhook_secret"])
    assert taken.json["event"] == "memory.conflict_detected"
    payload = taken.json["payload"]
    assert payload["writeId"] == answer.json()["writeId"]
    assert (payload["policyId"], payload["agentId"]) == (put["id"], "a")
    assert [each["severity"] for each in payload["conflicts"]] == ["high"]
    assert b"Monday" not in taken.body
    with wire.inside():
        assert Delivery.objects.get().webhook is None
        assert ConflictPolicy.objects.get()
        assert not Event.objects.filter(dispatched_at=None).exists()


def test_a_subscriber_at_the_policys_address_is_told_once(wire: Wire, settings: Any) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        secret = make(wire, url=receiver.url, events=["memory.conflict_detected"])["secret"]
        body = {"policy": "human_in_loop", "webhookUrl": receiver.url}
        wire.call("PUT", "policies", body)
        for text in ("Deadline is Friday.", "Deadline is Monday."):
            wire.call("POST", "memory/write", {"content": text, "agentId": "a", "scope": "global"})
        while deliver.step(wire.tenant.pk).taken:
            pass
        (taken,) = receiver.taken
    taken.verify(secret)


def test_a_purge_ends_what_was_not_delivered_of_the_workflow(wire: Wire, settings: Any) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        make(wire, url=receiver.url, events=["memory.written", "memory.deleted"])
        receiver.answers = [500]
        for workflow in ("w", "v"):
            body = {"content": f"Secret of {workflow}.", "agentId": "a", "workflowId": workflow}
            assert wire.call("POST", "memory/write", body).status_code == 201
        deliver.step(wire.tenant.pk)
        assert wire.call("POST", "workflows/w/purge").status_code == 204
        with wire.inside():
            Delivery.objects.update(not_before=None)
        while deliver.step(wire.tenant.pk).taken:
            pass
        later = receiver.taken[1:]
    assert [taken.json["event"] for taken in later] == ["memory.written", "memory.deleted"]
    assert [taken.json["payload"]["workflowId"] for taken in later] == ["v", "w"]
    with wire.inside():
        ended = Delivery.objects.order_by("id").values_list("status", "body")
        assert list(ended) == [("erased", None), ("delivered", None), ("delivered", None)]
