"""`/v1/scratch/…`: set, get, del. A key that is narrowed to an agent may: scratch has no agent."""

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.wire import shapes_setting as shapes
from memory.interfaces.wire.base import MemoryView
from memory.interfaces.wire.shapes_setting import told


class ScratchSet(MemoryView):
    @told(
        "Set a key of a workflow's scratchpad",
        tag=shapes.SCRATCH_TAG,
        takes="ScratchSet",
        answers={200: "Done"},
    )
    def post(self, request: Request) -> HttpResponse:
        return JsonResponse(self.memory.scratch_set(self.body()))


class ScratchGet(MemoryView):
    @told(
        "Read a key of a workflow's scratchpad; null when there is none",
        tag=shapes.SCRATCH_TAG,
        takes="ScratchKey",
        answers={200: "ScratchValue"},
    )
    def post(self, request: Request) -> HttpResponse:
        return JsonResponse(self.memory.scratch_get(self.body()))


class ScratchDel(MemoryView):
    @told(
        "Remove a key of a workflow's scratchpad, if it is there",
        tag=shapes.SCRATCH_TAG,
        takes="ScratchKey",
        answers={200: "Done"},
    )
    def post(self, request: Request) -> HttpResponse:
        return JsonResponse(self.memory.scratch_del(self.body()))
