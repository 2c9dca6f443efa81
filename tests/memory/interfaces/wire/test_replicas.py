"""`/v1/crdt/…` as a client speaks it: the shapes, what is refused, who may."""

import json
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import ReplicaOperation
from tenants.models import Role, Token
from tests.factories import World, make_key, make_member, make_user

pytestmark = pytest.mark.django_db
CLIENT = Client(raise_request_exception=False)


class Wire(World):
    def __init__(self) -> None:
        super().__init__()
        with self.inside():
            self.key = make_key(tier="enterprise")

    def call(self, method: str, path: str, body: Any = None, key: str = "") -> Any:
        return CLIENT.generic(
            method,
            f"/v1/crdt/replicas/{path}",
            data=body if isinstance(body, str) else json.dumps(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {key or self.key}"},
        )

    def write(self, replica: str, **body: Any) -> Any:
        return self.call(
            "POST", f"{replica}/write", {"key": "k", "value": 1, "agentId": "ada", **body}
        )

    def state(self, replica: str) -> list[dict[str, Any]]:
        answer = self.call("GET", f"{replica}/state")
        assert answer.status_code == 200
        return answer.json()["state"]  # type: ignore[no-any-return]


@pytest.fixture
def wire() -> Wire:
    return Wire()


def test_write_sync_state_as_the_published_clients_speak_it(wire: Wire) -> None:
    op = wire.write("east", key="status", value="green", evidenceId="ticket-4").json()["op"]
    assert {k: v for k, v in op.items() if k not in ("opId", "ts")} == {
        "replicaId": "east",
        "key": "status",
        "value": "green",
        "agentId": "ada",
        "evidenceId": "ticket-4",
        "vectorClock": {"east": 1},
    }
    assert wire.write("west", key="area", value={"m²": 3.5}, agentId="bob").status_code == 200
    assert wire.call("POST", "west/sync", {"from": "east"}).json() == {"synced": 1}
    assert wire.call("POST", "west/sync", {"from": "east"}).json() == {"synced": 0}
    assert wire.call("POST", "new/sync", {"peers": ["east", "west", "none"]}).json() == {
        "synced": 2
    }
    held = wire.state("west")
    assert [each["key"] for each in held] == ["area", "status"]
    assert held[1] == {
        "key": "status",
        "value": "green",
        "opId": op["opId"],
        "agentId": "ada",
        "ts": op["ts"],
    }
    assert wire.state("new") == held
    assert len(wire.state("east")) == 1


def test_an_unknown_replica_is_empty(wire: Wire) -> None:
    assert wire.state("nobody") == []
    assert wire.call("POST", "nobody/sync", {"from": "no-one"}).json() == {"synced": 0}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(-1e9, 1e9)
    # Cleaning composes letters and accents, so letters with accents are left to its own tests.
    | st.text(st.characters(max_codepoint=0x2FF, exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc/ é"), inner),
    max_leaves=8,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(JSON)
def test_a_value_is_any_json(wire: Wire, value: Any) -> None:
    answer = wire.write("east", value=value)
    assert answer.status_code == 200, answer.content
    assert answer.json()["op"]["value"] == wire.state("east")[0]["value"] == value


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"key": None}, 400, "key"),
        ({"key": ""}, 400, "key"),
        ({"key": 7}, 400, "key"),
        ({"key": "k" * 201}, 400, "key"),
        ({"key": "a\0"}, 400, "key"),
        ({"agentId": None}, 400, "agentId"),
        ({"agentId": ["ada"]}, 400, "agentId"),
        ({"agentId": "a" * 201}, 400, "agentId"),
        ({"evidenceId": 4}, 400, "evidenceId"),
        ({"evidenceId": "e" * 201}, 400, "evidenceId"),
        ({"value": "v" * (64 * 1024)}, 413, "value"),
        ({"value": {"é" * 40_000: 1}}, 413, "value"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(
    wire: Wire, body: dict[str, Any], status: int, field: str
) -> None:
    answer = wire.write("east", **body)
    assert (answer.status_code, answer.json()["field"]) == (status, field)
    with wire.inside():
        assert not ReplicaOperation.objects.exists()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("east/write", "[]"),
        ("east/write", "nonsense"),
        ("east/write", '{"key": "k", "agentId": "a"}'),
        ("east/write", '{"key": "k", "agentId": "a", "value": 1e999}'),
        ("east/write", '{"key": "k", "agentId": "a", "value": [-1e999]}'),
        ("east/write", '{"key": "k", "agentId": "a", "value": NaN}'),
        ("east/write", '{"key": "k", "agentId": "a", "value": %s}' % ("[" * 66 + "]" * 66)),
        ("east/write", '{"key": "k", "agentId": "a", "value": %s}' % ("[" * 9000 + "]" * 9000)),
        ("east/write", '{"key": "k", "agentId": "a", "value": %s}' % ("9" * 5000)),
        ("east/sync", "{}"),
        ("east/sync", '{"from": "a", "peers": ["b"]}'),
        ("east/sync", '{"from": null}'),
        ("east/sync", '{"from": ["west"]}'),
        ("east/sync", '{"peers": "west"}'),
        ("east/sync", '{"peers": [1]}'),
        ("east/sync", json.dumps({"peers": ["p"] * 101})),
        (f"{'e' * 201}/sync", '{"from": "a"}'),
        ("%00/sync", '{"from": "a"}'),
        ("%20/sync", '{"from": "a"}'),
    ],
)
def test_bad_bodies_and_bad_names_are_400(wire: Wire, path: str, body: str) -> None:
    answer = wire.call("POST", path, body)
    assert answer.status_code == 400, answer.content
    assert answer.json()["error"]


