"""Batches: each item answers what it would have answered alone, and none spoils another."""

from collections.abc import Iterator
from typing import Any

import pytest

from memory.models import Memory, SharedAgent
from memory.providers import using
from memory.providers.errors import Unavailable
from memory.sharing import write as writing
from tests.fakes import StubEmbedder
from tests.wires import Wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def embedder() -> Iterator[StubEmbedder]:
    embedder = StubEmbedder()
    with using(embedder=embedder):
        yield embedder


@pytest.fixture
def wire(embedder: StubEmbedder) -> Wire:
    return Wire()


def writes(wire: Wire, *items: Any, **more: Any) -> list[dict[str, Any]]:
    answer = wire.call("POST", "memory/batch/write", {"writes": list(items)}, **more)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]  # type: ignore[no-any-return]


def item(content: Any = "The build is green.", agent: str = "a", **more: Any) -> dict[str, Any]:
    return {"content": content, "agentId": agent, **more}


def test_one_bad_item_fails_alone(wire: Wire, embedder: StubEmbedder) -> None:
    results = writes(
        wire, item("one"), item(7), "no object", None, item("one"), item("x" * 65_537),
        item("two", scope="everyone"), {"content": "three"}, item("four"),
    )  # fmt: skip
    assert [each["status"] for each in results] == [201, 400, 400, 400, 200, 413, 400, 400, 201]
    assert results[4] == {"status": 200, "writeId": results[0]["writeId"], "duplicate": True}
    assert [each.get("field") for each in results[5:8]] == ["content", "scope", "agentId"]
    assert all(each["error"] for each in results if each["status"] >= 400)
    with wire.inside():
        assert list(Memory.objects.order_by("pk").values_list("content", flat=True)) == [
            "one", "four",
        ]  # fmt: skip
    assert embedder.calls == [("one", "one", "four")]


def test_an_item_is_written_before_the_next_is_looked_at(wire: Wire) -> None:
    wire.call("PUT", "policies", {"policy": "planner_wins"})
    results = writes(
        wire,
        item("The deadline is Friday.", "p", role="planner", scope="global"),
        item("The deadline is Monday.", "e", role="executor", scope="global"),
        item("The office is in Porto.", "e", scope="global"),
    )
    assert [each["status"] for each in results] == [201, 409, 201]
    assert results[1]["policy"] == "planner_wins"
    assert results[1]["conflicts"][0]["memoryId"] == results[0]["writeId"]


def test_a_fault_of_ours_in_one_item_leaves_the_others(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = writing.write

    def failing(prepared: Any, **more: Any) -> Any:
        if prepared.draft.content == "bad":
            raise ZeroDivisionError
        return whole(prepared, **more)

    monkeypatch.setattr(writing, "write", failing)
    results = writes(wire, item("good"), item("bad"), item("better"))
    assert [each["status"] for each in results] == [201, 500, 201]
    assert results[1].keys() == {"status", "error", "id"}


def test_a_provider_that_is_away_stops_nothing(wire: Wire, embedder: StubEmbedder) -> None:
    embedder.fail = Unavailable("down")
    assert [each["status"] for each in writes(wire, item("one"), item("two"))] == [201, 201]
    found = wire.call(
        "POST", "memory/batch/search", {"searches": [{"query": "one", "agentId": "a"}]}
    ).json()["results"]  # fmt: skip
    assert [hit["content"] for hit in found[0]["hits"]] == ["one"]


def test_searches_answer_as_they_would_alone(wire: Wire, embedder: StubEmbedder) -> None:
    writes(wire, item("green tea"), item("black coffee"), item("red wine", "b"))
    searches: list[Any] = [
        {"query": "green tea", "agentId": "a"}, {"query": "tea", "agentId": "a", "topK": 0}, 7,
        {"query": "red wine", "agentId": "b", "topK": 1}, {"query": "red wine", "agentId": "a"},
    ]  # fmt: skip
    embedder.calls.clear()
    answer = wire.call("POST", "memory/batch/search", {"searches": searches})
    results = answer.json()["results"]
    assert [each["status"] for each in results] == [200, 400, 400, 200, 200]
    assert embedder.calls == [("green tea", "red wine", "red wine")]
    alone = wire.call("POST", "memory/search", searches[0]).json()
    assert results[0]["hits"] == alone
    assert [hit["content"] for hit in results[3]["hits"]] == ["red wine"]
    assert "red wine" not in [hit["content"] for hit in results[4]["hits"]]


def test_a_narrowed_key_writes_as_its_agent_alone(wire: Wire) -> None:
    key = wire.make_key(shared_agent="a", scope="team")
    results = writes(
        wire, item("one", "b"), item("two", scope="global"), {"content": "three"}, key=key
    )
    assert [each["status"] for each in results] == [403, 403, 201]
    with wire.inside():
        memory = Memory.objects.get()
        assert (memory.scope, memory.writer) == ("team", SharedAgent.objects.get(name="a"))


@pytest.mark.parametrize("path", ["write", "search"])
@pytest.mark.parametrize("many", [None, {}, "x", 7, [{}] * 101])
def test_a_batch_is_a_list_of_at_most_a_hundred(wire: Wire, path: str, many: Any) -> None:
    field = {"write": "writes", "search": "searches"}[path]
    answer = wire.call("POST", f"memory/batch/{path}", {field: many})
    assert (answer.status_code, answer.json()["field"]) == (400, field)


@pytest.mark.parametrize("path", ["write", "search"])
def test_an_empty_batch_answers_nothing(wire: Wire, path: str) -> None:
    field = {"write": "writes", "search": "searches"}[path]
    answer = wire.call("POST", f"memory/batch/{path}", {field: []})
    assert (answer.status_code, answer.json()) == (200, {"results": []})
