"""`/v1/scratch/…`: set, get, del. A key that is narrowed to an agent may: scratch has no agent."""

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_setting as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.values import value
from memory.sharing import scratch
from tenants.context import within

TTL_LIMIT = 366 * 24 * 3600  # seconds


class ScratchSet(WireView):
    @told(
        "Set a key of a workflow's scratchpad",
        tag=shapes.SCRATCH_TAG,
        takes="ScratchSet",
        answers={200: "Done"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body()
        workflow, key = fields.named(body, "workflowId"), fields.named(body, "key")
        kept = value(body, "value")
        ttl = None
        if body.get("ttl") is not None:
            ttl = fields.whole(body, "ttl", least=1, most=TTL_LIMIT)
        with within(self.caller.tenant_id):
            scratch.put(workflow, key, kept, ttl=ttl)
        return JsonResponse({"ok": True})


class ScratchGet(WireView):
    @told(
        "Read a key of a workflow's scratchpad; null when there is none",
        tag=shapes.SCRATCH_TAG,
        takes="ScratchKey",
        answers={200: "ScratchValue"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body()
        workflow, key = fields.named(body, "workflowId"), fields.named(body, "key")
        with within(self.caller.tenant_id):
            return JsonResponse({"value": scratch.get(workflow, key)})


class ScratchDel(WireView):
    @told(
        "Remove a key of a workflow's scratchpad, if it is there",
        tag=shapes.SCRATCH_TAG,
        takes="ScratchKey",
        answers={200: "Done"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body()
        workflow, key = fields.named(body, "workflowId"), fields.named(body, "key")
        with within(self.caller.tenant_id):
            scratch.remove(workflow, key)
        return JsonResponse({"ok": True})
