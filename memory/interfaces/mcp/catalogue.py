"""The tools as an assistant is told of them, and which of them a caller has.

The person's tools are those of `memory.tools`; here stand the ones over shared memory, with the
argument names of `/v1`.
"""

from dataclasses import replace
from typing import Any

from memory.interfaces.wire.fields import NAME_LIMIT
from memory.interfaces.wire.operations import (
    CONTENT_LIMIT,
    MOST_HITS,
    QUERY_LIMIT,
    TTL_LIMIT,
)
from memory.tools import TOOLS, Tool
from tenants.caller import Caller

Schema = dict[str, Any]


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _or_null(kind: str, description: str = "") -> Schema:
    schema: Schema = {"type": [kind, "null"]}
    return schema | {"description": description} if description else schema


def _object(properties: dict[str, Schema], *required: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


AGENT = _text(
    "Your own name among the organisation's agents, always the same.",
    minLength=1,
    maxLength=NAME_LIMIT,
    examples=["researcher"],
)
WORKFLOW = _text(
    "The job it belongs to. Memories of one workflow are not seen in another.",
    minLength=1,
    maxLength=NAME_LIMIT,
    examples=["launch-2026"],
)
SCOPE = _text(
    "Who sees it: private (only you, and agents with a grant), team (your team; everyone while "
    "no teams are defined), global (every agent of the organisation).",
    enum=["private", "team", "global"],
)
KEY = _text("Its name.", minLength=1, maxLength=NAME_LIMIT)
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
        "created_at": {"type": "string", "format": "date-time"},
        "expires_at": _or_null("string", "from when on it is not remembered"),
        "valid_from": _or_null("string", "since when it is true"),
        "valid_to": _or_null("string", "until when it was true"),
        "vector_clock": {"type": "object", "additionalProperties": {"type": "integer"}},
        "superseded_by": _or_null("string", "the id of what replaced it"),
        "deleted_at": _or_null("string"),
        "extracted": {"type": "boolean"},
        "encrypted": {"type": "boolean"},
    },
    "id", "content", "agent_id", "scope", "created_at", "encrypted",
)  # fmt: skip
HIT = {
    **MEMORY,
    "properties": {
        **MEMORY["properties"],
        "score": {"type": "number", "description": "orders the hits, best first"},
        "relevance_score": {"type": ["number", "null"], "description": "the model's, if reranked"},
    },
    "required": [*MEMORY["required"], "score"],
}
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
                        "When it stops being true, in ISO 8601; without a zone it is UTC.",
                        examples=["2027-08-13T10:00:00Z"],
                    ),
                    "factKey": _text(
                        "The name of the fact it states, such as project_status: the next write "
                        "of the same fact replaces it from then on.",
                        minLength=1,
                        maxLength=NAME_LIMIT,
                        examples=["project_status"],
                    ),
                },
                "content", "agentId",
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
                        "What was true and known at that instant, in ISO 8601; now, if left out.",
                        examples=["2026-08-13T10:00:00Z"],
                    ),
                    "rerank": {
                        "type": "boolean",
                        "default": False,
                        "description": "Let the language model judge the best hits: slower.",
                    },
                },
                "query", "agentId",
            ),
            _object({"hits": {"type": "array", "items": HIT}}, "hits"),
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
                "content", "agentId",
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
                    "key": KEY,
                    "value": {"description": "Any JSON value."},
                    "ttl": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": TTL_LIMIT,
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
                {"workflowId": WORKFLOW, "key": KEY},
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


def _of_one_agent(tool: Tool) -> Tool:
    """As a key narrowed to one agent is told of it: the key says who speaks."""
    required = [name for name in tool.arguments["required"] if name != "agentId"]
    return replace(tool, arguments={**tool.arguments, "required": required})


_SHARED_BY_ONE = {name: _of_one_agent(tool) for name, tool in SHARED.items()}


def tools_of(caller: Caller) -> dict[str, Tool]:
    """By name, the tools that would not be refused to this caller whatever the arguments."""
    if caller.is_for_sharing:
        return _SHARED_BY_ONE if caller.shared_agent else SHARED
    if caller.sort == "person" or caller.agent_id is not None:
        return TOOLS
    if caller.sort == "organisation":
        return {**TOOLS, **SHARED}
    if caller.can_edit:  # a person's memory has pages for members
        return SHARED
    return {name: tool for name, tool in SHARED.items() if tool.is_read_only}