def test_text_in_a_value_is_cleaned_as_at_every_door(wire: Wire) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    answer = wire.write("east", value={"note\0": [f"the key is {secret}", "half \ud83d"]})
    assert answer.status_code == 200
    (held,) = wire.state("east")
    assert "note" in held["value"]
    assert secret not in json.dumps(held["value"])
    assert held["value"] == answer.json()["op"]["value"]


def test_a_narrowed_key_speaks_for_its_agent_and_only_where_everybody_reads(wire: Wire) -> None:
    with wire.inside():
        of_bob = make_key(shared_agent="bob")
        of_teams = make_key(scope="team")
        of_all = make_key(scope="global")
    body = {"key": "k", "value": 1}
    assert (
        wire.call("POST", "east/write", {**body, "agentId": "ada"}, key=of_bob).status_code == 403
    )
    own = wire.call("POST", "east/write", body, key=of_bob)
    assert own.json()["op"]["agentId"] == "bob"
    assert wire.call("GET", "east/state", key=of_teams).status_code == 403
    assert wire.call("GET", "east/state", key=of_all).status_code == 200


def test_who_may_not(wire: Wire) -> None:
    with wire.inside():
        person = make_key(kind=Token.Kind.PERSON, visitor_id=wire.visitor.pk)
        one_agent = make_key(agent_id=wire.agent.pk)
        user = make_user()
        make_member(Role.VIEWER, user=user)
        viewer = make_key(
            kind=Token.Kind.MEMBER, user_id=user.pk, expires_at="2999-01-01T00:00:00+00:00"
        )
    for key in (person, one_agent):
        assert wire.call("GET", "east/state", key=key).status_code == 403
    assert wire.call("GET", "east/state", key=viewer).status_code == 200
    assert wire.call("POST", "east/sync", {"from": "a"}, key=viewer).status_code == 403
    assert wire.call("GET", "east/state", key="ks_nonsense").status_code == 401


def test_other_methods_are_405_and_ids_are_uuids(wire: Wire) -> None:
    assert wire.call("GET", "east/write").status_code == 405
    assert wire.call("DELETE", "east/state").status_code == 405
    assert UUID(wire.write("east").json()["op"]["opId"])
