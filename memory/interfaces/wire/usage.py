"""`/v1/org/usage/workflows?days=30`: how much each workflow wrote and searched."""

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.wire import shapes_setting as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.sharing import usage
from tenants.answers import Refused
from tenants.context import within
from tenants.described import asked, whole

DAYS = 30


class WorkflowsUsage(WireView):
    manages = True

    @told(
        "Count what each workflow wrote and searched",
        tag=shapes.WHO_TAG,
        answers={200: "Usage"},
        queries=[
            asked(
                "days",
                whole("days by UTC, today among them", minimum=1, maximum=usage.LONGEST),
                example=DAYS,
            )
        ],
    )
    def get(self, request: Request) -> HttpResponse:
        days = _days(request.query_params.get("days", str(DAYS)))
        with within(self.caller.tenant_id):
            return JsonResponse({"workflows": usage.per_workflow(days)})


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= usage.LONGEST):
        raise Refused(f"expected a whole number from 1 to {usage.LONGEST}", field="days")
    return int(text)
