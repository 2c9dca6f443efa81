"""What `/v1` sets and counts in the schema: keys, teams, policies, grants, retention, scratch."""

from collections.abc import Callable, Sequence
from typing import Any

from memory.interfaces.wire.base import TIERS
from memory.models import ConflictPolicy
from memory.models.draft import Role, Scope
from tenants.described import View, described, moment, or_null, record, text, whole

WHO_TAG, SCRATCH_TAG = "Shared memory: who may, and for how long", "Shared memory: scratchpad"
UID = "0b7f3c52-8c55-4d0e-9d6a-0d0c7c1f1f11"
AT = "2026-08-13T10:00:00.000000+00:00"
NAME = {"minLength": 1, "maxLength": 200}

ID = text("its id", format="uuid")
MADE = moment("when it was made")
SCOPE = text("who sees it", enum=[str(scope) for scope in Scope])
ROLE = text("in what part it was written", enum=[str(role) for role in Role])
WORKFLOW = text("the workflow, by any name", **NAME)
AGENT = text("an agent, by any name; known from its first use", **NAME)
_TIER = text("how often it may ask", enum=list(TIERS))
_POLICY = text("what a contradiction does", enum=list(ConflictPolicy.Policy.values))
_URL = text("where conflicts are told besides subscribers", maxLength=2_000)
_DAYS = whole("days", minimum=1, maximum=36_500)
_KEY_OF_SCRATCH = text("the key", **NAME)
_ANY = {"description": "any JSON value, at most 64 KiB of it"}

_KEY = {
    "id": UID,
    "name": "support-bot",
    "key_prefix": "ksk_AbCdEfGh",
    "tier": "developer",
    "scoped_agent": None,
    "scoped_scope": None,
    "created_at": AT,
    "last_used_at": None,
    "revoked_at": None,
}
_TEAM = {"id": UID, "name": "research", "created_at": AT}
_POLICY_EXAMPLE = {
    "id": UID,
    "workflow_id": "pipeline-1",
    "policy": "planner_wins",
    "webhook_url": None,
    "created_at": AT,
}
_POLICY_FIELDS = {
    "id": ID,
    "workflow_id": or_null(text("null: the organisation's")),
    "policy": _POLICY,
    "webhook_url": or_null(_URL),
    "created_at": MADE,
}
_GRANT = {
    "id": UID,
    "grantor_role": "planner",
    "grantee_agent": "auditor",
    "resource_scope": "private",
    "valid_from": AT,
    "valid_to": None,
    "created_at": AT,
}
_RETENTION = {"memoriesDays": None, "auditDays": 365, "scratchDays": 30}


def told(summary: str, *, refuses: Sequence[int] = (), **parts: Any) -> Callable[[View], View]:
    """`described`, of an address that counts how often its key asks."""
    return described(summary, refuses=(429, *refuses), **parts)


def many(name: str, of: str, example: Any) -> dict[str, Any]:
    """`{name: [of, …]}`, all there are."""
    items = {"type": "array", "items": {"$ref": f"#/components/schemas/{of}"}}
    return record({name: items}, example={name: [example]})


