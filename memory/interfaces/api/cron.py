"""`POST /api/cron/memory-…`: the stages for installations whose clock is an outside scheduler.

The answer says what this run did; a run that failed is told apart from one with nothing to do.
"""

import hmac
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from memory.interfaces.api import shapes_loop as shapes
from memory.interfaces.tasks import work
from tenants.answers import in_json, only_post
from tenants.auth import NotAuthenticated
from tenants.described import described
from tenants.views import opens_its_own


def cron(stage: str) -> Callable[[HttpRequest], HttpResponseBase]:
    """The endpoint of one stage: at most four minutes of work, one batch a tenant in turn."""

    @described(
        f"Run the {stage} stage",
        tag=shapes.CRON_TAG,
        answers={200: "Ran"},
        usual=(401,),
        refuses=(503,),
        security=[{"cron": []}],
    )
    @opens_its_own
    @csrf_exempt
    @in_json
    def endpoint(request: HttpRequest) -> HttpResponse:
        only_post(request)
        _check_secret(request)
        done = work(stage)
        body = {"ok": True, "processed": done.processed}
        if stage == "reconcile":
            body["mutated"] = done.mutated
        return JsonResponse({**body, "failed": done.failed})

    return endpoint


def _check_secret(request: HttpRequest) -> None:
    given = request.headers.get("x-cron-secret", "")
    wanted = settings.CRON_SECRET or ""
    same = hmac.compare_digest(given.encode("utf-8", "surrogateescape"), wanted.encode())
    if not wanted or not same:
        raise NotAuthenticated("the x-cron-secret header is missing or wrong")
