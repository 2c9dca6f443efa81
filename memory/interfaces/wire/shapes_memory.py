"""What `/v1` says of memories, conflicts and workflows in the schema."""

from typing import Any

from memory.interfaces.wire.shapes_setting import AGENT, ID, NAME, ROLE, SCOPE, UID, WORKFLOW
from tenants.described import moment, or_null, record, ref, switch, text, whole

MEMORY_TAG, WORKFLOW_TAG = "Shared memory: write and search", "Shared memory: workflows"

_SEEN = text("who sees it")
_MEMORY = {
    "id": ID,
    "content": or_null(text("what it says; null: encrypted under a key that was removed")),
    "agent_id": text("who wrote it"),
    "scope": _SEEN,
    "role": or_null(text("in what part it was written")),
    "workflow_id": or_null(text("the workflow it belongs to")),
    "fact_key": or_null(text("the fact it states")),
    "created_at": moment("when it was written"),
    "expires_at": or_null(moment("when it ends by itself")),
    "valid_from": moment("since when it holds"),
    "valid_to": or_null(moment("until when it held")),
    "vector_clock": {
        "type": "object",
        "description": "by agent, the writes that its writer had seen, and its own",
        "additionalProperties": {"type": "integer"},
    },
    "superseded_by": or_null(text("the memory that replaced it", format="uuid")),
    "deleted_at": or_null(moment("when it was deleted")),
    "extracted": switch("its entities and relations have been looked for"),
    "encrypted": switch("it is encrypted under the customer's key"),
}
_MEMORY_EXAMPLE = {
    "id": UID,
    "content": "The deadline is Friday.",
    "agent_id": "planner-1",
    "scope": "team",
    "role": "planner",
    "workflow_id": "pipeline-1",
    "fact_key": "deadline",
    "created_at": "2026-08-13T10:00:00.000001+00:00",
    "expires_at": None,
    "valid_from": "2026-08-13T10:00:00.000001+00:00",
    "valid_to": None,
    "vector_clock": {"planner-1": 3, "researcher-2": 1},
    "superseded_by": None,
    "deleted_at": None,
    "extracted": True,
    "encrypted": False,
}
_CONFLICT = {
    "memoryId": UID,
    "content": "The deadline is Friday.",
    "agentId": "planner-1",
    "severity": "high",
    "description": "`Friday` against `Monday`",
}
_FELL_BACK = text("the model that was to answer could not, and why; rules did instead")
_CONFLICTS = {"type": "array", "items": ref("Conflict")}
_QUERY = text("what is looked for, at most 10,000 bytes", minLength=1)
_CONTENT = text("what it says, at most 64 KiB; a secret in it is masked", minLength=1)
_WRITE = {
    "content": _CONTENT,
    "agentId": AGENT,
    "scope": or_null(SCOPE),
    "role": or_null(ROLE),
    "workflowId": or_null(WORKFLOW),
    "expiresAt": or_null(moment("when it ends; without a zone it is UTC")),
    "factKey": or_null(text("the fact it states; ends what stated it before", **NAME)),
}
_SEARCH = {
    "query": _QUERY,
    "agentId": AGENT,
    "topK": or_null(whole("how many", minimum=1, maximum=50, default=5)),
    "scope": or_null(SCOPE),
    "workflowId": or_null(WORKFLOW),
    "atTime": or_null(moment("what was true and known then; without a zone it is UTC")),
    "rerank": or_null(switch("let the language model put the best in order")),
}
_WRITE_EXAMPLE = {"content": "The deadline is Friday.", "agentId": "planner-1", "scope": "team"}
_SEARCH_EXAMPLE = {"query": "When is the deadline?", "agentId": "planner-1", "topK": 5}


def _each_with(good: dict[str, Any]) -> dict[str, Any]:
    """The results of a batch, in the order of its items: what each would have answered alone."""
    return {
        "type": "array",
        "items": record(
            {
                "status": whole("as of its own answer"),
                "error": text("what was wrong"),
                **good,
            },
            required=["status"],
            closed=False,
            example={"status": 400, "error": "expected a string"},
        ),
    }


