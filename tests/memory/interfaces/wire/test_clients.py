"""The published clients against a real server, every method of them: only `base_url` is ours."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import agentmem_py
import dinomem_py
import httpx
import pytest

from memory.providers import using
from memory.sharing.agents import agent_called
from tests.fakes import StubEmbedder
from tests.served import served
from tests.wires import Wire

pytestmark = pytest.mark.django_db(transaction=True)

CLIENTS = [
    dinomem_py.MemoryStore,
    dinomem_py.AsyncMemoryStore,
    agentmem_py.MemoryStore,
    agentmem_py.AsyncMemoryStore,
]
CLOSING = {"close", "aclose"}


@pytest.fixture
def address() -> Iterator[str]:
    with using(embedder=StubEmbedder()), served() as address:
        yield address


class Client:
    """A client of either sort, asked the same way; remembers which methods were."""

    def __init__(self, sort: Callable[..., Any], **arguments: Any) -> None:
        self.runner = asyncio.Runner()
        self.client = sort(**arguments)
        self.asked: set[str] = set()

    def has(self, method: str) -> bool:
        return hasattr(self.client, method)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        self.asked.add(method)
        bound = getattr(self.client, method)

        def ask(*args: Any, **kwargs: Any) -> Any:
            answer = bound(*args, **kwargs)
            return self.runner.run(answer) if inspect.iscoroutine(answer) else answer

        return ask

    @property
    def never_asked(self) -> set[str]:
        public = {name for name, _ in inspect.getmembers(type(self.client), inspect.isfunction)}
        return {name for name in public if not name.startswith("_")} - self.asked

    def end(self) -> None:
        closing = next(name for name in CLOSING if self.has(name))
        getattr(self, closing)()
        self.runner.close()


@pytest.fixture(params=CLIENTS, ids=lambda sort: f"{sort.__module__}.{sort.__name__}")
def client(request: pytest.FixtureRequest, address: str) -> Iterator[tuple[Client, Wire]]:
    wire = Wire()
    made = Client(request.param, api_key=wire.key, base_url=f"{address}/")
    yield made, wire
    if "close" not in made.asked and "aclose" not in made.asked:
        made.end()


def test_every_method_answers_what_the_client_expects(client: tuple[Client, Wire]) -> None:
    mem, wire = client
    # Write and search.
    first = mem.write(
        "The deadline is Friday.", "planner", scope="team", workflow_id="w", role="planner",
        expires_at="2199-01-01T00:00:00Z",
    )  # fmt: skip
    assert first.keys() == {"writeId"}
    again = mem.write(
        "the deadline is  Friday.", "planner", scope="team", workflow_id="w", role="planner"
    )
    assert again == {"writeId": first["writeId"], "duplicate": True}
    (hit,) = mem.search("deadline", "reader", top_k=3, scope="team", workflow_id="w")
    assert (hit.id, hit.content, hit.agent_id) == (
        first["writeId"], "The deadline is Friday.", "planner",
    )  # fmt: skip
    assert (hit.scope, hit.role, hit.workflow_id) == ("team", "planner", "w")
    assert hit.vector_clock == {"planner": 1}
    assert hit.score > 0
    assert mem.search("deadline", "reader", workflow_id="elsewhere") == []
    assert mem.search("deadline", "reader", at_time="2001-01-01T00:00:00Z") == []
    # What reads knew reaches the next write.
    second = mem.write("Tests fail on staging.", "reader", scope="team", workflow_id="w")
    with wire.inside():
        assert agent_called("reader").memories.get().clock == {"planner": 1, "reader": 1}
    # Conflicts.
    (conflict,) = mem.check_conflicts("The deadline is Monday.", "reader", workflow_id="w")
    assert (conflict.memory_id, conflict.severity) == (first["writeId"], "high")
    assert conflict.description
    assert mem.check_conflicts("Lunch is at noon.", "reader", workflow_id="w", scope="team") == []
    wire.call("PUT", "policies", {"policy": "planner_wins", "workflowId": "w"})
    with pytest.raises(httpx.HTTPStatusError) as blocked:
        mem.write("The deadline is Monday.", "reader", scope="team", workflow_id="w")
    assert blocked.value.response.status_code == 409
    assert blocked.value.response.json()["conflicts"][0]["memoryId"] == first["writeId"]
    # Scratch.
    for value in ({"page": [1, None, "ü"]}, 7, "text", None):
        assert mem.scratch_set("w", "cursor", value, ttl=600) is None
        assert mem.scratch_get("w", "cursor") == value
    assert mem.scratch_get("w", "nothing") is None
    if mem.has("scratch_del"):
        mem.scratch_set("w", "cursor", 1)
        assert mem.scratch_del("w", "cursor") is None
        assert mem.scratch_get("w", "cursor") is None
    # The workflow.
    assert "deadline is Friday" in mem.summarize("w")["summary"]
    if mem.has("workflow_memories"):
        rows = mem.workflow_memories("w")
        assert [row["id"] for row in rows] == [first["writeId"], second["writeId"]]
    # Replicas.
    if mem.has("crdt_write"):
        one = mem.crdt_write("edge-1", "status", "green", "planner")["op"]
        two = mem.crdt_write("edge-2", "status", "red", "reader")["op"]
        assert one["opId"] != two["opId"]
        assert mem.crdt_sync("edge-1", "edge-2") == {"synced": 1}
        assert mem.crdt_sync("edge-2", "edge-1") == {"synced": 1}
        states = [mem.crdt_state(each)["state"] for each in ("edge-1", "edge-2")]
        assert states[0] == states[1]
        assert [row["key"] for row in states[0]] == ["status"]
    # Keys.
    if mem.has("create_key"):
        made = mem.create_key("narrow", tier="pro", scopedAgent="reader", scopedScope="team")
        plain = mem.create_key("plain")
        keys = {row["id"]: row for row in mem.list_keys()["keys"]}
        assert keys[made["id"]]["scoped_agent"] == "reader"
        assert (keys[plain["id"]]["tier"], keys[plain["id"]]["revoked_at"]) == ("developer", None)
        assert mem.revoke_key(plain["id"]) is None
        assert wire.call("GET", "keys", key=plain["key"]).status_code == 401
    # Delete.
    if mem.has("get"):
        assert mem.get(second["writeId"])["content"] == "Tests fail on staging."
    assert mem.delete(second["writeId"]) is None
    assert mem.delete(second["writeId"]) is None
    if mem.has("get"):
        with pytest.raises(httpx.HTTPStatusError) as gone:
            mem.get(second["writeId"])
        assert gone.value.response.json() == {"error": "not found"}
    mem.end()
    assert mem.never_asked == set()


def test_a_wrong_key_raises_what_the_client_raises(address: str) -> None:
    with (
        dinomem_py.MemoryStore(api_key="no", base_url=address) as mem,
        pytest.raises(httpx.HTTPStatusError) as refused,
    ):
        mem.write("hello", "a")
    assert refused.value.response.status_code == 401
    assert refused.value.response.json() == {"error": "the key is not valid"}
