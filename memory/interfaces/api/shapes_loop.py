"""Contract 1 in the schema: chat, capture, recall, deciding, the stages by an outside clock."""

from typing import Any

from memory.models import Mutation
from tenants.described import asked, moment, or_null, record, ref, switch, text, whole

CHAT_TAG, PROGRAMS_TAG = "Chat for everyone", "Memory for other chat systems"
REVIEW_TAG, CRON_TAG = "Deciding", "Stages by an outside clock"

_OBJECT = {"type": "object", "additionalProperties": True}
_MUTATION_EXAMPLE = {
    "id": 7,
    "uid": "0b7f3c52-8c55-4d0e-9d6a-0d0c7c1f1f11",
    "agent": "python-tutor",
    "visitor": "user123",
    "operation": "add",
    "target": None,
    "targetVersion": None,
    "draft": {"key": "/food/allergies", "content": "The user is allergic to peanuts."},
    "before": {},
    "evidence": [{"quote": "I am allergic to peanuts", "role": "user", "found": True}],
    "flags": [],
    "reasoning": "Nothing like it is known.",
    "approver": "member",
    "status": "pending",
    "resolution": None,
    "reason": None,
    "resolvedBy": None,
    "byToken": False,
    "resolvedAt": None,
    "memory": None,
    "memoryVersion": None,
    "version": 1,
    "saidCount": 1,
    "lastSaidAt": "2026-03-03T12:00:00+00:00",
    "createdAt": "2026-03-03T14:00:00+00:00",
}

