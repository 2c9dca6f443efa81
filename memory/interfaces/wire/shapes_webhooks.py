"""`/v1/webhooks` in the schema."""

from typing import Any

from memory.events.envelope import SUBSCRIBABLE
from memory.events.targets import LIMIT
from tenants.described import moment, record, switch, text

TAG = "Shared memory: webhooks"
_UID = "0b7f3c52-8c55-4d0e-9d6a-0d0c7c1f1f11"
_URL = "https://hooks.example/memory"
_EVENTS = {
    "type": "array",
    "description": "what it hears of",
    "minItems": 1,
    "items": {"type": "string", "enum": [str(kind) for kind in SUBSCRIBABLE]},
}
_FIELDS = {
    "id": text("its id", format="uuid"),
    "url": text("where it is told, by POST"),
    "events": _EVENTS,
    "active": switch("false while it is paused, by hand or because its deliveries kept failing"),
    "created_at": moment("when it was made: it hears of what is younger"),
}
_EXAMPLE = {
    "id": _UID,
    "url": _URL,
    "events": ["memory.written"],
    "active": True,
    "created_at": "2026-08-13T10:00:00.000000+00:00",
}
_SECRET = text("what its deliveries are signed with")

SHAPES: dict[str, dict[str, Any]] = {
    "Webhook": record(_FIELDS, example=_EXAMPLE),
    "Webhooks": record(
        {"webhooks": {"type": "array", "items": {"$ref": "#/components/schemas/Webhook"}}},
        example={"webhooks": [_EXAMPLE]},
    ),
    "WebhookWithSecret": record(
        {**_FIELDS, "secret": _SECRET}, example={**_EXAMPLE, "secret": "whsec_AbCdEf"}
    ),
    "NewWebhook": record(
        {"url": text("a public address over http or https", maxLength=LIMIT), "events": _EVENTS},
        example={"url": _URL, "events": ["memory.written"]},
        closed=False,
    ),
    "WebhookSwitch": record(
        {"active": switch("false pauses, true resumes")}, example={"active": True}, closed=False
    ),
}
