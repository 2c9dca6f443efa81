"""The whole HTTP surface on one page.

Pages live under /t/<tenant>/…: the middleware takes the prefix off before it comes here. What
stands under /api/ answers in JSON and is asked without the prefix, or with it by a signed-in
member of several tenants.
"""

from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from agents import api as agents
from agents import tasks as tasks  # the scheduled stage, before an outside clock asks for it
from agents.channels import inbound, own, public
from agents.pages import chat, embed
from config import openapi
from memory.interfaces.api import cron, mutations, tools
from memory.interfaces.pages import history
from tenants.admin import site
from tenants.signing import SignIn, SignOut

handler400 = "tenants.answers.bad_request"
handler404 = "tenants.answers.page_not_found"
handler500 = "tenants.answers.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", SignOut.as_view(), name="sign-out"),
    path("", RedirectView.as_view(pattern_name="review:queue"), name="home"),
    path("review/", include("memory.interfaces.pages.urls")),
    path("agents/<slug:slug>/memory/", include("memory.interfaces.pages.people.agent_urls")),
    path("agents/", include("agents.pages.urls")),
    path("memories/<int:memory_id>/", history.memory, name="memory"),
    path("memory/", include("memory.interfaces.pages.people.urls")),
    path("admin/", site.urls),
    path("widget/<uuid:agent_uid>/", chat.conversation, name="conversation"),
    path("embed.js", embed.script, name="embed"),
    # Everyone, within limits.
    path("api/public/agents/<uuid:agent_uid>/chat", public.chat, name="public-chat"),
    # A visitor by their cookie, from the widget's own page.
    path("api/public/agents/<uuid:agent_uid>/me/memories", own.memories, name="own-memories"),
    path("api/public/agents/<uuid:agent_uid>/me/forget", own.forget_one, name="own-forget"),
    path("api/public/agents/<uuid:agent_uid>/me/settings", own.set_settings, name="own-settings"),
    path("api/public/agents/<uuid:agent_uid>/me/export", own.export, name="own-export"),
    # Another system, by its signature.
    path(
        "api/public/agents/<uuid:agent_uid>/hooks/<uuid:hook_uid>", inbound.ask, name="inbound-hook"
    ),
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
    # The tools of a person (contract 3).
    path("api/memory-tools/remember", tools.Remember.as_view(), name="tool-remember"),
    path("api/memory-tools/list", tools.ListMemories.as_view(), name="tool-list"),
    path("api/memory-tools/update", tools.UpdateMemory.as_view(), name="tool-update"),
    path("api/memory-tools/forget", tools.Forget.as_view(), name="tool-forget"),
    path("api/memory-tools/status", tools.Status.as_view(), name="tool-status"),
    # Memory about people, both spellings (contract 2).
    path("", include("memory.interfaces.api.people_urls")),
    # Memory that agents share (contract 4).
    path("v1/", include("memory.interfaces.wire.urls")),
    # The same surface, described.
    path("api/schema/", openapi.schema, name="schema"),
    path("api/docs/", openapi.Docs.as_view(), name="docs"),
    # Under the x-cron-secret.
    path("api/cron/memory-observe", cron.cron("observe"), name="cron-observe"),
    path("api/cron/memory-reconcile", cron.cron("reconcile"), name="cron-reconcile"),
    path("api/cron/memory-embed", cron.cron("embed"), name="cron-embed"),
    path("api/cron/memory-sweep", cron.cron("sweep"), name="cron-sweep"),
    path("api/cron/memory-encrypt", cron.cron("encrypt"), name="cron-encrypt"),
    path("api/cron/memory-audit", cron.cron("audit"), name="cron-audit"),
    path("api/cron/memory-deliver", cron.cron("deliver"), name="cron-deliver"),
    path("api/cron/memory-graph", cron.cron("graph"), name="cron-graph"),
    path("api/cron/memory-listen", cron.cron("listen"), name="cron-listen"),
    path("api/cron/agents-scheduled", cron.cron("scheduled"), name="cron-scheduled"),
    path("api/cron/memory-retention", cron.cron("retention"), name="cron-retention"),
]
