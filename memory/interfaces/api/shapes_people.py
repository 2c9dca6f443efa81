"""Contract 2 in the schema: what its bodies, answers and filters look like."""

from typing import Any

from tenants.described import asked, moment, or_null, record, ref, switch, text, whole

PERSON_TAG, AGENT_TAG = "People's memories", "What an agent knows"

_MADE = {
    "created_at": moment("when it was made, in UTC"),
    "updated_at": moment("when it was last changed, in UTC"),
}
_ID = whole("its number")
_CONTENT = text("what it says; a secret in it is masked", minLength=10, maxLength=2_000)
_ANSWERED_CONTENT = text("what it says")
_WHO = {
    "username": or_null(text("the person's user name; comes with the first write", maxLength=200)),
    "email": or_null(text("the person's address; comes with the first write", format="email")),
}
_MEMORY = {
    "id": _ID,
    "content": _ANSWERED_CONTENT,
    "is_auto_generated": switch("learned from a conversation, not written by hand"),
    **_MADE,
    "source_session_id": or_null(text("the conversation it was learned from")),
    "username": or_null(text("the person's user name")),
    "email": or_null(text("the person's address")),
}
_MEMORY_EXAMPLE = {
    "id": 1,
    "content": "The user is a software engineer with 5 years of experience",
    "is_auto_generated": True,
    "created_at": "2026-01-15T10:30:00Z",
    "updated_at": "2026-01-15T10:30:00Z",
    "source_session_id": "abc-123-def",
    "username": "zoe",
    "email": "zoe@example.test",
}
_CATEGORY_EXAMPLE = {
    "id": 6,
    "name": "Project Ideas",
    "slug": "project_ideas",
    "description": "Project ideas the user has expressed interest in",
    "extraction_prompt": "",
    "is_active": True,
    "created_at": "2026-01-15T10:30:00Z",
}
_KNOWLEDGE_EXAMPLE = {
    "id": 4,
    "content": "Our refund window is 30 days",
    "created_by": "ida",
    "created_at": "2026-01-15T10:30:00Z",
    "updated_at": "2026-01-15T10:30:00Z",
}
_TOKEN_EXAMPLE = {
    "id": 9,
    "name": "link",
    "prefix": "ksk_AbCdEfGh",
    "created_at": "2026-01-15T10:30:00Z",
    "expires_at": "2026-02-14T10:30:00Z",
    "last_used_at": None,
    "revoked_at": None,
}
_AGENT_MEMORY_EXAMPLE = {
    **_MEMORY_EXAMPLE,
    "content": "The user struggled with understanding recursion",
    "agent": "python-tutor",
    "category": {"id": 1, "name": "Knowledge Gaps", "slug": "knowledge_gaps"},
}
_TOKEN = {
    "id": _ID,
    "name": text("what it is for"),
    "prefix": text("how it begins, to tell it from others"),
    "created_at": moment("when it was made"),
    "expires_at": or_null(moment("when it ends by itself")),
    "last_used_at": or_null(moment("to the minute")),
    "revoked_at": or_null(moment("when it was ended")),
}


def page_of(name: str, example: Any) -> dict[str, Any]:
    return record(
        {
            "count": whole("how many there are on all pages", minimum=0),
            "next": or_null(text("the address of the next page", format="uri")),
            "previous": or_null(text("the address of the page before", format="uri")),
            "results": {"type": "array", "items": ref(name)},
        },
        example={"count": 1, "next": None, "previous": None, "results": [example]},
    )


