"""`/v1/grants`: who may read what other agents wrote."""

from typing import Any

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_setting as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.shown import instant
from memory.models import AccessGrant
from memory.models.draft import Role, Scope
from memory.sharing import grants
from tenants.answers import Refused
from tenants.context import within


class Grants(WireView):
    manages = True

    @told("List grants", tag=shapes.WHO_TAG, answers={200: "Grants"})
    def get(self, request: Request) -> HttpResponse:
        with within(self.caller.tenant_id):
            rows = AccessGrant.objects.select_related("grantee").order_by("created_at", "id")
            return JsonResponse({"grants": [as_json(row) for row in rows]})

    @told(
        "Let an agent read what others wrote in a role and scope",
        tag=shapes.WHO_TAG,
        takes="NewGrant",
        answers={201: "Grant"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body()
        role = fields.chosen(body, "grantorRole", list(Role))
        to = fields.named(body, "granteeAgent")
        scope = fields.chosen(body, "resourceScope", list(Scope))
        until = fields.moment(body, "validTo")
        with within(self.caller.tenant_id):
            try:
                made = grants.grant(
                    role=role, to=to, scope=scope, until=until, by=self.caller.actor
                )
            except grants.Past:
                raise Refused("expected a time that is still to come", field="validTo") from None
            return JsonResponse(as_json(made), status=201)


class GrantDetail(WireView):
    manages = True

    @told("End a grant, if it is there", tag=shapes.WHO_TAG, answers={204: None})
    def delete(self, request: Request, uid: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            grants.revoke(as_uuid(uid), by=self.caller.actor)
        return HttpResponse(status=204)


def as_json(grant: AccessGrant) -> dict[str, Any]:
    return {
        "id": str(grant.uid),
        "grantor_role": grant.grantor_role,
        "grantee_agent": grant.grantee.name,
        "resource_scope": grant.resource_scope,
        "valid_from": instant(grant.valid_from),
        "valid_to": instant(grant.valid_to),
        "created_at": instant(grant.created_at),
    }
