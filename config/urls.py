"""The whole HTTP surface on one page.

Pages live under /t/<tenant>/…: the middleware takes the prefix off before it comes here. What
stands under /api/ answers in JSON and is asked without the prefix, or with it by a signed-in
member of several tenants.
"""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, path

from agents import api as agents
from agents.channels import public
from memory.interfaces.api import cron, mutations

handler400 = "tenants.answers.bad_request"
handler404 = "tenants.answers.page_not_found"
handler500 = "tenants.answers.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    # Everyone, within limits.
    path("api/public/agents/<uuid:agent_uid>/chat", public.chat, name="public-chat"),
    # Under a key, a member's token, or a session.
    path("api/agents/<str:name>/capture", agents.Capture.as_view(), name="capture"),
    path("api/agents/<str:name>/recall", agents.Recall.as_view(), name="recall"),
    path("api/mutations/", mutations.MutationList.as_view(), name="mutations"),
    path("api/mutations/<int:number>/", mutations.MutationDetail.as_view(), name="mutation"),
    path(
        "api/mutations/<int:number>/approve",
        mutations.Decision.as_view(verb="approve"),
        name="mutation-approve",
    ),
    path(
        "api/mutations/<int:number>/reject",
        mutations.Decision.as_view(verb="reject"),
        name="mutation-reject",
    ),
    # Under the x-cron-secret.
    path("api/cron/memory-observe", cron.cron("observe"), name="cron-observe"),
    path("api/cron/memory-reconcile", cron.cron("reconcile"), name="cron-reconcile"),
    path("api/cron/memory-embed", cron.cron("embed"), name="cron-embed"),
]
