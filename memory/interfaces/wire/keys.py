"""`/v1/keys`: the organisation's keys. A key is told once, when it is made; kept is its digest."""

from typing import Any

from django.db.models import Q
from django.db.models.functions import Now
from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_setting as shapes
from memory.interfaces.wire.base import TIERS, WireView
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.shown import instant
from memory.models.draft import Scope
from tenants.audit import record
from tenants.context import within
from tenants.models import Token

# Keys of one chat agent, members' tokens and people's have no part in `/v1`.
OURS = {"kind": Token.Kind.ORGANISATION, "agent_id": None}


class Keys(WireView):
    manages = True

    @told("List keys", tag=shapes.WHO_TAG, answers={200: "Keys"})
    def get(self, request: Request) -> HttpResponse:
        with within(self.caller.tenant_id):
            rows = Token.objects.filter(**OURS).order_by("created_at", "id")
            return JsonResponse({"keys": [as_json(row) for row in rows]})

    @told(
        "Make a key; the answer is the only time it is told",
        tag=shapes.WHO_TAG,
        takes="NewKey",
        answers={201: "MadeKey"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body()
        name = fields.named(body, "name")
        tier = fields.choice(body, "tier", list(TIERS)) or "standard"
        agent = fields.name(body, "scopedAgent", required=False)
        scope = fields.choice(body, "scopedScope", list(Scope))
        with within(self.caller.tenant_id):
            token, key = Token.objects.issue(
                **OURS, name=name, tier=tier, shared_agent=agent or "", scope=scope or ""
            )
            record(
                "token.created",
                by=self.caller.actor,
                subject="token",
                subject_id=token.pk,
                kind=token.kind,
                tier=token.tier,
                is_for_one_agent=agent is not None,
                scope=token.scope,
            )
        return JsonResponse({"id": str(token.uid), "key": key}, status=201)


class KeyDetail(WireView):
    manages = True

    @told("Revoke a key, if it is there", tag=shapes.WHO_TAG, answers={204: None})
    def delete(self, request: Request, uid: str) -> HttpResponse:
        found = as_uuid(uid)
        with within(self.caller.tenant_id):
            rows = Token.objects.filter(Q(("uid", found)), **OURS, revoked_at=None)
            token = rows.select_for_update().first()
            if token is not None:
                token.revoked_at = Now()
                token.save(update_fields=["revoked_at"])
                record("token.revoked", by=self.caller.actor, subject="token", subject_id=token.pk)
        return HttpResponse(status=204)


def as_json(token: Token) -> dict[str, Any]:
    return {
        "id": str(token.uid),
        "name": token.name,
        "key_prefix": token.prefix,
        "tier": token.tier,
        "scoped_agent": token.shared_agent or None,
        "scoped_scope": token.scope or None,
        "created_at": instant(token.created_at),
        "last_used_at": instant(token.last_used_at),
        "revoked_at": instant(token.revoked_at),
    }
