"""`/api/memory-tools/…`: the tools of contract 3 over REST, one address each.

Under a person's token, or an organisation's key with the person in `X-Keepsake-Person`. The same
answers as over MCP and in the chat loop; the HTTP status says the outcome once more.
"""

from typing import Any

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.api import shapes_tools as shapes
from memory.interfaces.tool_calls import HEADER, call_tool_as
from memory.tools import Outcome
from tenants.described import described
from tenants.rest import TenantView

CHANNEL = "rest"
HTTP = {"saved": 201, "pending": 202, "refused": 409}  # the others are 200


class ToolView(TenantView):
    def answer(self, request: Request, name: str) -> HttpResponse:
        answer = call_tool_as(
            self.caller, name, self.body(), named=request.headers.get(HEADER), channel=CHANNEL
        )
        status = HTTP.get(answer.status, 200) if isinstance(answer, Outcome) else 200
        return JsonResponse(answer.as_json(), status=200 if name == "status" else status)


_WHOSE: dict[str, Any] = {"tag": shapes.TOOLS_TAG, "queries": [shapes.WHOSE]}
_WAITS = {
    "description": "pending: a person has to agree first",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ToolOutcome"}}},
}


class Remember(ToolView):
    @described(
        "Save a fact about the person",
        takes="Remember",
        answers={200: "ToolOutcome", 201: "ToolOutcome", 202: _WAITS, 409: shapes.REFUSED},
        notes="With a key that exists, that memory is updated in place. Makes a person who is new.",
        **_WHOSE,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.answer(request, "remember")


class ListMemories(ToolView):
    @described(
        "List what is remembered about the person",
        takes="ListMemories",
        may_be_empty=True,
        answers={200: "ListedMemories"},
        refuses=(409,),
        **_WHOSE,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.answer(request, "list_memories")


class UpdateMemory(ToolView):
    @described(
        "Change a memory of the person, by id or by key",
        takes="UpdateMemory",
        answers={200: "ToolOutcome", 202: _WAITS, 409: shapes.REFUSED},
        **_WHOSE,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.answer(request, "update_memory")


class Forget(ToolView):
    @described(
        "Delete a memory of the person, by id or by key",
        takes="Forget",
        answers={200: "ToolOutcome", 202: _WAITS, 409: shapes.REFUSED},
        notes="Under the person's token it is erased, under a key closed and restorable for 30 "
        "days; a key narrowed to an agent acts as that agent's model.",
        **_WHOSE,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.answer(request, "forget")


class Status(ToolView):
    @described(
        "Ask what became of a pending write",
        takes="ToolStatus",
        answers={200: "ToolOutcome"},
        **_WHOSE,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.answer(request, "status")
