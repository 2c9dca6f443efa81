"""Expired means absent from every read at once, and a date has one meaning (field fault 17)."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from memory.models import Memory
from tenants.context import within
from tests.memory.interfaces.wire.conftest import Wire

FRIDAY = "The deadline is Friday."


def move(wire: Wire, uid: str, ago: timedelta) -> None:
    """Rows are moved, not the clock."""
    with within(wire.tenant.pk):
        Memory.objects.filter(uid=uid).update(expires_at=Now() - ago)


def test_one_second_past_it_is_nowhere_though_no_sweep_ran(wire: Wire) -> None:
    ends = "2199-01-01T00:00:00Z"
    made = wire.write(FRIDAY, scope="team", workflowId="w", expiresAt=ends)["writeId"]
    assert wire.texts("deadline", workflowId="w") == [FRIDAY]
    assert wire.get(f"memory/{made}").status_code == 200
    move(wire, made, timedelta(seconds=1))
    assert wire.texts("deadline", workflowId="w") == []
    assert wire.texts("deadline") == []
    assert wire.get(f"memory/{made}").status_code == 404
    found = wire.post("memory/conflicts", content="The deadline is Monday.", agentId="b")
    assert found.json() == {"conflicts": []}
    listed = wire.get("workflows/w/memories")
    assert listed.status_code == 200
    assert made not in listed.content.decode()
    again = wire.write(FRIDAY, scope="team", workflowId="w")["writeId"]
    assert again != made, "an expired twin makes nobody's write a duplicate"
    assert wire.texts("deadline") == [FRIDAY]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2126-08-13", "2126-08-13T00:00:00+00:00"),  # the first instant of the day in UTC
        ("2126-08-13T10:00:00", "2126-08-13T10:00:00+00:00"),  # no zone: UTC
        ("2126-08-13T10:00:00Z", "2126-08-13T10:00:00+00:00"),
        ("2126-08-13T10:00:00+03:30", "2126-08-13T06:30:00+00:00"),
        ("2126-08-13T00:30:00+08:00", "2126-08-12T16:30:00+00:00"),
    ],
)
def test_a_time_without_a_zone_is_utc_and_a_date_its_first_instant(
    wire: Wire, given: str, kept: str
) -> None:
    made = wire.write(FRIDAY, expiresAt=given)["writeId"]
    assert wire.get(f"memory/{made}").json()["expires_at"] == kept


@pytest.mark.parametrize("given", ["next Friday", "", "2126-13-45", 5, True, [], "9" * 50])
def test_junk_is_refused_per_item_and_the_others_are_kept(wire: Wire, given: object) -> None:
    answer = wire.post("memory/write", content=FRIDAY, agentId="a", expiresAt=given)
    assert (answer.status_code, answer.json()["field"]) == (400, "expiresAt")
    batch = wire.post(
        "memory/batch/write",
        writes=[
            {"content": FRIDAY, "agentId": "a", "expiresAt": given},
            {"content": FRIDAY, "agentId": "a"},
        ],
    )
    bad, good = batch.json()["results"]
    assert "error" in bad
    assert "writeId" in good
