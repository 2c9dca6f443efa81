"""What `atTime` answers to the microsecond, at every way in which a memory can end."""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from memory.lifecycle import retention_shared, sweep
from memory.models import Memory, MemoryVersion
from tenants.context import within
from tenants.models import Tenant
from tests.memory.interfaces.wire.conftest import Wire

# Instants differ between transactions.
pytestmark = pytest.mark.django_db(transaction=True)


def before(instant: str) -> str:
    return (datetime.fromisoformat(instant) - timedelta(microseconds=1)).isoformat()


def found(wire: Wire, query: str, at: str | None = None) -> list[str]:
    return [hit["id"] for hit in wire.search(query, **({} if at is None else {"atTime": at}))]


def ever(wire: Wire, uid: str) -> dict[str, Any]:
    return wire.get(f"memory/{uid}/history").json()["memory"]  # type: ignore[no-any-return]


def written_in_january(wire: Wire, content: str, **fields: Any) -> str:
    uid = str(wire.write(content)["writeId"])
    first = "2026-01-01T00:00Z"
    with within(wire.tenant.pk):
        rows = Memory.objects.filter(uid=uid)
        rows.update(created_at=first, valid_from=first, **fields)
        MemoryVersion.objects.filter(memory__in=rows).update(made_at=first)
    return uid


def test_green_red_green_is_three_memories_each_in_its_time(wire: Wire) -> None:
    texts = ["The light is green.", "The light is red.", "The light is green."]
    ids = [wire.write(text, factKey="light")["writeId"] for text in texts]
    rows = [ever(wire, uid) for uid in ids]
    for earlier, later in pairwise(rows):
        assert earlier["valid_to"] == later["valid_from"]
    for number, row in enumerate(rows):
        assert found(wire, "light", row["valid_from"]) == [ids[number]]
        assert found(wire, "light", before(row["valid_from"])) == ids[:number][-1:]


def test_a_deleted_one_was_there_until_just_before(wire: Wire) -> None:
    uid = wire.write("The lamp is blue.")["writeId"]
    wire.delete(f"memory/{uid}")
    row = ever(wire, uid)
    again = wire.write("The lamp is blue.")["writeId"]
    assert found(wire, "lamp") == [again]
    assert found(wire, "lamp", row["created_at"]) == [uid]
    assert found(wire, "lamp", before(row["created_at"])) == []
    assert found(wire, "lamp", before(row["deleted_at"])) == [uid]
    assert found(wire, "lamp", row["deleted_at"]) == []


def test_an_expired_one_ends_at_its_time_swept_or_not(wire: Wire) -> None:
    uid = written_in_january(wire, "The door is open.", expires_at="2026-02-01T00:00Z")
    for _ in range(2):
        assert found(wire, "door") == found(wire, "door", "2026-02-01") == []
        assert found(wire, "door", before("2026-02-01T00:00:00+00:00")) == [uid]
        assert found(wire, "door", "2026-01-01") == [uid]
        sweep.step(wire.tenant.pk)
    with within(wire.tenant.pk):
        assert Memory.objects.get(uid=uid).closed_because == "expired"


def test_one_that_was_kept_long_enough_was_there_before(wire: Wire) -> None:
    uid = written_in_january(wire, "The window is shut.")
    wire.put("org/retention", memoriesDays=30)
    with within(wire.tenant.pk):
        tenant = Tenant.objects.get(pk=wire.tenant.pk)
    retention_shared.step(tenant)
    assert found(wire, "window") == []
    assert found(wire, "window", "2026-05-01") == [uid]
