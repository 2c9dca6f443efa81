"""The scratchpad over the wire: any JSON comes back as it went in, and ends by itself."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import ScratchEntry
from tests.wires import Wire

pytestmark = pytest.mark.django_db

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
LEAVES = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(-1e15, 1e15) | TEXTS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4)
)


@pytest.fixture
def wire() -> Wire:
    return Wire()


def put(wire: Wire, value: Any, *, key: str = "k", workflow: str = "w", **more: Any) -> Any:
    body = {"workflowId": workflow, "key": key, "value": value, **more}
    return wire.call("POST", "scratch/set", body)


def get(wire: Wire, key: str = "k", workflow: str = "w") -> Any:
    return wire.call("POST", "scratch/get", {"workflowId": workflow, "key": key}).json()


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(value=VALUES)
def test_any_json_comes_back_as_it_was(wire: Wire, value: Any) -> None:
    assert put(wire, value).json() == {"ok": True}
    assert get(wire) == {"value": value}


def test_what_is_not_there_is_null_and_so_is_null(wire: Wire) -> None:
    assert get(wire) == {"value": None}
    put(wire, None)
    assert get(wire) == {"value": None}
    with wire.inside():
        assert ScratchEntry.objects.count() == 1


def test_the_last_value_stands_with_its_own_end(wire: Wire) -> None:
    put(wire, 1, ttl=60)
    put(wire, 2)
    assert get(wire) == {"value": 2}
    with wire.inside():
        assert ScratchEntry.objects.get().expires_at is None


def test_workflows_and_tenants_keep_theirs_apart(wire: Wire) -> None:
    other = Wire()
    put(wire, "ours")
    put(other, "theirs")
    put(wire, "elsewhere", workflow="v")
    assert (get(wire), get(other)) == ({"value": "ours"}, {"value": "theirs"})
    assert other.call(
        "POST", "scratch/del", {"workflowId": "w", "key": "k"}
    ).json() == {"ok": True}  # fmt: skip
    assert (get(wire), get(other)) == ({"value": "ours"}, {"value": None})
    assert get(wire, workflow="v") == {"value": "elsewhere"}


def test_it_is_gone_in_the_instant_of_its_end(wire: Wire) -> None:
    put(wire, "soon", ttl=5)
    with wire.inside():
        entry = ScratchEntry.objects.get()
        assert entry.expires_at is not None
        assert entry.expires_at - entry.set_at == timedelta(seconds=5)
    assert get(wire) == {"value": "soon"}
    with wire.inside():
        ScratchEntry.objects.update(expires_at=F("expires_at") - timedelta(seconds=5))
    assert get(wire) == {"value": None}
    put(wire, "again")
    assert get(wire) == {"value": "again"}


def test_removing_twice_is_done_already(wire: Wire) -> None:
    put(wire, 1)
    for _ in range(2):
        answer = wire.call("POST", "scratch/del", {"workflowId": "w", "key": "k"})
        assert (answer.status_code, answer.json()) == (200, {"ok": True})
    assert get(wire) == {"value": None}


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ('"a\\u0000b"', 400), ('{"a\\u0000": 1}', 400), ('"\\ud800"', 400), ("1e999", 400),
        ('["' + "x" * 65_537 + '"]', 413), ("[" * 200 + "]" * 200, 400),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_by_name(wire: Wire, value: str, status: int) -> None:
    body = '{"workflowId": "w", "key": "k", "value": ' + value + "}"
    answer = wire.call("POST", "scratch/set", body)
    assert (answer.status_code, answer.json()["field"]) == (status, "value")
    assert get(wire) == {"value": None}


def test_a_key_for_one_agent_has_its_workflows_scratch(wire: Wire) -> None:
    key = wire.make_key(shared_agent="a")
    body = {"workflowId": "w", "key": "k", "value": 1}
    assert wire.call("POST", "scratch/set", body, key=key).status_code == 200
