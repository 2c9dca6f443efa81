"""`/v1/policies`: what a write does that contradicts what is remembered."""

from typing import Any

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.events import signature
from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_setting as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.shown import instant
from memory.interfaces.wire.webhooks import address
from memory.models import ConflictPolicy
from memory.sharing import policies
from tenants.context import within


class Policies(WireView):
    manages = True

    @told("List conflict policies", tag=shapes.WHO_TAG, answers={200: "Policies"})
    def get(self, request: Request) -> HttpResponse:
        with within(self.caller.tenant_id):
            rows = ConflictPolicy.objects.order_by("workflow", "id")
            return JsonResponse({"policies": [as_json(row) for row in rows]})

    @told(
        "Set the policy of the organisation, or of a workflow",
        tag=shapes.WHO_TAG,
        takes="NewPolicy",
        answers={200: "PolicySet"},
    )
    def put(self, request: Request) -> HttpResponse:
        body = self.body()
        policy = fields.chosen(body, "policy", ConflictPolicy.Policy.values)
        workflow = fields.name(body, "workflowId", required=False)
        url = _webhook_url(body)
        with within(self.caller.tenant_id):
            kept = policies.put(
                policy=policy,
                workflow=workflow or "",
                webhook_url=url or "",
                by=self.caller.actor,
            )
            return JsonResponse(as_json(kept) | _secret(kept))


class PolicyDetail(WireView):
    manages = True

    @told("Remove a policy, if it is there", tag=shapes.WHO_TAG, answers={204: None})
    def delete(self, request: Request, uid: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            policies.remove(as_uuid(uid), by=self.caller.actor)
        return HttpResponse(status=204)


def as_json(policy: ConflictPolicy) -> dict[str, Any]:
    return {
        "id": str(policy.uid),
        "workflow_id": policy.workflow or None,
        "policy": policy.policy,
        "webhook_url": policy.webhook_url or None,
        "created_at": instant(policy.created_at),
    }


def _webhook_url(body: fields.Body) -> str | None:
    if body.get("webhookUrl") is None:
        return None
    return address(body, "webhookUrl")


def _secret(policy: ConflictPolicy) -> dict[str, str]:
    """What its `webhookUrl` is signed with; none without one."""
    if not policy.webhook_url:
        return {}
    secret = signature.policy_secret(tenant_id=policy.tenant_id, uid=policy.uid)
    return {"webhook_secret": secret}
