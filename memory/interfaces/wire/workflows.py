"""`/v1/workflows/:id/…`: a workflow's memories in order, its brief, and its purge.

A workflow is whatever memories name as theirs: one that nobody has named is empty.
"""

from django.http import Http404, HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_memory as shapes
from memory.interfaces.wire.base import MemoryView, WireView
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.shown import shown
from memory.interfaces.wire.woken import wake_after
from memory.sealing import opened
from memory.sharing import workflows
from tenants.answers import Refused
from tenants.context import within
from tenants.described import asked, text, whole

LONGEST_PAGE = 1_000


class WorkflowMemories(WireView):
    @told(
        "List the live memories of a workflow as they were written",
        tag=shapes.WORKFLOW_TAG,
        answers={200: shapes.MEMORIES},
        queries=[
            asked("limit", whole("at most so many; all, if missing", minimum=1, maximum=1_000)),
            asked("after", text("the id of the last memory of the list before", format="uuid")),
        ],
    )
    def get(self, request: Request, workflow: str) -> HttpResponse:
        name, limit = _named(workflow), _limit(request.query_params.get("limit"))
        after = None
        if "after" in request.query_params:
            after = as_uuid(request.query_params["after"])
            if after is None:
                raise Refused("expected the id of a memory", field="after")
        with within(self.caller.tenant_id):
            rows = workflows.memories(self.reader(workflow=name), after=after)
            lines = [shown(*each) for each in opened(rows[:limit])]
        return JsonResponse(lines, safe=False)


class WorkflowSummary(MemoryView):
    @told(
        "Sum a workflow up, as a brief in Markdown",
        tag=shapes.WORKFLOW_TAG,
        takes="SummaryWanted",
        may_be_empty=True,
        answers={200: "Summary"},
        notes="By the language model if there is one; else, and when it fails (`fellBack`), the "
        "sentences that say most, in their order.",
    )
    def post(self, request: Request, workflow: str) -> HttpResponse:
        name = _named(workflow)
        return JsonResponse(self.memory.summarize(name, self.body()))


class WorkflowPurge(WireView):
    """Every agent's rows go, so a key that is narrowed to one may not."""

    manages = True

    @told(
        "Remove all memories of a workflow for good, whoever wrote them",
        tag=shapes.WORKFLOW_TAG,
        answers={204: None},
    )
    def post(self, request: Request, workflow: str) -> HttpResponse:
        caller = self.caller
        workflows.purge(_named(workflow), tenant_id=caller.tenant_id, by=caller.actor)
        wake_after(caller.tenant_id)
        return HttpResponse(status=204)


def _named(workflow: str) -> str:
    """What can be no workflow's name is none."""
    try:
        return fields.named({"workflow": workflow}, "workflow")
    except Refused:
        raise Http404("no such workflow") from None


def _limit(given: str | None) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and 1 <= int(given[:9]) <= LONGEST_PAGE):
        raise Refused(f"expected a whole number from 1 to {LONGEST_PAGE}", field="limit")
    return int(given)
