"""What `/v1/crdt/…` says of replicated registers in the schema."""

from typing import Any

from memory.interfaces.wire.shapes_setting import AGENT, ID, NAME, UID
from tenants.described import moment, or_null, record, text, whole

REPLICA_TAG = "Shared memory: replicated registers"

_OPERATION = {
    "opId": UID,
    "replicaId": "edge-1",
    "key": "status",
    "value": "green",
    "agentId": "planner-1",
    "evidenceId": None,
    "vectorClock": {"edge-1": 1},
    "ts": "2026-08-13T10:00:00.000001+00:00",
}
_ANY = {"description": "any JSON value, at most 64 KiB of it"}

SHAPES: dict[str, dict[str, Any]] = {
    "RegisterWrite": record(
        {
            "key": text("the register", **NAME),
            "value": _ANY,
            "agentId": AGENT,
            "evidenceId": or_null(text("what it rests on, by the caller's own id", **NAME)),
        },
        required=["key", "value", "agentId"],
        closed=False,
        example={"key": "status", "value": "green", "agentId": "planner-1"},
    ),
    "RegisterOperation": record(
        {
            "op": record(
                {
                    "opId": ID,
                    "replicaId": text("where it was issued"),
                    "key": text("the register"),
                    "value": _ANY,
                    "agentId": text("who wrote"),
                    "evidenceId": or_null(text("what it rests on")),
                    "vectorClock": {
                        "type": "object",
                        "additionalProperties": {"type": "integer"},
                    },
                    "ts": moment("when it was issued"),
                },
                example=_OPERATION,
            )
        },
        example={"op": _OPERATION},
    ),
    "RegisterSync": record(
        {
            "from": text("the replica to learn from", **NAME),
            "peers": {
                "type": "array",
                "maxItems": 100,
                "items": text("a replica", **NAME),
                "description": "several, in place of `from`",
            },
        },
        required=[],
        closed=False,
        example={"from": "edge-2"},
    ),
    "RegisterSynced": record(
        {"synced": whole("operations that were new", minimum=0)}, example={"synced": 2}
    ),
    "RegisterState": record(
        {
            "state": {
                "type": "array",
                "items": record(
                    {
                        "key": text("the register"),
                        "value": _ANY,
                        "opId": ID,
                        "agentId": text("who wrote"),
                        "ts": moment("when it was written"),
                    },
                    example={
                        "key": "status",
                        "value": "green",
                        "opId": UID,
                        "agentId": "planner-1",
                        "ts": "2026-08-13T10:00:00.000001+00:00",
                    },
                ),
            }
        },
        example={"state": []},
    ),
}
