"""The tools as an assistant is told of them, and which of them a caller has.

The person's tools are those of `memory.tools`; here stand the ones over shared memory, with the
argument names of `/v1`.
"""

from typing import Any

from memory.interfaces.wire.operations import CONTENT_LIMIT, MOST_HITS, QUERY_LIMIT
from memory.tools import TOOLS, Tool
from tenants.caller import Caller

Schema = dict[str, Any]


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _or_null(kind: str, description: str = "") -> Schema:
    schema: Schema = {"type": [kind, "null"]}
    return schema | {"description": description} if description else schema


def _object(properties: dict[str, Schema], *required: str, closed: bool = True) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "required": list(required)}
    return schema | {"additionalProperties": False} if closed else schema


AGENT = _text(
    "Your own name among the organisation's agents, always the same. May be left out when the key "
    "is for one agent.",
    maxLength=200,
)
WORKFLOW = _text(
    "The job it belongs to. Memories of one workflow are not seen in another.", maxLength=200
)
SCOPE = _text(
    "Who sees it: private (only you, and agents with a grant), team (your team; everyone while "
    "no teams are defined), global (every agent of the organisation).",
    enum=["private", "team", "global"],
)
ID = _text("The id that a write or a search answered.", format="uuid")

MEMORY = _object(
    {
        "id": _text("its id"),
        "content": _or_null("string", "the text; null when its key was removed"),
        "agent_id": _or_null("string", "who wrote it"),
        "scope": _text("private, team or global"),
        "role": _or_null("string"),
        "workflow_id": _or_null("string"),
        "fact_key": _or_null("string"),
        "created_at": _or_null("string"),
        "expires_at": _or_null("string"),
        "superseded_by": _or_null("string"),
        "encrypted": {"type": "boolean"},
    },
    "id", "content", "agent_id", "scope", "created_at",
    closed=False,
)  # fmt: skip
CONFLICT = _object(
    {
        "memoryId": _text("the memory that is contradicted"),
        "content": _text("its text"),
        "agentId": _text("who wrote it"),
        "severity": _text("high, medium or low", enum=["high", "medium", "low"]),
        "description": _text("how they differ"),
    },
    "memoryId", "content", "agentId", "severity", "description",
)  # fmt: skip

SHARED: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "memory_write",
            "Write a memory that other agents of the organisation may find: a decision, a result, "
            "a state of the work, in a sentence that stands by itself. The answer has the writeId; "
            "`duplicate` means that it was there already. A write that contradicts what is "
            "remembered may be blocked by policy: the error then lists the conflicts, and with a "
            "writeId a person decides about it.",
            _object(
                {
                    "content": _text("The text.", minLength=1, maxLength=CONTENT_LIMIT),
                    "agentId": AGENT,
                    "scope": {**SCOPE, "default": "private"},
                    "role": _text(
                        "In what part you write: planner (goals and decisions), executor (does "
                        "the work), observer (logs, evaluates).",
                        enum=["planner", "executor", "observer"],
                    ),
                    "workflowId": WORKFLOW,
                    "expiresAt": _text(
                        "When it stops being true, in ISO 8601; without a zone it is UTC."
                    ),
                    "factKey": _text(
                        "The name of the fact it states, such as project_status: the next write "
                        "of the same fact replaces it from then on.",
                        maxLength=200,
                    ),
                },
                "content",
            ),
            _object(
                {
                    "writeId": _text("the id of the memory, or of the write that waits"),
                    "duplicate": {"type": "boolean"},
                    "error": _text("why it was blocked"),
                    "policy": _text("the policy that blocked it"),
                    "conflicts": {"type": "array", "items": CONFLICT},
                    "webhookFired": {"type": "boolean"},
                }
            ),
        ),
        Tool(
            "memory_search",
            "Search the memories you may see, by meaning, words and the things they name, best "
            "first. Nothing is returned for a question that nothing answers.",
            _object(
                {
                    "query": _text("The question.", minLength=1, maxLength=QUERY_LIMIT),
                    "agentId": AGENT,
                    "topK": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MOST_HITS,
                        "default": 5,
                        "description": "How many at most.",
                    },
                    "scope": {**SCOPE, "description": "Only memories of this scope."},
                    "workflowId": {**WORKFLOW, "description": "Only this workflow's memories."},
                    "atTime": _text(
                        "What was true and known at that instant, in ISO 8601; now, if left out."
                    ),
                    "rerank": {
                        "type": "boolean",
                        "default": False,
                        "description": "Let the language model judge the best hits: slower.",
                    },
                },
                "query",
            ),
            _object({"hits": {"type": "array", "items": MEMORY}}, "hits"),
            is_read_only=True,
        ),
        Tool(
            "memory_get",
            "Read one memory by its id.",
            _object({"id": ID}, "id"),
            MEMORY,
            is_read_only=True,
        ),
        Tool(
            "memory_delete",
            "Delete one memory by its id; it is gone from every search at once.",
            _object({"id": ID}, "id"),
            _object({"deleted": {"type": "boolean"}}, "deleted"),
        ),
        Tool(
            "memory_check_conflicts",
            "Say which memories a text would contradict, without writing it.",
            _object(
                {
                    "content": _text("The text.", minLength=1, maxLength=CONTENT_LIMIT),
                    "agentId": AGENT,
                    "workflowId": WORKFLOW,
                    "scope": {**SCOPE, "description": "Compare with memories of this scope only."},
                },
                "content",
            ),
            _object(
                {
                    "conflicts": {"type": "array", "items": CONFLICT},
                    "fellBack": _text("why the language model did not answer; rules did"),
                },
                "conflicts",
            ),
            is_read_only=True,
        ),
        Tool(
            "scratch_set",
            "Keep a value under a key of a workflow's scratchpad: working memory for the agents of "
            "one job, not searched, gone after its time.",
            _object(
                {
                    "workflowId": WORKFLOW,
                    "key": _text("Its name.", minLength=1, maxLength=200),
                    "value": {"description": "Any JSON value."},
                    "ttl": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "Seconds until it is gone.",
                    },
                },
                "workflowId", "key", "value",
            ),
            _object({"ok": {"type": "boolean"}}, "ok"),
        ),
        Tool(
            "scratch_get",
            "Read a key of a workflow's scratchpad; null when there is none.",
            _object(
                {"workflowId": WORKFLOW, "key": _text("Its name.", minLength=1, maxLength=200)},
                "workflowId", "key",
            ),
            _object({"value": {"description": "Any JSON value."}}, "value"),
            is_read_only=True,
        ),
        Tool(
            "workflow_summarize",
            "Sum up what a workflow's memories say, as a brief in Markdown.",
            _object({"workflowId": WORKFLOW, "agentId": AGENT}, "workflowId"),
            _object(
                {
                    "summary": _text("the brief"),
                    "fellBack": _text("why the language model did not write it"),
                },
                "summary",
            ),
            is_read_only=True,
        ),
    )
}  # fmt: skip


def tools_of(caller: Caller) -> dict[str, Tool]:
    """By name: a person's token has the person's tools, a key narrowed to shared memory has
    shared memory's, one for a chat agent the person's; an organisation's key has them all."""
    if caller.is_for_sharing:
        return SHARED
    if caller.sort == "person" or caller.agent_id is not None:
        return TOOLS
    return {**TOOLS, **SHARED}