SHAPES: dict[str, dict[str, Any]] = {
    "SharedMemory": record(_MEMORY, example=_MEMORY_EXAMPLE),
    "SharedHit": record(
        {
            **_MEMORY,
            "score": {"type": "number", "description": "reciprocal ranks, added up"},
            "relevance_score": {
                "type": ["number", "null"],
                "description": "0 to 1 with `rerank`; null when that failed",
            },
        },
        required=[*_MEMORY, "score"],
        example={**_MEMORY_EXAMPLE, "score": 0.032},
    ),
    "SharedWrite": record(
        _WRITE, required=["content", "agentId"], closed=False, example=_WRITE_EXAMPLE
    ),
    "Written": record(
        {"writeId": ID, "duplicate": switch("it was there already")},
        required=["writeId"],
        example={"writeId": UID},
    ),
    "Conflict": record(
        {
            "memoryId": ID,
            "content": or_null(text("what it says")),
            "agentId": text("who wrote it"),
            "severity": text("only high acts", enum=["high", "medium", "low"]),
            "description": text("what differs"),
        },
        example=_CONFLICT,
    ),
    "Blocked": record(
        {
            "error": text("what was wrong"),
            "policy": text("the policy that blocked it"),
            "conflicts": _CONFLICTS,
            "webhookFired": switch("somebody is told"),
            "writeId": text("under which a person's decision will answer", format="uuid"),
        },
        required=["error", "policy", "conflicts", "webhookFired"],
        example={
            "error": "Write blocked by conflict resolution policy",
            "policy": "planner_wins",
            "conflicts": [_CONFLICT],
            "webhookFired": False,
        },
    ),
    "NotThere": record(
        {
            "error": text("what was wrong"),
            "status": text("of a write that waits, or waited, for a person: what became of it"),
        },
        required=["error"],
        example={"error": "not found", "status": "pending"},
    ),
    "SharedHistory": record(
        {
            "memory": ref("SharedMemory"),
            "supersededBy": {"anyOf": [ref("SharedMemory"), {"type": "null"}]},
            "supersedes": {"type": "array", "items": ref("SharedMemory")},
        },
        example={"memory": _MEMORY_EXAMPLE, "supersededBy": None, "supersedes": []},
    ),
    "ConflictCheck": record(
        {
            "content": _CONTENT,
            "agentId": AGENT,
            "workflowId": or_null(WORKFLOW),
            "scope": or_null(SCOPE),
        },
        required=["content", "agentId"],
        closed=False,
        example={"content": "The deadline is Monday.", "agentId": "researcher-2"},
    ),
    "Conflicts": record(
        {"conflicts": _CONFLICTS, "fellBack": _FELL_BACK},
        required=["conflicts"],
        example={"conflicts": [_CONFLICT]},
    ),
    "SharedSearch": record(
        _SEARCH, required=["query", "agentId"], closed=False, example=_SEARCH_EXAMPLE
    ),
    "SummaryWanted": record(
        {"agentId": or_null(AGENT)}, required=[], closed=False, example={"agentId": "planner-1"}
    ),
    "Summary": record(
        {"summary": text("a brief in Markdown"), "fellBack": _FELL_BACK},
        required=["summary"],
        example={"summary": "## Goals and decisions\n\n- The deadline is Friday. (planner-1)"},
    ),
    "BatchWrite": record(
        {"writes": {"type": "array", "maxItems": 100, "items": ref("SharedWrite")}},
        closed=False,
        example={"writes": [_WRITE_EXAMPLE]},
    ),
    "BatchWritten": record(
        {"results": _each_with({"writeId": ID, "duplicate": switch("it was there already")})},
        example={"results": [{"status": 201, "writeId": UID}]},
    ),
    "BatchSearch": record(
        {"searches": {"type": "array", "maxItems": 100, "items": ref("SharedSearch")}},
        closed=False,
        example={"searches": [_SEARCH_EXAMPLE]},
    ),
    "BatchFound": record(
        {"results": _each_with({"hits": {"type": "array", "items": ref("SharedHit")}})},
        example={"results": [{"status": 200, "hits": []}]},
    ),
}
HITS: dict[str, Any] = {
    "description": "the best first",
    "content": {"application/json": {"schema": {"type": "array", "items": ref("SharedHit")}}},
}
MEMORIES: dict[str, Any] = {
    "description": "in the order in which they were written",
    "content": {"application/json": {"schema": {"type": "array", "items": ref("SharedMemory")}}},
}
