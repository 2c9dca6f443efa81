"""The customer's key in the schema."""

from typing import Any

from tenants.described import moment, or_null, record, switch, text, whole

TAG = "Shared memory: encryption"
_AT = "2026-08-13T10:00:00.000000+00:00"
_STATE = {
    "active": switch("is one in use"),
    "created_at": or_null(moment("since when")),
    "waiting": whole("memories and proposals that are not sealed yet", minimum=0),
}
_EXAMPLE = {"active": True, "created_at": _AT, "waiting": 0}
SHAPES: dict[str, dict[str, Any]] = {
    "NewCustomerKey": record(
        {"customerKey": text("base64 of 32 bytes", minLength=43, maxLength=64)},
        closed=False,
        example={"customerKey": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="},
    ),
    "CustomerKey": record(_STATE, example=_EXAMPLE),
    "CustomerKeySet": record(
        {
            "ok": switch("always true"),
            "outcome": text(
                "what it did: the first key, another in its place, the same one again",
                enum=["set", "rotated", "repaired", "unchanged"],
            ),
            **_STATE,
        },
        example={"ok": True, "outcome": "set", **_EXAMPLE},
    ),
}
