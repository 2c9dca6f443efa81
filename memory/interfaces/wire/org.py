"""`/v1/org/retention`: how long things are kept, in days."""

from typing import Any

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_setting as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from tenants.audit import record
from tenants.context import within
from tenants.models import Tenant

LONGEST = 36_500  # days
COLUMNS = {
    "memoriesDays": "memories_days",
    "auditDays": "audit_days",
    "scratchDays": "scratch_days",
}
MAY_BE_NULL = "memoriesDays"  # for ever


class Retention(WireView):
    manages = True

    @told("Read how long things are kept", tag=shapes.WHO_TAG, answers={200: "Retention"})
    def get(self, request: Request) -> HttpResponse:
        with within(self.caller.tenant_id):
            return JsonResponse(as_json(Tenant.objects.get(pk=self.caller.tenant_id)))

    @told(
        "Set how long things are kept; what is not named stays as it is",
        tag=shapes.WHO_TAG,
        takes="RetentionChange",
        answers={200: "Retention"},
        notes="`memoriesDays` reaches shared memories alone; null keeps them for ever.",
    )
    def put(self, request: Request) -> HttpResponse:
        body = self.body()
        changes: dict[str, int | None] = {}
        for field, column in COLUMNS.items():
            if field not in body:
                continue
            if field == MAY_BE_NULL and body[field] is None:
                changes[column] = None
            else:
                changes[column] = fields.whole(body, field, least=1, most=LONGEST)
        with within(self.caller.tenant_id):
            tenant = Tenant.objects.select_for_update().get(pk=self.caller.tenant_id)
            for column, days in changes.items():
                setattr(tenant, column, days)
            if changes:
                tenant.save(update_fields=list(changes))
                record("retention.set", by=self.caller.actor, subject="tenant", **changes)
            return JsonResponse(as_json(tenant))


def as_json(tenant: Tenant) -> dict[str, Any]:
    return {field: getattr(tenant, column) for field, column in COLUMNS.items()}