SHAPES: dict[str, dict[str, Any]] = {
    "Key": record(
        {
            "id": ID,
            "name": text("what it is for"),
            "key_prefix": text("how it begins, to tell it from others"),
            "tier": text("how often it may ask"),
            "scoped_agent": or_null(text("the only agent it speaks for")),
            "scoped_scope": or_null(text("the only scope it writes and reads")),
            "created_at": MADE,
            "last_used_at": or_null(moment("to the minute")),
            "revoked_at": or_null(moment("when it was ended")),
        },
        example=_KEY,
    ),
    "Keys": many("keys", "Key", _KEY),
    "NewKey": record(
        {
            "name": text("what it is for", **NAME),
            "tier": or_null(_TIER),
            "scopedAgent": or_null(AGENT),
            "scopedScope": or_null(SCOPE),
        },
        required=["name"],
        closed=False,
        example={"name": "support-bot", "tier": "developer", "scopedAgent": "support-bot"},
    ),
    "MadeKey": record(
        {"id": ID, "key": text("the key itself, shown this once")},
        example={"id": UID, "key": "ksk_AbCdEfGh…"},
    ),
    "Team": record({"id": ID, "name": text("its name"), "created_at": MADE}, example=_TEAM),
    "Teams": many("teams", "Team", _TEAM),
    "NewTeam": record(
        {"name": text("its name, unique", **NAME)}, closed=False, example={"name": "research"}
    ),
    "TeamAgents": record(
        {"agents": {"type": "array", "maxItems": 1_000, "items": AGENT}},
        closed=False,
        example={"agents": ["planner-1", "researcher-2"]},
    ),
    "Policy": record(_POLICY_FIELDS, example=_POLICY_EXAMPLE),
    "PolicySet": record(
        {**_POLICY_FIELDS, "webhook_secret": text("what `webhook_url` is signed with")},
        required=list(_POLICY_FIELDS),
        example=_POLICY_EXAMPLE,
    ),
    "Policies": many("policies", "Policy", _POLICY_EXAMPLE),
    "NewPolicy": record(
        {"policy": _POLICY, "workflowId": or_null(WORKFLOW), "webhookUrl": or_null(_URL)},
        required=["policy"],
        closed=False,
        example={"policy": "planner_wins", "workflowId": "pipeline-1"},
    ),
    "Grant": record(
        {
            "id": ID,
            "grantor_role": ROLE,
            "grantee_agent": text("who may read"),
            "resource_scope": SCOPE,
            "valid_from": moment("from this instant on"),
            "valid_to": or_null(moment("until just before this one; null: until it is removed")),
            "created_at": MADE,
        },
        example=_GRANT,
    ),
    "Grants": many("grants", "Grant", _GRANT),
    "NewGrant": record(
        {
            "grantorRole": ROLE,
            "granteeAgent": AGENT,
            "resourceScope": SCOPE,
            "validTo": or_null(moment("when it ends; it has to be still to come")),
        },
        required=["grantorRole", "granteeAgent", "resourceScope"],
        closed=False,
        example={
            "grantorRole": "planner",
            "granteeAgent": "auditor",
            "resourceScope": "private",
            "validTo": "2036-01-01T00:00:00Z",
        },
    ),
    "Retention": record(
        {"memoriesDays": or_null(_DAYS), "auditDays": _DAYS, "scratchDays": _DAYS},
        example=_RETENTION,
    ),
    "RetentionChange": record(
        {"memoriesDays": or_null(_DAYS), "auditDays": _DAYS, "scratchDays": _DAYS},
        required=[],
        closed=False,
        example={"memoriesDays": 90},
    ),
    "Usage": record(
        {
            "workflows": {
                "type": "object",
                "additionalProperties": record(
                    {
                        "writes": whole("memories written", minimum=0),
                        "searches": whole("searches made", minimum=0),
                    },
                    example={"writes": 12, "searches": 40},
                ),
            }
        },
        example={"workflows": {"pipeline-1": {"writes": 12, "searches": 40}}},
    ),
    "ScratchSet": record(
        {
            "workflowId": WORKFLOW,
            "key": _KEY_OF_SCRATCH,
            "value": _ANY,
            "ttl": or_null(whole("seconds", minimum=1, maximum=366 * 24 * 3600)),
        },
        required=["workflowId", "key", "value"],
        closed=False,
        example={
            "workflowId": "pipeline-1",
            "key": "cursor",
            "value": {"page": 3},
            "ttl": 600,
        },
    ),
    "ScratchKey": record(
        {"workflowId": WORKFLOW, "key": _KEY_OF_SCRATCH},
        closed=False,
        example={"workflowId": "pipeline-1", "key": "cursor"},
    ),
    "ScratchValue": record({"value": _ANY}, example={"value": {"page": 3}}),
    "Done": record({"ok": {"type": "boolean", "const": True}}, example={"ok": True}),
}