SHAPES: dict[str, dict[str, Any]] = {
    "Memory": record(_MEMORY, example=_MEMORY_EXAMPLE),
    "MemoryPage": page_of("Memory", _MEMORY_EXAMPLE),
    "NewMemory": record(
        {"content": _CONTENT, **_WHO},
        required=["content"],
        closed=False,
        example={"content": "The user is preparing for a job interview"},
    ),
    "AgentMemory": record(
        {
            **_MEMORY,
            "agent": text("the agent's slug"),
            "category": record(
                {"id": _ID, "name": text("its name"), "slug": text("its slug")},
                example=_AGENT_MEMORY_EXAMPLE["category"],
            ),
        },
        example=_AGENT_MEMORY_EXAMPLE,
    ),
    "AgentMemoryPage": page_of("AgentMemory", _AGENT_MEMORY_EXAMPLE),
    "NewAgentMemory": record(
        {"content": _CONTENT, "category_slug": text("an active category of the agent"), **_WHO},
        required=["content", "category_slug"],
        closed=False,
        example={
            "content": "The user completed the Python basics course",
            "category_slug": "progress_milestones",
        },
    ),
    "AgentMemoryChange": record(
        {
            "content": or_null(_CONTENT),
            "category_slug": or_null(text("where it moves to: an active category")),
        },
        required=[],
        closed=False,
        example={"content": "The user completed Python basics and intermediate courses"},
    ),
    "PersonSettings": record(
        {
            "auto_capture_enabled": switch("memories are extracted from what the person says"),
            "use_memory_in_responses": switch("memories reach the prompts of their answers"),
            "updated_at": or_null(moment("null while nobody has set them")),
        },
        example={
            "auto_capture_enabled": True,
            "use_memory_in_responses": False,
            "updated_at": "2026-01-16T16:00:00Z",
        },
    ),
    "PersonSettingsChange": record(
        {
            "auto_capture_enabled": or_null(switch("extract memories from what the person says")),
            "use_memory_in_responses": or_null(switch("let memories reach the prompts")),
            **_WHO,
        },
        required=[],
        closed=False,
        example={"auto_capture_enabled": True, "use_memory_in_responses": False},
    ),
    "MemoryStatus": record(
        {"memory_enabled": switch("memory is on for the organisation")},
        example={"memory_enabled": True},
    ),
    "Receipt": record(
        {
            "receipt": text("its UUID", format="uuid"),
            "erased_at": moment("when it was done"),
            "rows": {
                "type": "object",
                "description": "how many rows went, by table",
                "additionalProperties": {"type": "integer"},
            },
            "total": whole("how many rows went", minimum=0),
            "oldest_backup": or_null(
                text(
                    "backups made from this day on may still hold them; null: not known",
                    format="date",
                )
            ),
        },
        example={
            "receipt": "0b7f3c52-8c55-4d0e-9d6a-0d0c7c1f1f11",
            "erased_at": "2026-03-03T14:00:00+00:00",
            "rows": {"memory_memory": 3, "agents_message": 12},
            "total": 15,
            "oldest_backup": None,
        },
    ),
    "PersonToken": record(_TOKEN, example=_TOKEN_EXAMPLE),
    "PersonTokenPage": page_of("PersonToken", _TOKEN_EXAMPLE),
    "MadePersonToken": record(
        {**_TOKEN, "token": text("the key itself, shown this once")},
        example={**_TOKEN_EXAMPLE, "token": "ksk_AbCdEfGh…"},
    ),
    "NewPersonToken": record(
        {
            "name": or_null(text("what it is for", maxLength=200)),
            "days": or_null(
                whole("how long it lives; null: until revoked", minimum=1, maximum=3_650)
            ),
            **_WHO,
        },
        required=[],
        closed=False,
        example={"name": "link", "days": 30},
    ),
    "Category": record(
        {
            "id": _ID,
            "name": text("what people read"),
            "slug": text("what programs say; unique for the agent, never changed"),
            "description": text("what belongs into it"),
            "extraction_prompt": text("a hint for the model that extracts"),
            "is_active": switch("an inactive one keeps what it has and takes no more"),
            "created_at": moment("when it was made"),
        },
        example=_CATEGORY_EXAMPLE,
    ),
    "CategoryPage": page_of("Category", _CATEGORY_EXAMPLE),
    "NewCategory": record(
        {
            "name": text("what people read", minLength=1, maxLength=100),
            "slug": or_null(
                text(
                    "made of the name when missing",
                    minLength=1,
                    maxLength=60,
                    pattern="^[-a-zA-Z0-9_]+$",
                )
            ),
            "description": or_null(text("what belongs into it", maxLength=500)),
            "extraction_prompt": or_null(text("a hint for the model", maxLength=2_000)),
        },
        required=["name"],
        closed=False,
        example={
            "name": "Project Ideas",
            "slug": "project_ideas",
            "description": "Project ideas the user has expressed interest in",
        },
    ),
    "CategoryChange": record(
        {
            "name": or_null(text("what people read", minLength=1, maxLength=100)),
            "description": or_null(text("what belongs into it", maxLength=500)),
            "extraction_prompt": or_null(text("a hint for the model", maxLength=2_000)),
            "is_active": or_null(switch("off, or on again")),
        },
        required=[],
        closed=False,
        example={"description": "Project ideas and coding challenges the user wants to try"},
    ),
    "Knowledge": record(
        {
            "id": _ID,
            "content": _ANSWERED_CONTENT,
            "created_by": or_null(text("the member, or the key, that wrote it")),
            **_MADE,
        },
        example=_KNOWLEDGE_EXAMPLE,
    ),
    "KnowledgePage": page_of("Knowledge", _KNOWLEDGE_EXAMPLE),
    "NewKnowledge": record(
        {"content": _CONTENT},
        closed=False,
        example={"content": "Our refund window is 30 days"},
    ),
}

PAGES = (
    asked("page", whole("from 1; past the last one is 404", minimum=1, default=1)),
    asked("page_size", whole("rows of a page", minimum=1, maximum=100, default=20)),
    asked("after", text("part of `next`: where the page before ended")),
)
DATES = (
    asked("start_date", text("made on this day of UTC or later", format="date")),
    asked("end_date", text("made on this day of UTC or before", format="date")),
)
CATEGORY = asked("category", text("the slug of a category", pattern="^[-a-zA-Z0-9_]+$"))
EMAIL = asked("email", text("nobody but the person of this address", minLength=1, maxLength=200))
CONTENT = asked("content", text("a part of the text, in any case, taken literally", maxLength=500))
SESSION = asked("session_id", text("learned from this conversation", minLength=1, maxLength=200))
AGENT = asked("agent", text("slug or UUID of one agent"))
FORMAT = asked("format", text("one file, or one a kind", enum=["json", "csv"], default="json"))
EXPORTED: dict[str, Any] = {
    "description": "a file to download",
    "content": {
        "application/json": {"schema": {"type": "object"}},
        "application/zip": {"schema": {"type": "string"}},
    },
}
MINE = asked("my_memory", switch("only what is about the caller"))