SHAPES: dict[str, dict[str, Any]] = {
    "InboundQuestion": record(
        {
            "user": text("who asks, by the other system's name", minLength=1, maxLength=100),
            "message": text("what they ask", minLength=1, maxLength=2_000),
        },
        closed=False,
        example={"user": "U123", "message": "When do you open?"},
    ),
    "InboundAnswer": record(
        {
            "text": text("the reply; empty where the request was answered before"),
            "challenge": text("Slack's, sent back"),
        },
        required=[],
        example={"text": "At nine."},
    ),
    "Chat": record(
        {
            "messages": {
                "type": "array",
                "minItems": 1,
                "maxItems": 100,
                "description": "the thread so far; the last one is the visitor's",
                "items": record(
                    {
                        "role": text("who speaks", enum=["user", "assistant"]),
                        "content": text("of a user at most 2,000 characters"),
                    },
                    closed=False,
                    example={"role": "user", "content": "Hello"},
                ),
            },
            "conversationId": or_null(text("as an earlier answer's `x-conversation-id` named it")),
            "embed": switch("the chat stands in a frame of another site"),
        },
        required=["messages"],
        closed=False,
        example={"messages": [{"role": "user", "content": "What should I cook tonight?"}]},
    ),
    "Messages": record(
        {
            "visitor": or_null(text("the host's user id; null is nobody in particular")),
            "conversation": text("the host's id of the conversation", minLength=1, maxLength=200),
            "messages": {
                "type": "array",
                "maxItems": 1_000,
                "items": record(
                    {
                        "id": or_null(text("taken once in its conversation")),
                        "role": text("user or assistant"),
                        "content": text("at most 100,000 characters"),
                        "occurred_at": or_null(moment("ISO 8601; without a zone it is UTC")),
                    },
                    required=["role", "content"],
                    closed=False,
                    example={"id": "m1", "role": "user", "content": "I moved to Porto"},
                ),
            },
        },
        closed=False,
        example={
            "visitor": "user123",
            "conversation": "c1",
            "messages": [
                {
                    "id": "m1",
                    "role": "user",
                    "content": "I moved to Porto",
                    "occurred_at": "2026-03-03T23:30:00-08:00",
                }
            ],
        },
    ),
    "Captured": record(
        {
            "accepted": whole("messages taken", minimum=0),
            "duplicates": whole("messages that had been taken before", minimum=0),
            "refused": {
                "type": "array",
                "items": record(
                    {"id": or_null(text("the message's")), "reason": text("why")},
                    example={"id": "m2", "reason": "role: expected user or assistant"},
                ),
            },
            "reason": text("why nothing was taken: memory is off"),
        },
        required=["accepted"],
        example={"accepted": 1, "duplicates": 0, "refused": []},
    ),
    "Question": record(
        {
            "visitor": or_null(text("the host's user id; null or missing is nobody")),
            "message": text("what they just said", minLength=1, maxLength=10_000),
        },
        required=["message"],
        closed=False,
        example={"visitor": "user123", "message": "What should I cook tonight?"},
    ),
    "Recalled": record(
        {
            "block": text("for the prompt, as a system message of its own; may be empty"),
            "memories": {
                "type": "array",
                "items": record(
                    {
                        "id": whole("its number"),
                        "key": text("its path; empty for a memory without one"),
                        "text": text("what it says"),
                        "reason": text("why it came"),
                        "score": or_null({"type": "number", "description": "of a search"}),
                    },
                    example={
                        "id": 3,
                        "key": "/food/allergies",
                        "text": "The user is allergic to peanuts.",
                        "reason": "search",
                        "score": 0.62,
                    },
                ),
            },
            "failed": or_null(text("what of recall did not work; the rest is there")),
        },
        example={"block": "## Relevant Memory\n…", "memories": [], "failed": None},
    ),
    "Mutation": record(
        {
            "id": whole("its number"),
            "uid": text("its UUID", format="uuid"),
            "agent": text("the agent's slug"),
            "visitor": or_null(text("whom it is about; null is everyone")),
            "operation": text("what it does", enum=list(Mutation.Operation.values)),
            "target": or_null(whole("the memory it changes")),
            "targetVersion": or_null(whole("that memory's version when proposed")),
            "draft": _OBJECT,
            "before": _OBJECT,
            "evidence": {"type": "array", "items": _OBJECT},
            "flags": {"type": "array", "items": {"type": "string"}},
            "reasoning": text("the model's"),
            "approver": text("who decides it", enum=list(Mutation.Approver.values)),
            "status": text("where it stands", enum=list(Mutation.Status.values)),
            "resolution": or_null(text("how it ended")),
            "reason": or_null(text("the reviewer's")),
            "resolvedBy": or_null(text("the member who decided")),
            "byToken": switch("decided by a member's token"),
            "resolvedAt": or_null(moment("when it ended")),
            "memory": or_null(whole("what an approval made or changed")),
            "memoryVersion": or_null(whole("that memory's version after it")),
            "version": whole("give it back to decide on what was shown"),
            "saidCount": whole("how often it was said"),
            "lastSaidAt": or_null(moment("when it was last said")),
            "createdAt": moment("when it was proposed"),
        },
        example=_MUTATION_EXAMPLE,
    ),
    "MutationPage": record(
        {
            "results": {"type": "array", "items": ref("Mutation")},
            "next": or_null(text("the cursor of the next page")),
        },
        example={"results": [_MUTATION_EXAMPLE], "next": None},
    ),
    "Decision": record(
        {
            "version": or_null(whole("the one that was shown", minimum=1)),
            "reason": or_null(text("why, for a rejection", maxLength=500)),
        },
        required=[],
        closed=False,
        example={"version": 1},
    ),
    "Ran": record(
        {
            "ok": switch("true"),
            "processed": whole("what it worked off", minimum=0),
            "failed": whole("what it could not", minimum=0),
            "mutated": whole("mutations it made (reconcile only)", minimum=0),
        },
        required=["ok", "processed", "failed"],
        example={"ok": True, "processed": 7, "failed": 0},
    ),
}

REPLY: dict[str, Any] = {
    "description": "the reply, piece by piece",
    "headers": {
        "x-conversation-id": {"schema": {"type": "string"}},
        "x-agent-id": {"schema": {"type": "string", "format": "uuid"}},
    },
    "content": {
        "text/plain; charset=utf-8": {"schema": {"type": "string"}, "example": "How about a curry?"}
    },
}
QUEUE = (
    asked("status", text("where they stand", enum=list(Mutation.Status.values), default="pending")),
    asked("agent", text("slug or UUID of one agent")),
    asked("limit", whole("rows of a page", minimum=1, maximum=100, default=50)),
    asked("cursor", text("the `next` of an earlier page")),
)
