"""A few views that show what the middleware has done to a request."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path, reverse
from django.views import View

from agents.models import Agent
from config.urls import urlpatterns as real
from tenants.context import current_tenant
from tenants.views import opens_its_own, without_tenant

assert admin


def shown(request: HttpRequest) -> JsonResponse:
    caller = request.caller  # type: ignore[attr-defined]
    return JsonResponse(
        {
            "inside": current_tenant(),
            "tenant": request.tenant_id,  # type: ignore[attr-defined]
            "role": caller and caller.role,
            "link": reverse("admin:index"),
            "agents": sorted(Agent.objects.values_list("slug", flat=True)),
        }
    )


def writes(request: HttpRequest) -> HttpResponse:
    Agent.objects.create(slug=request.GET["slug"], name="made")
    if "raise" in request.GET:
        raise RuntimeError
    return HttpResponse(status=int(request.GET["status"]))


@opens_its_own
class Own(View):
    def get(self, request: HttpRequest, **_: Any) -> JsonResponse:
        return shown(request)


class OwnPost(View):
    @opens_its_own("POST")
    def post(self, request: HttpRequest) -> JsonResponse:
        return shown(request)

    def get(self, request: HttpRequest) -> JsonResponse:
        return shown(request)


urlpatterns = [
    path("shown/", shown),
    path("writes/", writes),
    path("own/", Own.as_view()),
    path("own-post/", OwnPost.as_view()),
    path("home/", without_tenant(opens_its_own(lambda request: HttpResponse("home")))),
    *real,
]
