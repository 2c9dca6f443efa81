"""Under a customer's key `/v1` answers as before, and no table says what it answers."""

import base64
import os
from typing import Any

import pytest

from memory import review
from memory.interfaces import tasks
from memory.lifecycle import encrypt
from memory.models import ConflictPolicy, Memory, MemoryVector, Mutation, Posting
from tenants.context import within
from tests.factories import make_member
from tests.memory.interfaces.wire.conftest import Wire
from tests.sealed import occurrences

FRIDAY = "The Zanzibar deadline is Friday."
MONDAY = "The Zanzibar deadline is Monday."


@pytest.fixture
def sealed(wire: Wire) -> Wire:
    set_key(wire)
    return wire


def tables(wire: Wire) -> list[str]:
    """Which tables say what was written."""
    with within(wire.tenant.pk):
        return occurrences("zanzibar", "deadline is")


def set_key(wire: Wire) -> dict[str, Any]:
    key = base64.b64encode(os.urandom(32)).decode()
    answer = wire.post("org/byok", customerKey=key)
    assert answer.status_code == 200
    return answer.json()  # type: ignore[no-any-return]


def test_it_is_written_found_and_read_and_stands_in_no_table(sealed: Wire) -> None:
    made = sealed.write(FRIDAY, scope="team", workflowId="w", factKey="launch")["writeId"]
    for stage in ("graph", "deliver", "embed", "encrypt", "sweep"):
        if stage in tasks.STEPS:
            tasks.work(stage, sealed.tenant.pk)
    assert tables(sealed) == []
    (hit,) = sealed.search("when is the zanzibar deadline?", "b", workflowId="w")
    assert (hit["id"], hit["content"], hit["encrypted"]) == (made, FRIDAY, True)
    one = sealed.get(f"memory/{made}").json()
    assert (one["content"], one["encrypted"]) == (FRIDAY, True)
    assert sealed.write(FRIDAY, status=200, scope="team", workflowId="w", factKey="launch") == {
        "writeId": made,
        "duplicate": True,
    }
    later = sealed.write(MONDAY, scope="team", workflowId="w", factKey="launch")["writeId"]
    told = sealed.get(f"memory/{later}/history").json()
    assert [each["content"] for each in told["supersedes"]] == [FRIDAY]
    assert sealed.texts("zanzibar deadline", "b") == [MONDAY]
    assert sealed.texts("zanzibar deadline", "b", atTime=hit["created_at"]) == [FRIDAY]
    assert tables(sealed) == []
    with within(sealed.tenant.pk):
        assert not Posting.objects.exists()
        assert MemoryVector.objects.count() == 2, "what a search by meaning needs"


def test_contradictions_are_found_among_sealed_memories_and_wait_sealed(sealed: Wire) -> None:
    with within(sealed.tenant.pk):
        ConflictPolicy.objects.create(policy="human_in_loop")
        admin = make_member("admin")
    first = sealed.write(FRIDAY, scope="team")["writeId"]
    blocked = sealed.write(MONDAY, "b", 409, scope="team")
    assert [each["content"] for each in blocked["conflicts"]] == [FRIDAY]
    assert tables(sealed) == []
    with within(sealed.tenant.pk):
        number = Mutation.objects.get(uid=blocked["writeId"]).pk
    review.approve(mutation_id=number, by=admin)
    assert tables(sealed) == []
    one = sealed.get(f"memory/{blocked['writeId']}").json()
    assert (one["content"], one["encrypted"]) == (MONDAY, True)
    told = sealed.get(f"memory/{first}/history").json()
    assert told["supersededBy"]["content"] == MONDAY


def test_after_a_removal_it_answers_null_and_is_not_found(sealed: Wire) -> None:
    made = sealed.write(FRIDAY, scope="team")["writeId"]
    assert sealed.delete("org/byok").status_code == 204
    one = sealed.get(f"memory/{made}").json()
    assert (one["content"], one["encrypted"]) == (None, True)
    assert sealed.get(f"memory/{made}/history").json()["memory"]["content"] is None
    assert sealed.search("when is the zanzibar deadline?") == []
    again = sealed.write(FRIDAY, scope="team")["writeId"]
    assert again != made
    (hit,) = sealed.search("when is the zanzibar deadline?")
    assert (hit["id"], hit["encrypted"]) == (again, False)
    set_key(sealed)
    newest = sealed.write(MONDAY, scope="team")["writeId"]
    found = {hit["id"] for hit in sealed.search("when is the zanzibar deadline?")}
    assert found == {again, newest}
    assert sealed.delete(f"memory/{made}").status_code == 204
    assert sealed.get(f"memory/{made}").status_code == 404


def test_what_was_written_before_follows(wire: Wire) -> None:
    made = wire.write(FRIDAY, scope="team")["writeId"]
    assert "memory_memory" in tables(wire)
    assert set_key(wire)["waiting"] == 1
    assert wire.texts("zanzibar deadline") == [FRIDAY]
    while encrypt.step(wire.tenant.pk).taken:
        pass
    assert tables(wire) == []
    assert wire.get("org/byok").json()["waiting"] == 0
    (hit,) = wire.search("zanzibar deadline")
    assert (hit["id"], hit["content"], hit["encrypted"]) == (made, FRIDAY, True)
    assert wire.write(FRIDAY, status=200, scope="team")["writeId"] == made


def test_another_master_key_is_503_for_reads_and_writes_and_loses_nothing(
    sealed: Wire, settings: Any
) -> None:
    made = sealed.write(FRIDAY, scope="team")["writeId"]
    before = settings.MASTER_KEY
    settings.MASTER_KEY = "another"
    for answer in (
        sealed.get(f"memory/{made}"),
        sealed.post("memory/search", query="zanzibar", agentId="a"),
        sealed.post("memory/write", content=MONDAY, agentId="a"),
    ):
        assert answer.status_code == 503, answer.content
        assert "MASTER_KEY" in answer.json()["error"]
    with within(sealed.tenant.pk):
        assert Memory.objects.count() == 1
    settings.MASTER_KEY = before
    assert sealed.get(f"memory/{made}").json()["content"] == FRIDAY
